#include "io/hdf5/hdf5_error.hpp"

#include <hdf5.h>

#include <cstdlib>
#include <cstring>

namespace psflip {
namespace {

/// Visitor of H5Ewalk2, innermost call first.
herr_t note(unsigned /*depth*/, const H5E_error2_t* entry, void* target) {
    auto& failure = *static_cast<Hdf5Failure*>(target);
    const char* text = entry->desc != nullptr ? entry->desc : "";
    if (failure.cause.empty()) failure.cause = text;
    if (failure.system_error == 0) {
        if (const char* number = std::strstr(text, "errno = ")) failure.system_error = std::atoi(number + 8);
    }
    if (std::strstr(text, "truncated file") != nullptr) failure.truncated = true;
    if (std::strstr(text, "Fletcher32") != nullptr) failure.checksum = true;
    if (entry->maj_num == H5E_RESOURCE || entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC ||
        std::strstr(text, "memory allocation failed") != nullptr)
        failure.memory = true;
    if (std::strstr(text, "bad version number") != nullptr) failure.version = true;
    return 0;
}

}  // namespace

void silence_hdf5() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Failure take_hdf5_failure() {
    Hdf5Failure failure;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note, &failure);
    H5Eclear2(H5E_DEFAULT);
    return failure;
}

std::string reason(const Hdf5Failure& failure) {
    if (failure.system_error != 0) return std::strerror(failure.system_error);
    if (failure.checksum) return "checksum failed";
    if (failure.version) {
        return "HDF5: " + failure.cause +
               ", written by a newer HDF5? h5py.File(..., libver=(\"earliest\", \"v110\")) can be read";
    }
    return failure.cause.empty() ? "HDF5 gives no reason" : "HDF5: " + failure.cause;
}

}  // namespace psflip
