// A stand-in for NVIDIA's management library with one device, at 0000:17:00.0, that uses 1.5 J between two
// readings.
#include <cstring>

namespace {
unsigned long long counter = 7000;
int device = 0;
}  // namespace

extern "C" {
int nvmlInit_v2() {
    return 0;
}
int nvmlShutdown() {
    return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* pci_bus_id, void** found) {
    *found = &device;
    return std::strcmp(pci_bus_id, "0000:17:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetTotalEnergyConsumption(void* of, unsigned long long* millijoules) {
    if (of != &device) return 2;
    *millijoules = counter;
    counter += 1500;
    return 0;
}
}
