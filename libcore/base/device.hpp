#pragma once

#include <string>

namespace psflip {

/// True where CUDA device number `device` works with this build; otherwise `why` (if given) says in plain
/// words why not: built without CUDA, no driver, no such device, no machine code for it. Never throws.
bool cuda_available(int device, std::string* why = nullptr);

/// Number of CUDA devices that this process sees; 0 where there are none.
int cuda_devices();

/// Name of the device ("NVIDIA H200"), or an empty string where there is none.
std::string cuda_device_name(int device);

/// Place of the device on the bus, "0000:17:00.0", the same for every library; empty where there is none.
std::string cuda_pci_bus_id(int device);

/// Number of multiprocessors of the device, 0 where there is none.
int cuda_multiprocessors(int device);

}  // namespace psflip
