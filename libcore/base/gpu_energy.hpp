#pragma once

#include <memory>
#include <optional>
#include <string>

namespace psflip {

/// Reads the energy counter of a GPU with NVIDIA's management library (NVML), which is loaded at run time.
class GpuEnergy {
  public:
    /// `pci_bus_id` is the result of cuda_pci_bus_id, because CUDA and NVML number devices differently. Never
    /// throws. If the library, the device or its counter is missing, joules() returns nothing.
    explicit GpuEnergy(const std::string& pci_bus_id, const char* library = "libnvidia-ml.so.1");
    ~GpuEnergy();
    GpuEnergy(const GpuEnergy&) = delete;
    GpuEnergy& operator=(const GpuEnergy&) = delete;

    /// Returns the energy in joules that all processes used on the GPU since this object was made.
    std::optional<double> joules() const;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace psflip
