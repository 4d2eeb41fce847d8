#pragma once

#include <cuda_runtime.h>

#include "base/cuda_check.cuh"

namespace psflip {

/// Makes the device the one of this thread, before members that allocate; returns it.
inline int chosen_device(int device) {
    PSFLIP_CUDA(cudaSetDevice(device));
    return device;
}

/// A stream that lives as long as its owner.
struct Stream {
    cudaStream_t handle = nullptr;
    Stream() { PSFLIP_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(handle); }
    Stream(const Stream&) = delete;
};

/// A point in a stream.
struct Event {
    cudaEvent_t handle = nullptr;
    Event() { PSFLIP_CUDA(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming)); }
    ~Event() { cudaEventDestroy(handle); }
    Event(const Event&) = delete;
    /// What `later` gets from here on waits for what `earlier` has been given so far.
    void order(cudaStream_t earlier, cudaStream_t later) const {
        PSFLIP_CUDA(cudaEventRecord(handle, earlier));
        PSFLIP_CUDA(cudaStreamWaitEvent(later, handle));
    }
};

/// A stream beside a main one; `ahead`: its blocks come before those of the main one that do not run yet.
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
    /// Lets it wait for all that the main stream has been given, and the main stream for it.
    void fork(cudaStream_t main) const { event_.order(main, stream_); }
    void join(cudaStream_t main) const { event_.order(stream_, main); }

  private:
    cudaStream_t stream_ = nullptr;
    Event event_;
};

}  // namespace psflip
