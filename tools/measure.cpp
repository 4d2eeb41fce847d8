// measure: computes thermal averages, errors and verdicts on equilibrium from run files.
#include "common/program.hpp"
#include "io/schema.hpp"
#include "statistics/thermal/analyse_run.hpp"

using namespace psflip;
using namespace psflip::tools;

int main(int argc, char** argv) {
    AnalyseOptions work;
    const auto complete = [&work](const ProgramContext& context) {
        work.out = context.out;
        work.force = context.force;
        work.backend = context.backend;
        work.provenance = context.provenance;
    };
    const ProgramInfo info = {.name = "measure",
                              .purpose =
                                  "Computes thermal averages, errors and autocorrelation times of each "
                                  "realization of a batch. Decides whether each realization is "
                                  "equilibrated.",
                              .writes = schema::observables,
                              .long_running = false};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.input(options.required("--disorder", work.disorder, "couplings of the batch"));
            options.input(
                options.required("--run", work.runs, "consecutive run files of the batch, in any order"));
            options.flag("--from-snapshots", work.from_snapshots,
                         "compute averages from the snapshots in the run files, not from the stored sums");
        },
        [&](const ProgramContext& context) {
            complete(context);
            analyse_run(context.config, context.parameters, work);
        },
        [&](const ProgramContext& context) {
            complete(context);
            check_analyse_run(context.parameters, work);
        });
}
