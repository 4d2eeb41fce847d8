#include "run/memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "config/limits.hpp"
#include "lattice/site_bits.hpp"
#include "measure/slab_lines.hpp"
#include "model/model.hpp"
#include "sweep/replicas/replica_layout.hpp"

namespace psflip {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

/// Returns the number after `key` in a file of lines "key value ..."; -1 if there is none.
double number_after(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word;
        double number = 0.0;
        if (words >> word && word == key && words >> number) return number;
    }
    return -1.0;
}

double machine_memory() {
    const double kibibytes = number_after("/proc/meminfo", "MemAvailable:");
    return kibibytes < 0.0 ? unlimited : 1024.0 * kibibytes;
}

double address_space() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    const double used = 1024.0 * std::max(0.0, number_after("/proc/self/status", "VmSize:"));
    return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

/// Returns what a control group (version 2) still allows. File cache counts as free.
double group_memory(const std::string& folder) {
    double max = 0.0, used = 0.0;
    if (!(std::ifstream(folder + "/memory.max") >> max) ||
        !(std::ifstream(folder + "/memory.current") >> used))
        return unlimited;  // no such group, or "max"
    return std::max(0.0, max - used + std::max(0.0, number_after(folder + "/memory.stat", "inactive_file")));
}

double control_groups() {
    double least = unlimited;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (line.rfind("0::", 0) != 0) continue;
        for (std::string path = line.substr(3);; path.erase(path.rfind('/'))) {
            least = std::min(least, group_memory("/sys/fs/cgroup" + path));
            if (path.empty() || path.rfind('/') == std::string::npos) break;
        }
    }
    return least;
}

double bytes_of_accumulators(const MemoryNeeds& needs) {
    const Shape& s = needs.shape;
    double per_bin = 0.0;
    for (const SumInfo& sum : sum_table)
        if (sum.of(needs.measured)) per_bin += 8.0 * components_of(sum.per, s.replicas, needs.measured);
    const double coldest = 16.0 * s.replicas;
    return static_cast<double>(s.realizations) *
           (s.temperatures * (needs.bins * per_bin + 8.0 * needs.histogram_bins) + needs.bins * coldest);
}

/// Vector spins lie on the backend, and twice as doubles on the way to or from it. Species lie there twice.
double bytes_of_vectors(const MemoryNeeds& needs) {
    const Shape& s = needs.shape;
    const double numbers = static_cast<double>(s.spin_words()),
                 held = s.held_planes() / double(s.own_planes());
    const double bytes = s.form == SpinForm::doubles ? 8.0 : 4.0;
    const double species = static_cast<double>(s.realizations) * static_cast<double>(s.held_sites());
    return numbers * (held * bytes + 2.0 * 8.0 + 8.0 * static_cast<double>(needs.snapshots)) +
           2.0 * species * bytes + 2.0 * bytes_of_accumulators(needs);
}

/// Ising spins with real couplings: on the backend each lattice has its own spins and couplings. On the way
/// to files and measurements there is a double per spin. Words are in canonical form and in the order of
/// measurements, couplings of whole lattices as read and of held planes as doubles.
double bytes_of_real_couplings(const MemoryNeeds& needs) {
    const Shape& s = needs.shape;
    const double sites = static_cast<double>(s.held_sites()), lattices = double(s.replicas) * s.temperatures;
    const double realizations = static_cast<double>(s.realizations);
    const double words = 8.0 * static_cast<double>(s.packs64()) * lattices * sites;
    const double number = needs.double_precision ? 8.0 : 4.0;
    const double couplings = 8.0 * s.dimension * (sites + static_cast<double>(s.sites()));
    return realizations * (sites * lattices * (number * (1 + s.dimension) + 8.0) + couplings) +
           words * (6.0 + static_cast<double>(needs.snapshots)) + 2.0 * bytes_of_accumulators(needs);
}

/// Returns the bytes of cluster updates on CPUs. A lattice at work has 4 bytes per site for parents of runs,
/// a byte for their new spins, and bits of spins, bonds and faces. Totals of a cluster have 64 bytes.
/// A tenth of the sites are clusters at the critical temperature, and half of the sites far above it.
/// With lanes = realizations, a thread also has up to 64 lattices.
double bytes_of_clusters(const MemoryNeeds& needs) {
    if (!needs.has_clusters || !needs.backend_on_host) return 0.0;
    const Shape& s = needs.shape;
    const double sites = static_cast<double>(s.sites()), lattices = double(s.replicas) * s.temperatures,
                 realizations = static_cast<double>(s.realizations), threads = available_threads();
    const bool summed = needs.bins > 0 && runs_with::clusters(needs.measured);
    const double bytes = 6.5 + (summed ? 64.0 * 0.5 : 0.0);
    if (s.coding == Lanes::sites) return (realizations * lattices >= threads ? threads : 1.0) * bytes * sites;
    const double present = needs.absent_bonds ? realizations * s.dimension * sites / 8.0 : 0.0;
    const double held = std::min(64.0, realizations) / 8.0;
    return std::min(static_cast<double>(s.packs64()) * lattices, threads) * (bytes + held) * sites + present;
}

/// Whole lattices whose sites are lanes: each has its words and, in a glass, its couplings. Spins are bits of
/// the state, of the copy that is read or written, and of snapshots. Differences of replicas are counted for
/// one lattice or for one per thread. Files come in pieces. Relaxations also have the bits of all spins now
/// and at each waiting time, and the differences of two lattices, in whole words for each row.
double bytes_of_site_bits(const MemoryNeeds& needs) {
    const Shape& s = needs.shape;
    const double sites = static_cast<double>(s.sites()), realizations = static_cast<double>(s.realizations);
    const double lattices = realizations * s.replicas * s.temperatures, words = sites / 8.0;
    const int directions = needs.measured.overlaps ? s.dimension : 0;  // of couplings; a ferromagnet has none
    constexpr double pieces = 128.0 * 1024 * 1024;
    const double counted = needs.bins > 0 ? std::min(lattices, double(available_threads())) +
                                                (needs.backend_on_host ? 0.0 : 2.0)  // copies of two lattices
                                          : 1.0;
    double bytes = lattices * words * (3.0 + directions + static_cast<double>(needs.snapshots)) +
                   counted * words + directions * realizations * sites + pieces +
                   2.0 * bytes_of_accumulators(needs);
    if (needs.measured.distances > 0) bytes += lattices * words * (1.0 + needs.remembered) + 2.0 * words;
    return bytes;
}

/// Ising spins with all bonds present, on a lattice that 128 subdomains can cover.
bool could_have_site_lanes(const MemoryNeeds& needs) {
    const Shape& s = needs.shape;
    return !s.has_vectors() && !needs.measured.real_couplings && !needs.absent_bonds && !s.is_slab() &&
           s.L % limits::site_lanes_multiple(s.dimension) == 0;
}

/// Returns the changes that make the estimate smaller.
std::string remedies(const MemoryNeeds& needs) {
    std::vector<std::string> found;
    const auto offer = [&](const char* text, auto change) {
        MemoryNeeds less = needs;
        change(less);
        if (estimated_bytes(less) < estimated_bytes(needs)) found.push_back(text);
    };
    offer("a smaller disorder.batch", [](MemoryNeeds& less) { less.shape.realizations = 1; });
    offer("fewer replicas", [](MemoryNeeds& less) { less.shape.replicas = 1; });
    offer("fewer temperatures", [](MemoryNeeds& less) { less.shape.temperatures = 1; });
    offer("fewer snapshots or waiting times",
          [](MemoryNeeds& less) { less.snapshots = less.remembered = 0; });
    if (could_have_site_lanes(needs))
        offer("multispin.lanes: sites", [](MemoryNeeds& less) { less.shape.coding = Lanes::sites; });
    found.push_back("a smaller lattice.L");
    return fmt::format("{}", fmt::join(found, " or "));
}

}  // namespace

MemoryNeeds memory_needs(const Parameters& parameters, const Shape& shape, const BackendChoice& choice) {
    return {.shape = shape,
            .backend_on_host = choice.backend != "cuda",
            .absent_bonds = parameters.model.has_absent_bonds(),
            .measured = measured_of(model_of(parameters), parameters.run.measures_magnetisation()),
            .double_precision = parameters.dynamics.precision == Precision::twofold,
            .has_houdayer = parameters.dynamics.houdayer_every > 0,
            .has_clusters = model_of(parameters).has_clusters()};
}

double estimated_bytes(const MemoryNeeds& needs) {
    if (needs.measured.real_couplings) return bytes_of_real_couplings(needs);
    if (needs.shape.has_vectors()) return bytes_of_vectors(needs);
    if (holds_site_bits(needs.shape)) return bytes_of_site_bits(needs) + bytes_of_clusters(needs);
    const Shape& s = needs.shape;
    const double sites = static_cast<double>(s.own_sites()), lanes = static_cast<double>(s.lanes());
    const double realizations = static_cast<double>(s.realizations);
    const double canonical = 8.0 * static_cast<double>(s.packs64()) * s.replicas * s.temperatures * sites;
    const double held_sites = static_cast<double>(s.held_sites());
    const double read_couplings = s.dimension * realizations * held_sites;
    const double bond_words = s.dimension * (needs.absent_bonds ? 2.0 : 1.0);
    const int padded_slots = (s.temperatures + 3) / 4 * 4;
    const double words = lanes / 8.0 * held_sites;  // bytes of one word of each lane and site
    // A GPU gets packed words: couplings, then spins, for which one of the canonical arrays stands here.
    const double packed = std::max(words * s.dimension, words * s.replicas * s.temperatures - canonical);
    const double columns = words * s.replicas * padded_slots;
    double backend = needs.backend_on_host ? words * bond_words + columns : packed;
    if (s.coding == Lanes::replicas) {
        const ReplicaLayout layout = ReplicaLayout::of(s);
        const double bonds =
            2.0 * static_cast<double>(layout.bond_units()) * (needs.absent_bonds ? 2.0 : 1.0);
        backend = realizations * (4.0 * static_cast<double>(layout.lattice_words()) + bonds) +
                  (needs.bins > 0 ? columns : 0.0);  // measurements have the spins as words of realizations
    }
    if (s.coding ==
        Lanes::sites) {  // slabs: every lattice has its own couplings; ranks have all of its words
        const double all_sites = static_cast<double>(s.sites());
        backend = realizations * s.replicas * s.temperatures * all_sites / 8.0 * (1 + s.dimension) +
                  (needs.bins > 0 ? columns + canonical : 0.0) + s.dimension * all_sites;
    }
    const double remembered =
        needs.backend_on_host ? words * s.replicas * padded_slots * needs.remembered : 0.0;
    const double at_once = std::min(lanes / 128.0 * padded_slots / 4, double(available_threads()));
    double compared = 0.0;
    if (needs.measured.distances > 0) {
        const int fields = s.replicas == 4 ? 3 : 1;
        if (needs.backend_on_host)  // differences of the groups that threads count, of slabs twice
            compared = at_once * 64.0 * held_sites * fields * (s.is_slab() ? 2 : 1);
        else if (s.is_slab())  // messages with lines, two in each direction
            compared = 4.0 * std::min(16.0 * sites * fields, double(line_message_bytes));
    }
    const int pairs = s.replicas / 2;
    const double moves = s.coding == Lanes::replicas ? std::ceil(realizations / 16.0)
                                                     : lanes / 128.0 * pairs * padded_slots / 4;
    const double moves_at_once = std::min(moves, double(available_threads()));
    const double moved = needs.backend_on_host && needs.has_houdayer
                             ? moves_at_once * 2.0 * 64.0 * held_sites
                             : 0.0;  // differences and clusters of the groups that threads work on
    return read_couplings + backend + remembered + compared + moved + bytes_of_clusters(needs) +
           (2.0 + static_cast<double>(needs.snapshots)) * canonical + 2.0 * bytes_of_accumulators(needs);
}

double available_bytes() {
    return std::min({machine_memory(), control_groups(), address_space()});
}

void check_memory(const MemoryNeeds& needs, double available) {
    const double bytes = needs.ranks_here * estimated_bytes(needs);
    if (bytes <= available) return;
    const Shape& s = needs.shape;
    const auto counted = [](std::int64_t n, const char* what) {
        return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    throw EnvironmentError(fmt::format(
        "this call needs about {:.3g} GiB of memory{} ({} of L = {}, {}, {}{}), but {:.3g} GiB "
        "are available; use {}",
        bytes / gibibyte,
        needs.ranks_here > 1 ? fmt::format(" for {} ranks on this machine", needs.ranks_here) : "",
        counted(s.realizations, "realization"), s.L, counted(s.replicas, "replica"),
        counted(s.temperatures, "temperature"),
        needs.snapshots > 0 ? fmt::format(", {} snapshots or waiting times", needs.snapshots) : "",
        available / gibibyte, remedies(needs)));
}

}  // namespace psflip
