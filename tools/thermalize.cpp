// thermalize: starts from random spins and makes the sweeps that are not measured.
#include "run/run.hpp"

#include "common/program.hpp"
#include "io/schema.hpp"

using namespace psflip;
using namespace psflip::tools;

int main(int argc, char** argv) {
    std::string disorder;
    const ProgramInfo info = {
        .name = "thermalize",
        .purpose =
            "Simulates a batch of realizations from random spins for thermalize.sweeps sweeps, with "
            "exchanges of temperatures. Writes the state from which pt-run starts.",
        .writes = schema::state,
        .several_ranks = true};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.input(
                options.required("--disorder", disorder, "couplings, from gen-disorder or your own"));
        },
        [&](const ProgramContext& context) {
            thermalize(context.parameters, disorder, context.out, context.run_options());
        },
        [&](const ProgramContext& context) {
            check_thermalize(context.parameters, disorder, context.out, context.run_options());
        });
}
