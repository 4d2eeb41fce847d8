#include <algorithm>

#include "reference/cases.hpp"

namespace psflip::reference {

namespace {

/// Names the first differing element of an array with the given axes (name, extent; the first may be open).
struct Axis {
    const char* name;
    std::int64_t extent;
};

template <class T>
std::string first_difference(const std::string& what, const std::vector<T>& found,
                             const std::vector<T>& wanted, const std::vector<Axis>& axes) {
    if (found.size() != wanted.size())
        return what + ": " + std::to_string(found.size()) + " elements, expected " +
               std::to_string(wanted.size());
    std::int64_t differing = 0, first = -1;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != wanted[i]) {
            if (first < 0) first = static_cast<std::int64_t>(i);
            ++differing;
        }
    if (first < 0) return "";
    std::string where;
    std::int64_t rest = first;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        where = std::string(axis->name) + " " + std::to_string(rest % axis->extent) +
                (where.empty() ? "" : ", ") + where;
        rest /= axis->extent;
    }
    return what + ": " + std::to_string(differing) + " of " + std::to_string(found.size()) +
           " differ, first at " + where + ": " + std::to_string(found[first]) + ", expected " +
           std::to_string(wanted[first]);
}

std::string sums_difference(const World& world, const Accumulators& found, const Accumulators& wanted) {
    std::string text;
    for (const SumInfo& row : sum_table) {
        if (!text.empty()) break;
        const auto i = static_cast<int>(row.sum);
        const std::vector<Axis> axes = {{"bin", found.bins},
                                        {"component", std::max(1, found.components(row.sum))},
                                        {"slot", world.slots()},
                                        {"realization", world.realizations}};
        text = first_difference(row.name, found.integers[i], wanted.integers[i], axes);
        if (text.empty()) text = first_difference(row.name, found.reals[i], wanted.reals[i], axes);
    }
    if (text.empty()) text = first_difference("count", found.count, wanted.count, {{"bin", found.bins}});
    const std::vector<Axis> counts = {
        {"slot", world.slots()}, {"bin", found.histogram_bins}, {"realization", world.realizations}};
    if (text.empty()) text = first_difference("histogram", found.histogram, wanted.histogram, counts);
    if (text.empty())
        text = first_difference("link_histogram", found.link_histogram, wanted.link_histogram, counts);
    const std::vector<Axis> coldest = {
        {"bin", found.bins}, {"replica", world.replicas}, {"realization", world.realizations}};
    if (text.empty())
        text = first_difference("lowest_energy", found.lowest_energy, wanted.lowest_energy, coldest);
    if (text.empty())
        text = first_difference("lowest_count", found.lowest_count, wanted.lowest_count, coldest);
    if (text.empty() && !(found == wanted)) text = "accumulators: sizes differ";
    return text;
}

}  // namespace

std::string difference(const Case& which, const Result& found, const Result& wanted) {
    const World& w = which.world;
    const std::int64_t R = w.realizations, T = w.slots(), P = std::max<std::int64_t>(1, T - 1);
    const TemperingState &f = found.tempering, &e = wanted.tempering;
    std::string text =
        first_difference("spins", found.spins, wanted.spins,
                         {{"realization", R}, {"replica", w.replicas}, {"slot", T}, {"site", w.sites()}});
    const std::vector<Axis> lattices = {{"realization", R}, {"replica", w.replicas}, {"slot", T}};
    const auto then = [&](const auto& next) {
        if (text.empty()) text = next();
    };
    then([&] {
        return first_difference("energies", found.energies, wanted.energies,
                                {{"replica", w.replicas}, {"slot", T}, {"realization", R}});
    });
    then([&] {
        return first_difference("magnetisations", found.magnetisations, wanted.magnetisations,
                                {{"replica", w.replicas}, {"slot", T}, {"realization", R}});
    });
    then([&] { return first_difference("walker", f.walker, e.walker, lattices); });
    then([&] { return first_difference("last_end", f.last_end, e.last_end, lattices); });
    then([&] {
        return first_difference("accepted", f.accepted, e.accepted,
                                {{"realization", R}, {"replica", w.replicas}, {"pair", P}});
    });
    then([&] { return first_difference("attempted", f.attempted, e.attempted, {{"pair", P}}); });
    then([&] {
        return first_difference("round_trips", f.round_trips, e.round_trips,
                                {{"realization", R}, {"replica", w.replicas}});
    });
    then([&] { return sums_difference(w, found.sums, wanted.sums); });
    return text.empty() ? text : which.name + ": " + text;
}

}  // namespace psflip::reference
