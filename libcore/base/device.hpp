#pragma once

// Describes the CUDA devices that this process can use. A build without CUDA has no devices
// (device_none.cpp).

#include <string>

namespace psflip {

/// Returns whether this build can use CUDA device number `device`. If not, `why` receives the reason: built
/// without CUDA, no driver, no such device, or no machine code for the device. Never throws.
bool cuda_available(int device, std::string* why = nullptr);

/// Returns the number of CUDA devices that this process sees.
int cuda_devices();

/// Returns the name of the device ("NVIDIA H200"), or an empty string if there is no such device.
std::string cuda_device_name(int device);

/// Returns the PCI bus id of the device ("0000:17:00.0"), or an empty string if there is no such device. CUDA
/// and NVML number devices differently, but they agree on this id.
std::string cuda_pci_bus_id(int device);

/// Returns the number of multiprocessors of the device, or 0 if there is no such device.
int cuda_multiprocessors(int device);
/// Returns the bytes of the L2 cache of the device, or 0 if there is no such device.
int cuda_cache_bytes(int device);

}  // namespace psflip
