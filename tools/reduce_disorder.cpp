// reduce-disorder: computes disorder averages from observables files.
#include "common/existing_output.hpp"
#include "common/program.hpp"
#include "io/path_list.hpp"
#include "io/schema.hpp"
#include "statistics/reduce/reduce.hpp"

using namespace psflip;
using namespace psflip::tools;

int main(int argc, char** argv) {
    std::string csv, list;
    std::vector<std::string> observables;
    const ProgramInfo info = {.name = "reduce-disorder",
                              .purpose =
                                  "Averages energy, Binder ratio, correlation length and other quantities "
                                  "over the disorder. Writes jackknife errors and samples.",
                              .one_size = false,
                              .writes = schema::reduced,
                              .uses_backend = false,
                              .long_running = false};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.output(options.required("--csv", csv, "output file for the table of results"),
                           text_kind::results);
            options
                .input_list(
                    options.optional("--files-from", list,
                                     "text file with one path of an observables file per line, relative to "
                                     "the working directory; use it if a command line is too short"))
                .default_str("");
            options.input(options.required_unless("--files-from", "observables", observables,
                                                  "observables files of all batches and sizes"));
        },
        [&](const ProgramContext& context) {
            if (!list.empty()) observables = read_path_list(list);
            reduce_disorder(context.config, observables, context.out, csv, context.provenance, context.force,
                            context.backend.threads);
        },
        [&](const ProgramContext& context) {
            if (!list.empty()) observables = read_path_list(list);
            check_reduce_disorder(context.config, observables, context.out, csv, context.force,
                                  context.backend.threads);
        });
}
