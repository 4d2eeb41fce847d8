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

}  // namespace psflip
