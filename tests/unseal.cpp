#include "unseal.hpp"

#include <hdf5.h>

#include <stdexcept>

namespace psflip::test {

void unseal(const std::string& path) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const bool removed = file >= 0 && H5Adelete(file, "sealed") >= 0;
    const bool closed = file >= 0 && H5Fclose(file) >= 0;
    if (!removed || !closed) throw std::runtime_error("cannot unseal " + path);
}

}  // namespace psflip::test
