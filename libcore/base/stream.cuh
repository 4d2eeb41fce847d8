#pragma once

// Owns CUDA streams and events, and orders work in them.

#include <cuda_runtime.h>

#include "base/cuda_check.cuh"

namespace psflip {

/// Selects the CUDA device for this thread and returns its number. Constructors call this function before
/// members allocate memory on the device.
inline int chosen_device(int device) {
    PSFLIP_CUDA(cudaSetDevice(device));
    return device;
}

/// Owns a CUDA stream.
struct Stream {
    cudaStream_t handle = nullptr;
    Stream() { PSFLIP_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(handle); }
    Stream(const Stream&) = delete;
};

/// Owns a CUDA event, which marks a point in a stream.
struct Event {
    cudaEvent_t handle = nullptr;
    Event() { PSFLIP_CUDA(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming)); }
    ~Event() { cudaEventDestroy(handle); }
    Event(const Event&) = delete;
    /// Makes further work of `later` wait for all present work of `earlier`.
    void order(cudaStream_t earlier, cudaStream_t later) const {
        PSFLIP_CUDA(cudaEventRecord(handle, earlier));
        PSFLIP_CUDA(cudaStreamWaitEvent(later, handle));
    }
};

/// Owns a second stream next to a main stream. If `ahead` is true, this stream has the higher priority: its
/// waiting blocks start before waiting blocks of the main stream.
class SideStream {
  public:
    explicit SideStream(bool ahead = false) {
        int least = 0, greatest = 0;
        PSFLIP_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        PSFLIP_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, ahead ? greatest : least));
    }
    ~SideStream() { cudaStreamDestroy(stream_); }
    SideStream(const SideStream&) = delete;
    cudaStream_t handle() const { return stream_; }
    /// fork() makes this stream wait for all present work of the main stream. join() makes the main stream
    /// wait for this stream.
    void fork(cudaStream_t main) const { event_.order(main, stream_); }
    void join(cudaStream_t main) const { event_.order(stream_, main); }

  private:
    cudaStream_t stream_ = nullptr;
    Event event_;
};

}  // namespace psflip
