#pragma once

#include <string>

namespace psflip::test {

/// Makes a file of psflip one that was changed on purpose: without seal and without the attribute that tells
/// of it. std::runtime_error where HDF5 cannot.
void unseal(const std::string& path);

}  // namespace psflip::test
