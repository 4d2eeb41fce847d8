// gen-disorder: draws the couplings of a batch of realizations (for vector spins, the species) and writes a
// disorder file.
#include <fmt/format.h>
#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "common/program.hpp"
#include "config/checks.hpp"
#include "disorder/couplings.hpp"
#include "disorder/occupation.hpp"
#include "disorder/real_couplings.hpp"
#include "io/schema.hpp"

namespace {

using namespace psflip;

/// Returns the default of --count: a whole batch, or the rest of the study if this is smaller.
std::int64_t default_count(const Config& config, std::int64_t first) {
    if (first >= config.disorder.realizations) {
        throw InputError(
            fmt::format("--first {} is beyond the study: disorder.realizations = {}; raise it, or give "
                        "--count as well",
                        first, config.disorder.realizations));
    }
    return std::min(config.disorder.batch, config.disorder.realizations - first);
}

struct Batch {
    Parameters parameters;
    CouplingsLaw law;
    std::int64_t first, count;
};

/// Returns the batch of the call after all checks. If no size is chosen, it has the smallest size, for
/// --validate.
Batch checked_batch(const tools::ProgramContext& context, std::int64_t first, std::int64_t count) {
    const Config& config = context.config;
    if (config.disorder.source == DisorderSource::files && !context.out.empty())
        refuse_key(config, "disorder.source",
                   "leaves gen-disorder without work; give your files to the workflow (psflip run STUDY "
                   "--couplings FOLDER), or to thermalize, pt-run and measure");
    check_first_realization(first, config.multispin.share);
    if (count == 0) count = default_count(config, first);
    const bool chosen = context.L != 0;
    const int L = chosen ? context.L : config.sizes.front();
    Parameters parameters = parameters_for(config, L);
    const CouplingsLaw law{config.seed, model_of(parameters), L};
    check_couplings_law(law, first, count);
    const bool checked = !context.force && chosen && !context.out.empty();
    if (checked && parameters.model.has_vectors())
        check_existing_occupation(context.out, occupation_law(parameters), first, count);
    else if (checked && parameters.model.gaussian())
        check_existing_real_couplings(context.out, gaussian_law(parameters), first, count);
    else if (checked)
        check_existing_disorder(context.out, law, first, count);
    return {std::move(parameters), law, first, count};
}

void generate(const tools::ProgramContext& context, const Batch& batch) {
    const auto& [parameters, law, first, count] = batch;
    if (parameters.model.has_vectors())
        write_occupation(context.out, occupation_law(parameters), first, count, context.provenance,
                         context.backend.threads);
    else if (parameters.model.gaussian())
        write_real_couplings(context.out, gaussian_law(parameters), first, count, context.provenance,
                             context.backend.threads);
    else
        write_disorder(context.out, law, first, count, context.provenance, context.backend.threads);
    spdlog::info("{}: L = {}, realizations {} to {}", context.out, law.L, first, first + count - 1);
}

}  // namespace

int main(int argc, char** argv) {
    std::int64_t first = 0, count = 0;
    return tools::run_program(
        argc, argv,
        {.name = "gen-disorder",
         .purpose = "Draws the couplings of a batch of disorder realizations and writes them to a file.",
         .writes = schema::disorder,
         .uses_backend = false,
         .long_running = false},
        [&](tools::ProgramOptions& options) {
            options.optional("--first", first,
                             "number of the first realization, a multiple of max(multispin.share, 32)");
            options
                .optional(
                    "--count", count,
                    "number of realizations (default: disorder.batch, or the realizations left in the study)")
                .check(tools::whole_number_from(1));
        },
        [&](const tools::ProgramContext& context) {
            generate(context, checked_batch(context, first, count));
        },
        [&](const tools::ProgramContext& context) { checked_batch(context, first, count); });
}
