#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/log.hpp"
#include "disorder/couplings.hpp"
#include "disorder/model_attributes.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

constexpr double most_deviations = 5.0;

template <class T>
void check_attribute(const std::string& path, const char* name, const std::optional<T>& told, const char* key,
                     T wanted) {
    if (!told || *told == wanted) return;
    throw InputError(fmt::format(
        "{} has {} = {}, but the configuration has {} = {}; give the configuration that the couplings were "
        "drawn "
        "with, draw others with gen-disorder, or remove the attribute: they then count as couplings by hand",
        path, name, *told, key, wanted));
}

void check_told_model(const std::string& path, const Disorder& disorder, const CouplingsLaw& law) {
    if (!disorder.model) return;
    const std::string different = model_difference(*disorder.model, law.model);
    if (different.empty()) return;
    throw InputError(fmt::format(
        "{} was drawn for another model: {}; give the configuration that the couplings were drawn with, or "
        "draw others with gen-disorder",
        path, different));
}

}  // namespace

std::string couplings_origin(const std::string& path, const Disorder& disorder, const CouplingsLaw& law) {
    check_attribute(path, schema::seed, disorder.seed, "seed", law.seed);
    check_attribute(path, schema::p_ferro, disorder.p_ferro, "model.p_ferro", law.model.p_ferro);
    check_told_model(path, disorder, law);
    if (disorder.drawn) return {};
    const double p_ferro = law.model.kind == ModelKind::ferromagnet ? 1.0 : law.model.p_ferro;
    const auto positive = static_cast<double>(disorder.positive),
               bonds = positive + static_cast<double>(disorder.negative);
    const double excess = std::fabs(positive - bonds * p_ferro);
    const double deviation = std::sqrt(bonds * p_ferro * (1.0 - p_ferro));
    const std::string fraction = fmt::format("{:.4g}% of the couplings are +1", 100.0 * positive / bonds);
    if (bonds == 0.0 || excess <= most_deviations * deviation) {
        std::string found = bonds == 0.0 ? "by hand, without any bond" : "by hand, " + fraction;
        spdlog::info("{}: couplings {}; files made from them say so", path, found);
        return found;
    }
    const std::string unlikely =
        deviation > 0.0 ? fmt::format(" ({:.3g} standard deviations)", excess / deviation) : "";
    const std::string found = fmt::format("{} where model.p_ferro is {}{}", fraction, p_ferro, unlikely);
    spdlog::warn(
        "{}: couplings by hand, and {}; give the model.p_ferro that they have; files made from them say so",
        path, found);
    return "by hand, " + found;
}

}  // namespace psflip
