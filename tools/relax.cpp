// relax: makes sweeps at fixed or changing temperatures without exchange, and measures off equilibrium.
#include "common/program.hpp"
#include "io/schema.hpp"
#include "run/run.hpp"

using namespace psflip;
using namespace psflip::tools;

int main(int argc, char** argv) {
    std::string disorder, state, state_out;
    const ProgramInfo info = {.name = "relax",
                              .purpose =
                                  "Simulates a batch of realizations at fixed or changing temperatures, "
                                  "without exchange. Starts from random spins, from spins all up, or from a "
                                  "state. Measures at times on a logarithmic grid or in equal steps.",
                              .writes = schema::relaxation,
                              .several_ranks = true};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.input(
                options.required("--disorder", disorder, "couplings, from gen-disorder or your own"));
            options.input(options.optional(
                "--state", state,
                "state of an earlier relax to continue, or the initial state if relax.start = state"));
            options.output(
                options.optional("--state-out", state_out,
                                 "output file for the final state, from which another relax can continue"),
                schema::state);
        },
        [&](const ProgramContext& context) {
            relax(context.parameters, disorder, state, context.out, state_out, context.run_options());
        },
        [&](const ProgramContext& context) {
            check_relax(context.parameters, disorder, state, context.out, state_out, context.run_options());
        });
}
