#pragma once

#include <string>

namespace psflip::test {

/// Removes the seal and the attribute `sealed`, as of a psflip file that was changed on purpose. Throws
/// std::runtime_error if HDF5 cannot.
void unseal(const std::string& path);

}  // namespace psflip::test
