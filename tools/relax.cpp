// relax: makes sweeps at fixed or changing temperatures without exchange, and measures off equilibrium.
#include "common/program.hpp"
#include "io/schema.hpp"
#include "run/run.hpp"

using namespace psflip;
using namespace psflip::tools;

int main(int argc, char** argv) {
    std::string disorder, state, state_out;
    const ProgramInfo info = {
        .name = "relax",
        .purpose =
            "Follows a batch of realizations from random spins, from spins all up, or from a state, through "
            "sweeps at fixed or changing temperatures without exchange, and writes what it measures at times "
            "on a "
            "logarithmic grid.",
        .writes = schema::relaxation,
        .several_ranks = true};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.input(
                options.required("--disorder", disorder, "couplings, made by gen-disorder or by hand"));
            options.input(options.optional(
                "--state", state,
                "where to continue: from an earlier relax, or the start with relax.start = state"));
            options.output(options.optional("--state-out", state_out, "state at the end, for later times"),
                           schema::state);
        },
        [&](const ProgramContext& context) {
            relax(context.parameters, disorder, state, context.out, state_out, context.run_options());
        },
        [&](const ProgramContext& context) {
            check_relax(context.parameters, disorder, state, context.out, state_out, context.run_options());
        });
}
