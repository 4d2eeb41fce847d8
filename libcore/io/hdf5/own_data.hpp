#pragma once

#include <hdf5.h>

#include <string>

namespace psflip {

/// Private to io/. Why the values of an open dataset cannot be read from its own file, with the remedy: they
/// lie in other datasets (virtual) or files (external storage), some were never written, or they are packed
/// with a filter that is not here. HDF5 would give zeros for the first three. Empty where all values are
/// there.
std::string missing_data(hid_t dataset);

}  // namespace psflip
