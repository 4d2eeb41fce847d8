// Implements device.hpp in builds without CUDA.
#if !PSFLIP_HAVE_CUDA

#include "base/device.hpp"

namespace psflip {

bool cuda_available(int, std::string* why) {
    if (why) *why = "this psflip was built without CUDA";
    return false;
}

int cuda_devices() {
    return 0;
}

std::string cuda_device_name(int) {
    return {};
}

std::string cuda_pci_bus_id(int) {
    return {};
}

int cuda_cache_bytes(int) {
    return 0;
}
int cuda_multiprocessors(int) {
    return 0;
}

}  // namespace psflip

#endif
