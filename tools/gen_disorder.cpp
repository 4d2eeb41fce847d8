// gen-disorder: draws the couplings of a batch of realizations and writes a disorder file.
#include <fmt/format.h>
#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "common/program.hpp"
#include "disorder/couplings.hpp"
#include "io/schema.hpp"

namespace {

using namespace psflip;

/// The number of realizations where --count is not given: a batch, or what the study has left.
std::int64_t default_count(const Config& config, std::int64_t first) {
    if (first >= config.realizations) {
        throw InputError(
            fmt::format("--first {} is beyond the study: disorder.realizations = {}; raise it, or give "
                        "--count as well",
                        first, config.realizations));
    }
    return std::min(config.batch, config.realizations - first);
}

void generate(const tools::ProgramContext& context, std::int64_t first, std::int64_t count) {
    check_first_realization(first, context.parameters.share);
    if (count == 0) count = default_count(context.config, first);
    const CouplingsLaw law{context.parameters.seed, context.parameters.p_ferro, context.L};
    if (!context.force) check_older_disorder(context.out, law, first, count);
    write_disorder(context.out, law, first, count, context.provenance, context.backend.threads);
    spdlog::info("{}: L = {}, realizations {} to {}", context.out, law.L, first, first + count - 1);
}

}  // namespace

int main(int argc, char** argv) {
    std::int64_t first = 0, count = 0;
    return tools::run_program(
        argc, argv,
        {.name = "gen-disorder",
         .purpose = "Draws the couplings of a batch of disorder realizations.",
         .writes = schema::disorder,
         .uses_backend = false,
         .long_running = false},
        [&](tools::ProgramOptions& options) {
            options
                .optional("--first", first,
                          "number of the first realization, a multiple of max(multispin.share, 32)")
                ->capture_default_str();
            options
                .optional("--count", count,
                          "number of realizations (default: disorder.batch, or fewer where the study ends)")
                ->check(CLI::PositiveNumber);
        },
        [&](const tools::ProgramContext& context) { generate(context, first, count); });
}
