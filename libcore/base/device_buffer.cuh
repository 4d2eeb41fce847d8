#pragma once

// Manages arrays in device memory and copies between them and the host.

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/cuda_check.cuh"

namespace psflip {

/// Allocates device memory. Errors: EnvironmentError that names the requested and the free bytes.
void* allocate_device(std::size_t bytes, const char* what);

/// Throws EnvironmentError because a copy was requested between buffers of `device` and `host` bytes.
[[noreturn]] void throw_wrong_size(std::size_t device, std::size_t host);

/// Owns `size` elements of device memory; the destructor frees them. Kernels get the plain pointer. Copies
/// are ordered with `stream` and are complete on return.
template <class T>
class DeviceBuffer {
  public:
    DeviceBuffer() = default;
    /// Allocates `size` elements with undefined contents. `what` names the contents in the message of errors.
    DeviceBuffer(std::size_t size, const char* what)
        : data_(static_cast<T*>(allocate_device(size * sizeof(T), what))), size_(size) {}
    /// Makes a buffer that other processes may open (CUDA IPC). It occupies whole units of 2 MiB, so that no
    /// other buffer lies in the opened memory.
    static DeviceBuffer for_peers(std::size_t size, const char* what) {
        constexpr std::size_t unit = std::size_t{2} << 20;
        DeviceBuffer buffer;
        buffer.data_ = static_cast<T*>(allocate_device((size * sizeof(T) + unit - 1) / unit * unit, what));
        buffer.size_ = size;
        return buffer;
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~DeviceBuffer() { cudaFree(data_); }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }

    void zero(cudaStream_t stream) { PSFLIP_CUDA(cudaMemsetAsync(data_, 0, size_ * sizeof(T), stream)); }

    /// Copies between `host` and the buffer. Errors: EnvironmentError unless `host` has size() * sizeof(T)
    /// bytes.
    template <class U>
    void upload(const std::vector<U>& host, cudaStream_t stream) {
        check_bytes(host.size() * sizeof(U));
        PSFLIP_CUDA(cudaMemcpyAsync(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice, stream));
        PSFLIP_CUDA(cudaStreamSynchronize(stream));
    }
    template <class U>
    void download(std::vector<U>& host, cudaStream_t stream) const {
        check_bytes(host.size() * sizeof(U));
        PSFLIP_CUDA(cudaMemcpyAsync(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost, stream));
        PSFLIP_CUDA(cudaStreamSynchronize(stream));
    }

  private:
    void check_bytes(std::size_t bytes) const {
        if (bytes != size_ * sizeof(T)) throw_wrong_size(size_ * sizeof(T), bytes);
    }
    void swap(DeviceBuffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Owns page-locked memory of the host, from and to which copies are fast.
template <class T>
class PinnedBuffer {
  public:
    explicit PinnedBuffer(std::size_t size) : size_(size) {
        PSFLIP_CUDA(cudaMallocHost(&data_, size * sizeof(T)));
    }
    ~PinnedBuffer() { cudaFreeHost(data_); }
    PinnedBuffer(const PinnedBuffer&) = delete;
    T* data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    T* data_ = nullptr;
    std::size_t size_;
};

}  // namespace psflip
