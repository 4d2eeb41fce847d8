/// Checks the ranks of MPI: mpirun -n N mpi_ranks [BYTES]. With "fail" rank 1 aborts with exit code 9 while
/// the others wait for it.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpi/ranks_checks.hpp"
#include "slab/agreement.hpp"
#include "slab/mpi_ranks.hpp"

int main(int argc, char** argv) {
    using namespace psflip;
    MpiSession session(launch());
    Ranks& ranks = session.ranks();
    const std::string argument = argc > 1 ? argv[1] : "100000";
    if (argument == "fail" && ranks.rank() == 1) ranks.abort(9);
    const std::string wrong = argument == "fail"
                                  ? (ranks.barrier(), "no abort")
                                  : wrong_of(ranks, std::strtoull(argument.c_str(), nullptr, 10));
    if (!wrong.empty()) {
        std::fprintf(stderr, "%s: wrong: %s\n", rank_text(ranks).c_str(), wrong.c_str());
        ranks.abort(1);
    }
    if (ranks.is_first()) std::printf("%d ranks are right\n", ranks.size());
    return 0;
}
