// Starts and ends MPI. psflip works without MPI if it is started as a single process.
#pragma once

#include <memory>

#include "slab/ranks.hpp"

namespace psflip {

/// Says how this process was started, according to environment variables, without a call of MPI.
struct Launch {
    int ranks = 1;  ///< processes that mpirun or srun started together; 1 without them
    int rank = 0;   ///< number of this process
};
/// Reads the variables of Open MPI (OMPI_COMM_WORLD_SIZE), of MPICH and Intel MPI (PMI_SIZE), and of srun
/// with PMI-2 or PMIx, in this order. Errors: InputError if they do not hold a number of ranks and a rank.
Launch launch();

/// Returns whether this psflip was built with MPI and so can work with several ranks.
bool built_with_mpi();

/// Starts MPI if the launch has several ranks, and ends it in the destructor. A process makes at most one
/// session, in its main thread. Constructor and destructor are collective. Errors: EnvironmentError if MPI
/// cannot start; InputError if the launch has several ranks and this psflip was built without MPI.
class MpiSession {
  public:
    explicit MpiSession(const Launch& launch);
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    /// Returns the ranks of the launch, or single_rank(). The reference is valid as long as the session.
    Ranks& ranks() { return ranks_ ? *ranks_ : single_rank(); }

  private:
    std::unique_ptr<Ranks> ranks_;
};

}  // namespace psflip
