#include "run/run.hpp"

#include "common/program.hpp"

using namespace psflip;
using namespace psflip::tools;

int main(int argc, char** argv) {
    std::string disorder, state, state_out;
    std::int64_t until = 0;
    const ProgramInfo info = {.name = "pt-run",
                              .purpose =
                                  "Goes on from a state with sweeps, replica exchange and measurements, and "
                                  "writes what it measured and, for the next run, the state it ends in."};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.required("--disorder", disorder, "couplings, those of the state")->type_name("FILE");
            options.required("--state", state, "where to start: from thermalize or an earlier pt-run")
                ->type_name("FILE");
            options.optional("--state-out", state_out, "state at the end, for the next pt-run")
                ->type_name("FILE");
            options
                .optional("--until", until,
                          "measured sweeps, counted from the end of thermalization, at which this run ends: "
                          "run.sweeps times or divided by a power of two; 0: run.sweeps, or twice the sweeps "
                          "of the state where it is past that")
                ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 47))
                ->type_name("N");
        },
        [&](const ProgramContext& context) {
            pt_run(context.parameters, disorder, state, context.out, state_out, until,
                   {context.backend, progress_mode(context.progress), context.provenance});
        });
}
