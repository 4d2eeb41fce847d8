#include "run/run.hpp"

#include "common/program.hpp"

using namespace psflip;
using namespace psflip::tools;

int main(int argc, char** argv) {
    std::string disorder, state, state_out;
    const ProgramInfo info = {.name = "pt-run",
                              .purpose =
                                  "Goes on from a state for run.sweeps sweeps with replica exchange and "
                                  "measurements, and writes what it "
                                  "measured and, for the next chunk, the state it ends in."};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.required("--disorder", disorder, "couplings, those of the state")->type_name("FILE");
            options.required("--state", state, "where to start: from thermalize or an earlier pt-run")
                ->type_name("FILE");
            options.optional("--state-out", state_out, "state at the end, for the next pt-run")
                ->type_name("FILE");
        },
        [&](const ProgramContext& context) {
            pt_run(context.parameters, disorder, state, context.out, state_out,
                   {context.backend, progress_mode(context.progress), context.provenance});
        });
}
