#pragma once

#include <memory>

#include "slab/ranks.hpp"

namespace psflip {

/// What the environment says of how this process was started, without a call of MPI.
struct Launch {
    int ranks = 1;  ///< that mpirun or srun started together; 1 without them
    int rank = 0;   ///< of this process
};
/// Open MPI (OMPI_COMM_WORLD_SIZE), MPICH and Intel MPI (PMI_SIZE), and srun with PMI-2 or PMIx, in this
/// order. InputError where they are no numbers of ranks and of one of them.
Launch launch();

/// Whether this psflip can work with several ranks.
bool built_with_mpi();

/// From here to its end MPI is there, where the launch has several ranks; else nothing happens. One per
/// process, collective both at the beginning and at the end, for the main thread. EnvironmentError where MPI
/// cannot start, InputError where the launch has several ranks and this psflip was built without MPI.
class MpiSession {
  public:
    explicit MpiSession(const Launch& launch);
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    /// Those of the launch, or single_rank().
    Ranks& ranks() { return ranks_ ? *ranks_ : single_rank(); }

  private:
    std::unique_ptr<Ranks> ranks_;
};

}  // namespace psflip
