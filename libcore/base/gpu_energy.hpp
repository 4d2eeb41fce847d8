#pragma once

#include <memory>
#include <optional>
#include <string>

namespace psflip {

/// The energy counter of a GPU, by NVIDIA's management library (NVML), which is loaded at run time where it
/// is there.
class GpuEnergy {
  public:
    /// pci_bus_id: "0000:17:00.0" (cuda_pci_bus_id), so that the numbering of devices does not matter. Never
    /// throws: without library, device or counter there is nothing to read.
    explicit GpuEnergy(const std::string& pci_bus_id, const char* library = "libnvidia-ml.so.1");
    ~GpuEnergy();
    GpuEnergy(const GpuEnergy&) = delete;
    GpuEnergy& operator=(const GpuEnergy&) = delete;

    /// Joules that the whole GPU used since this object was made, by whatever process. Nothing where it
    /// cannot be read.
    std::optional<double> joules() const;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace psflip
