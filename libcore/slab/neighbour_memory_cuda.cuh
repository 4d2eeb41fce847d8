#pragma once

#include <cuda_runtime.h>

#include <array>
#include <vector>

namespace psflip {

/// Arrays in the GPUs of other ranks of this machine, for kernels of this one: by their pointers where the
/// ranks are threads, else by handles. Nothing here is collective.
///
/// Where ranks are threads, one of these at a time may be open for each GPU: the way to another GPU is opened
/// with the first of its arrays, and closed by the destructor.
class NeighbourMemory {
  public:
    static constexpr int most = 3;
    using Arrays = std::array<void*, most>;

    /// What a rank tells the others of its arrays; bytes that may be sent.
    struct Offer {
        bool handles;  ///< for other processes; else pointers of this one
        int device, count;
        Arrays plain;
        cudaIpcMemHandle_t handle[most];
    };
    /// Of the present device. with_handles: for other processes; arrays are those of DeviceBuffer::for_peers.
    static Offer offer(const std::vector<void*>& arrays, bool with_handles);

    NeighbourMemory() = default;
    NeighbourMemory(const NeighbourMemory&) = delete;
    /// No kernel that uses the arrays may be on its way.
    ~NeighbourMemory();

    /// The arrays of an offer, which is opened once. Throws EnvironmentError.
    Arrays open(const Offer& offer);

  private:
    void reach(int device);

    std::vector<int> reached_;
    std::vector<void*> opened_;
};

}  // namespace psflip
