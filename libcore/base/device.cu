// Implements device.hpp in builds with CUDA.
#include "base/device.hpp"

#include <cstdio>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "base/error.hpp"

namespace psflip {

namespace {

__global__ void probe_kernel() {}

std::string gibibytes(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
    return text;
}

std::string reason(int device) {
    int count = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    int driver = 0;
    if (found == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
        return "there is no usable GPU: no driver of NVIDIA is installed here";
    if (found != cudaSuccess) return std::string("there is no usable GPU: ") + cudaGetErrorString(found);
    if (device < 0 || device >= count)
        return "there is no GPU with the number " + std::to_string(device) + "; this machine has " +
               std::to_string(count);
    const cudaError_t chosen = cudaSetDevice(device);
    if (chosen != cudaSuccess) return std::string("the GPU cannot be used: ") + cudaGetErrorString(chosen);
    cudaFuncAttributes attributes;
    const cudaError_t loaded = cudaFuncGetAttributes(&attributes, probe_kernel);
    if (loaded != cudaSuccess)
        return std::string("this build does not fit the GPU: ") + cudaGetErrorString(loaded);
    return {};
}

}  // namespace

bool cuda_available(int device, std::string* why) {
    const std::string text = reason(device);
    cudaGetLastError();
    if (why) *why = text;
    return text.empty();
}

int cuda_devices() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
    cudaGetLastError();
    return 0;
}

std::string cuda_device_name(int device) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess) return properties.name;
    cudaGetLastError();
    return {};
}

std::string cuda_pci_bus_id(int device) {
    char text[32] = {};
    if (cudaDeviceGetPCIBusId(text, sizeof text, device) == cudaSuccess) return text;
    cudaGetLastError();
    return {};
}

namespace {

/// Returns an attribute of the device, or 0 if there is no such device.
int attribute_of(cudaDeviceAttr attribute, int device) {
    int number = 0;
    if (cudaDeviceGetAttribute(&number, attribute, device) == cudaSuccess) return number;
    cudaGetLastError();
    return 0;
}

}  // namespace

int cuda_multiprocessors(int device) {
    return attribute_of(cudaDevAttrMultiProcessorCount, device);
}
int cuda_cache_bytes(int device) {
    return attribute_of(cudaDevAttrL2CacheSize, device);
}

void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line) {
    cudaGetLastError();
    throw EnvironmentError(std::string("CUDA: ") + cudaGetErrorString(status) + " in " + call + " (" + file +
                           ":" + std::to_string(line) + ")");
}

void throw_wrong_size(std::size_t device, std::size_t host) {
    throw EnvironmentError("a device buffer of " + std::to_string(device) +
                           " bytes cannot be copied to or from " + std::to_string(host) +
                           " bytes of host memory");
}

void* allocate_device(std::size_t bytes, const char* what) {
    void* pointer = nullptr;
    if (bytes == 0) return pointer;
    const cudaError_t status = cudaMalloc(&pointer, bytes);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        throw EnvironmentError("there is not enough GPU memory for " + std::string(what) + ": " +
                               gibibytes(bytes) + " are needed, but only " + gibibytes(free) + " of " +
                               gibibytes(total) + " are free; use a smaller disorder.batch");
    }
    PSFLIP_CUDA(status);
    return pointer;
}

}  // namespace psflip
