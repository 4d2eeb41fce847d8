#pragma once

#include <hdf5.h>

#include <string>

namespace psflip {

/// Private to io/. Returns why the values of an open dataset cannot be read from its file, with the remedy:
/// they are in other datasets (virtual) or files (external storage), some were never written, or a filter is
/// missing. HDF5 would return zeros in the first three cases. Returns an empty string if all values are in
/// the file.
std::string missing_data(hid_t dataset);

}  // namespace psflip
