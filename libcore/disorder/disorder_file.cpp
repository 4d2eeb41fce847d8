#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "disorder/couplings.hpp"
#include "io/file.hpp"
#include "io/older_file.hpp"
#include "io/schema.hpp"
#include "random/purposes.hpp"

namespace psflip {
namespace {

std::vector<std::int64_t> couplings_shape(std::int64_t count, int L) {
    return {count, 3, L, L, L};
}

DatasetInfo disorder_dataset(const std::string& name) {
    constexpr DatasetRow rows[] = {{schema::couplings, "J",
                                    "Couplings, +1 or -1, of bonds to the neighbours in +x, +y and +z.",
                                    "realization, direction, z, y, x"}};
    return row_named(rows, name);
}

OutputFile start_file(const std::string& path, std::int64_t first, std::int64_t count, int L,
                      const Provenance& provenance) {
    OutputFile file(path, schema::disorder, provenance, disorder_dataset);
    file.attribute(schema::first_realization, first);
    file.attribute(schema::realizations, count);
    file.attribute(schema::size, std::int64_t{L});
    return file;
}

/// The message for a shape other than (R, 3, L, L, L); the commonest mistakes have their own words.
void check_couplings_shape(const std::string& path, const std::vector<std::int64_t>& shape, int L) {
    const bool lattice =
        shape.size() == 5 && shape[0] > 0 && shape[1] == 3 && shape[2] == shape[3] && shape[3] == shape[4];
    if (lattice && shape[2] == L) return;
    if (lattice) {
        throw InputError(
            fmt::format("{}: holds couplings for L = {}, but L = {} is asked for; take the disorder file of "
                        "L = {}, or --L {}",
                        path, shape[2], L, L, shape[2]));
    }
    std::string text;
    for (const std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
    throw InputError(fmt::format(
        "{}: dataset {} has shape ({}), (R, 3, {}, {}, {}) is needed: realization (at least one), "
        "direction, z, y, x",
        path, schema::couplings, text, L, L, L));
}

void check_values(const std::string& path, const Disorder& disorder) {
    const auto& couplings = disorder.couplings;
    const auto wrong =
        std::find_if(couplings.begin(), couplings.end(), [](std::int8_t j) { return j != 1 && j != -1; });
    if (wrong == couplings.end()) return;
    const std::int64_t L = disorder.L, index = wrong - couplings.begin(), site = index % (L * L * L);
    const std::int64_t direction = index / (L * L * L) % 3, realization = index / (3 * L * L * L);
    throw InputError(fmt::format(
        "{}: dataset {} holds {} at [{}, {}, {}, {}, {}] (realization, direction, z, y, x); {}", path,
        schema::couplings, static_cast<int>(*wrong), realization, direction, site / (L * L), site / L % L,
        site % L,
        *wrong == 0 ? "0 (an absent bond) is not supported by the model edwards-anderson: use +1 and -1 only"
                    : "couplings are +1 or -1"));
}

/// The root attributes L and realizations, where the file has them, are those of the couplings.
void check_attributes(const InputFile& file, const Disorder& disorder) {
    const auto check = [&file](const char* name, std::int64_t wanted) {
        using Any = std::numeric_limits<std::int64_t>;
        if (!file.has_attribute(name)) return;
        const std::int64_t found = file.integer_attribute(name, Any::min(), Any::max());
        if (found != wanted)
            throw InputError(fmt::format("{}: root attribute {} = {} contradicts dataset {}, which has {}",
                                         file.path(), name, found, schema::couplings, wanted));
    };
    check(schema::size, disorder.L);
    check(schema::realizations, disorder.count);
}

}  // namespace

void check_older_disorder(const std::string& path, const CouplingsLaw& law, std::int64_t first,
                          std::int64_t count) {
    const auto lines = [](auto L, auto seed, double p_ferro, std::int64_t from, std::int64_t number) {
        return fmt::format("L: {}\nseed: {}\np_ferro: {}\nfirst_realization: {}\nrealizations: {}\n", L, seed,
                           p_ferro, from, number);
    };
    check_older_file(path, schema::disorder, [&](const InputFile& file) {
        if (!file.has_attribute(schema::seed))
            return std::string("its couplings were not drawn by gen-disorder");
        const std::int64_t L = file.integer_attribute(schema::size, 1, max_sites),
                           from = file.integer_attribute(schema::first_realization, 0, max_packs - 1);
        return other_lines(
            lines(L, file.unsigned_attribute(schema::seed), file.real_attribute(schema::p_ferro, 0.0, 1.0),
                  from, file.shape(schema::couplings).at(0)),
            lines(law.L, law.seed, law.p_ferro, first, count));
    });
}

void write_disorder(const std::string& path, const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                    const Provenance& provenance, int threads) {
    check_couplings_law(law, first, count);
    constexpr std::int64_t piece_bytes = std::int64_t{64} << 20;
    const std::int64_t bonds = std::int64_t{3} * law.L * law.L * law.L;
    const std::int64_t piece = std::max<std::int64_t>(1, piece_bytes / bonds);
    OutputFile file = start_file(path, first, count, law.L, provenance);
    file.attribute(schema::seed, law.seed);
    file.attribute(schema::p_ferro, law.p_ferro);
    file.create<std::int8_t>(schema::couplings, couplings_shape(count, law.L));
    for (std::int64_t done = 0; done < count; done += piece) {
        const std::int64_t rows = std::min(piece, count - done);
        file.write_rows(schema::couplings, done, rows,
                        generate_couplings(law, first + done, rows, threads).data());
    }
    file.commit();
}

void write_disorder(const std::string& path, const Disorder& disorder, const Provenance& provenance) {
    OutputFile file = start_file(path, disorder.first, disorder.count, disorder.L, provenance);
    file.write(schema::couplings, couplings_shape(disorder.count, disorder.L), disorder.couplings);
    file.commit();
}

Disorder read_disorder(const std::string& path, int L, int share) {
    const InputFile file(path, schema::disorder);
    Disorder disorder;
    disorder.L = L;
    disorder.first = file.integer_attribute(schema::first_realization, 0, max_packs - 1);
    try {
        check_first_realization(disorder.first, share);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: attribute {}: {}", path, schema::first_realization, error.what()));
    }
    const std::vector<std::int64_t> shape = file.shape(schema::couplings);
    check_couplings_shape(path, shape, L);
    disorder.count = shape[0];
    if (disorder.first > max_packs - disorder.count) {
        throw InputError(fmt::format("{}: holds realizations {} to {}, beyond the last possible number {}",
                                     path, disorder.first, disorder.first + disorder.count - 1,
                                     max_packs - 1));
    }
    check_attributes(file, disorder);
    disorder.couplings = file.read<std::int8_t>(schema::couplings).data;
    check_values(path, disorder);
    if (file.has_attribute(schema::seed)) disorder.seed = file.unsigned_attribute(schema::seed);
    if (file.has_attribute(schema::p_ferro))
        disorder.p_ferro = file.real_attribute(schema::p_ferro, 0.0, 1.0);
    return disorder;
}

}  // namespace psflip
