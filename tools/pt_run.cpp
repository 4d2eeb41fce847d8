// pt-run: makes measured sweeps with parallel tempering. With --tune-ladder it proposes temperatures instead.
#include "common/existing_output.hpp"
#include "common/program.hpp"
#include "io/schema.hpp"
#include "run/run.hpp"
#include "tuning/tune_ladder.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Options {
    std::string disorder, state, state_out, numbers;
    std::int64_t until = 0;
    bool tune_ladder = false;
    TuneOptions tune;
};

void declare_run(ProgramOptions& options, Options& given) {
    options.input(
        options.required_unless("--tune-ladder", "--state", given.state,
                                "state from thermalize or an earlier pt-run, from which this run starts"));
    options
        .output(options.optional("--state-out", given.state_out,
                                 "output file for the final state, from which another pt-run can continue"),
                schema::state)
        .excludes("--tune-ladder");
    options
        .optional(
            "--until", given.until,
            "number of measured sweeps at the end of this run: run.sweeps, multiplied or divided by a power "
            "of two. 0: run.sweeps, or twice the measured sweeps of a state that has reached run.sweeps")
        .check(in_range(std::int64_t{0}, std::int64_t{1} << 47))
        .excludes("--tune-ladder")
        .type_name("N");
}

void declare_tuning(ProgramOptions& options, Options& given) {
    options
        .flag("--feedback", given.tune.feedback,
              "after equalising acceptances, shift the temperatures to increase the number of round trips")
        .needs("--tune-ladder");
    options
        .optional(
            "--target-acceptance", given.tune.target_acceptance,
            "fraction of accepted exchanges of neighbouring temperatures; sets the number of temperatures")
        .check(number_from(0.01, 0.95))
        .needs("--tune-ladder")
        .type_name("A");
    options.optional("--count", given.tune.count, "number of temperatures; 0: from --target-acceptance")
        .check(in_range(2, 64))
        .needs("--tune-ladder")
        .excludes("--target-acceptance")
        .type_name("N");
    options
        .optional("--tune-sweeps", given.tune.sweeps,
                  "number of measured sweeps per ladder, after the same number of sweeps from random spins")
        .check(in_range(std::int64_t{100}, std::int64_t{1} << 40))
        .needs("--tune-ladder")
        .type_name("N");
    options
        .output(options.optional("--numbers", given.numbers,
                                 "output file for the measurements on every ladder, for plots (HDF5)"),
                schema::ladder)
        .needs("--tune-ladder");
}

}  // namespace

int main(int argc, char** argv) {
    Options given;
    const ProgramInfo info = {
        .name = "pt-run",
        .purpose =
            "Continues a state with sweeps, exchanges of temperatures and measurements. Writes the "
            "measurements and the final state. With --tune-ladder, proposes temperatures between the lowest "
            "and the highest temperature of the study from short runs, and writes them to --out as YAML.",
        .writes = schema::run,
        .several_ranks = true};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.input(options.required("--disorder", given.disorder, "couplings of the state"));
            options.flag("--tune-ladder", given.tune_ladder,
                         "propose temperatures from short runs on these couplings");
            options.writes(text_kind::temperatures, "--tune-ladder");
            options.one_rank("--tune-ladder");
            declare_run(options, given);
            declare_tuning(options, given);
        },
        [&](const ProgramContext& context) {
            const RunOptions run = context.run_options();
            if (given.tune_ladder)
                tune_ladder_program(context.parameters, given.disorder, context.out, given.numbers,
                                    given.tune, run);
            else
                pt_run(context.parameters, given.disorder, given.state, context.out, given.state_out,
                       given.until, run);
        },
        [&](const ProgramContext& context) {
            const RunOptions run = context.run_options();
            if (given.tune_ladder)
                check_tune_ladder(context.parameters, given.disorder, context.out, given.numbers, run);
            else
                check_pt_run(context.parameters, given.disorder, given.state, context.out, given.state_out,
                             given.until, run);
        });
}
