#pragma once

#include <string>

namespace psflip::test {

/// Removes the seal and the attribute `sealed` of a psflip file, as a user does who changes the file on
/// purpose. Throws std::runtime_error if HDF5 fails.
void unseal(const std::string& path);

}  // namespace psflip::test
