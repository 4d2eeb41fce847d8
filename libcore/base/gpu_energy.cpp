#include "base/gpu_energy.hpp"

#include <dlfcn.h>

namespace psflip {

/// The four NVML calls that psflip needs, declared here so that the header of NVML is not needed. A result of
/// 0 is success.
struct GpuEnergy::Library {
    void* handle = nullptr;
    void* device = nullptr;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*find)(const char* pci_bus_id, void** device) = nullptr;
    int (*energy)(void* device, unsigned long long* millijoules) = nullptr;
    unsigned long long begin = 0;
    bool ready = false;

    template <class Function>
    bool load(const char* name, Function& function) {
        function = reinterpret_cast<Function>(dlsym(handle, name));
        return function != nullptr;
    }

    Library(const char* library, const std::string& pci_bus_id)
        : handle(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
        if (handle == nullptr || !load("nvmlInit_v2", init) || !load("nvmlShutdown", shutdown) ||
            !load("nvmlDeviceGetHandleByPciBusId_v2", find) ||
            !load("nvmlDeviceGetTotalEnergyConsumption", energy) || init() != 0)
            return;
        ready = find(pci_bus_id.c_str(), &device) == 0 && energy(device, &begin) == 0;
        if (!ready) shutdown();
    }
    ~Library() {
        if (ready) shutdown();
        if (handle != nullptr) dlclose(handle);
    }
};

GpuEnergy::GpuEnergy(const std::string& pci_bus_id, const char* library)
    : library_(std::make_unique<Library>(library, pci_bus_id)) {}

GpuEnergy::~GpuEnergy() = default;

std::optional<double> GpuEnergy::joules() const {
    unsigned long long now = 0;
    if (!library_->ready || library_->energy(library_->device, &now) != 0 || now < library_->begin) return {};
    return 1e-3 * static_cast<double>(now - library_->begin);
}

}  // namespace psflip
