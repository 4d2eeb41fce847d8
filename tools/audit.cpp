// audit: runs a part of a finished run again, on another backend, and compares every bit.
#include "audit/audit.hpp"

#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "common/existing_output.hpp"
#include "common/program.hpp"

#include "io/file.hpp"
#include "io/schema.hpp"
#include "word/simd_level.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

/// Makes a rerun on a CPU use another SIMD level than the run, unless PSFLIP_SIMD is set.
void take_other_instructions(const std::string& run) try {
    const InputFile file(run, "run");
    const std::string attribute = std::string(schema::provenance) + "@backend";
    if (std::getenv("PSFLIP_SIMD") != nullptr || !file.has_attribute(attribute)) return;
    const std::string backend = file.text_attribute(attribute);  // "cpu avx512, 2 threads"
    for (SimdLevel level : {SimdLevel::avx512, SimdLevel::avx2, SimdLevel::scalar})
        if (backend.starts_with(std::string("cpu ") + name(level)))
            setenv("PSFLIP_SIMD", name(level_other_than(level)), 0);
} catch (const InputError&) {
    // The audit reports what is wrong with the file.
}

}  // namespace

int main(int argc, char** argv) {
    AuditFiles files;
    AuditChoice choice;
    std::int64_t first = -1;
    const ProgramInfo info = {
        .name = "audit",
        .purpose =
            "Repeats a part of a run from its initial state on the chosen backend. Compares all sums and, if "
            "given, the final state bit for bit. The exit code is 1 if a bit differs. If a CPU made the run "
            "and a CPU repeats it, audit uses another instruction set, unless PSFLIP_SIMD chooses one.",
        .writes = text_kind::audit};
    return run_program(
        argc, argv, info,
        [&](ProgramOptions& options) {
            options.input(options.required("--disorder", files.disorder, "couplings of the batch"));
            options.input(options.required("--state", files.state, "initial state of the run"));
            options.input(options.required("--run", files.run, "run file"));
            options.input(options.optional("--end-state", files.end_state,
                                           "final state of the run, to compare it as well"));
            options
                .optional("--first", first,
                          "first realization of the part; default: audit draws 128 consecutive realizations")
                .check(whole_number_from(0))
                .default_str("")
                .type_name("R");
            options
                .optional("--count", choice.count,
                          "number of realizations, a multiple of 32 and of multispin.share; 0: 128, or all "
                          "up to the end of the batch")
                .check(whole_number_from(0))
                .needs("--first")
                .type_name("N");
            options.optional("--sample-seed", choice.seed, "seed of the draw of realizations").type_name("S");
        },
        [&](const ProgramContext& context) {
            if (first >= 0) choice.first = first;
            take_other_instructions(files.run);
            const AuditResult result =
                audit(context.parameters, files, choice, context.out, context.run_options());
            if (result.differences > 0) throw InputError(difference_text(result) + "; see " + context.out);
            const auto backend = result.provenance.find("backend");  // missing if the file has no /provenance
            spdlog::info("{}: realizations {} to {}, sweeps {} to {}: {} values are the same on {} and on {}",
                         result.files.run, result.first_realization,
                         result.first_realization + result.realizations - 1, result.first_sweep,
                         result.last_sweep, result.values,
                         backend != result.provenance.end() ? backend->second : "an unknown backend",
                         result.rerun.at("backend"));
        },
        [&](const ProgramContext& context) {
            if (first >= 0) choice.first = first;
            check_audit(context.parameters, files, choice, context.out, context.run_options());
        });
}
