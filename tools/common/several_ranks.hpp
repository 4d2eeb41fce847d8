#pragma once

#include <string>

#include "common/program.hpp"
#include "slab/mpi_ranks.hpp"

namespace psflip::tools {

/// Why a program must not start as the launcher wants; empty: it may.
std::string refusal(const ProgramInfo& info, const Launch& launch);

/// InputError on all ranks where one of them has another program, configuration or command line. Collective.
void check_same_call(Ranks& ranks, const ProgramContext& context);

/// Gives ranks of one machine their share of it: each its own device, in turn, unless one was chosen, and of
/// cores that several may use, their part, unless a number of threads was chosen. Collective.
void share_machine(Ranks& ranks, BackendChoice& backend, bool device_chosen);

}  // namespace psflip::tools
