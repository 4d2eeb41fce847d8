#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/thread_pool.hpp"
#include "measure/measurement.hpp"
#include "measure/moments.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {
namespace {

/// Returns x, y and z per site of the moment, the staggered magnetisation and the sublattices'
/// magnetisations.
std::array<double, directions> directions_of(const VectorSums& of, const std::vector<double>& moments,
                                             double sites) {
    std::array<double, directions> to{};
    for (int k = 0; k < 3; ++k)
        for (int odd = 0; odd < 2; ++odd)
            for (int species = 0; species < 2; ++species) {
                const double m = of.magnetisation[odd][species][k] / sites;
                to[moment_direction + k] += moments[species] * m;
                to[staggered_direction + k] += odd ? -m : m;
                to[(odd ? odd_direction : even_direction) + k] += m;
            }
    return to;
}

double square(const std::array<double, 3>& v) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/// Adds a_m b_n of all sites to Q_mn, in the order of the sites; a and b are (component, site).
void add_tensor(const double* a, const double* b, std::int64_t sites, double* Q) {
    for (int m = 0; m < 3; ++m) {
        double sum[3] = {Q[3 * m], Q[3 * m + 1], Q[3 * m + 2]};
        const double* s = a + m * sites;
        for (std::int64_t i = 0; i < sites; ++i)
            for (int n = 0; n < 3; ++n) sum[n] += s[i] * b[n * sites + i];
        std::ranges::copy(sum, Q + 3 * m);
    }
}

VectorSetup without_disorder(VectorSetup setup) {
    setup.species.clear(), setup.couplings.clear();
    return setup;
}

class VectorMeasurement final : public Measurement {
  public:
    VectorMeasurement(Sampler& sampler, const Measured& measured, int bins);

    void measure(int bin) override;
    Accumulators accumulators() const override { return sums_; }
    Accumulators take(ThreadPool&) override { return std::move(sums_); }
    void set_accumulators(const Accumulators& accumulators) override { sums_ = accumulators; }

  private:
    /// Squares of the modes at the smallest wave vectors, by axis, divided by N^2.
    struct Modes {
        std::array<double, 3> all{}, staggered{};
    };
    /// Numbers of the sums over planes of a state, (component, axis, coordinate, sublattice).
    std::int64_t plane_sums() const { return std::int64_t{setup_.components()} * 3 * setup_.L * 2; }
    /// Adds the own spins of a state to its sums over planes.
    void add_planes(const double* spins, std::int64_t* planes) const;
    Modes modes_of(const std::int64_t* planes) const;
    void add_state(int bin, std::int64_t state, const std::int64_t* planes);
    /// From the own spins of all states. Ranks add their sites one after the other, in the order of the sites
    /// of whole lattices, because sums of real numbers depend on the order.
    void add_tensors(int bin, const std::vector<double>& spins);
    void add_walkers(int bin);

    VectorView view_;
    VectorSetup setup_;  ///< without its disorder
    FixedPoint unit_;
    std::vector<double> fourier_;
    ThreadPool pool_;
    Accumulators sums_;
};

VectorMeasurement::VectorMeasurement(Sampler& sampler, const Measured& measured, int bins)
    : view_(std::get<VectorView>(sampler.view())),
      setup_(without_disorder(view_.batch->setup())),
      unit_(setup_.units().magnetisation),
      fourier_(fourier_table(setup_.L)),
      pool_(view_.batch->threads()),
      sums_(empty_accumulators(view_.batch->shape(), measured, bins, 0)) {}

void VectorMeasurement::measure(int bin) {
    VectorBatch& batch = *view_.batch;
    batch.compute_energies();
    const std::vector<double> spins = batch.real_spins();
    const std::int64_t numbers = setup_.components() * setup_.own_sites();
    std::vector<std::int64_t> planes(static_cast<std::size_t>(setup_.states() * plane_sums()));
    pool_.for_each(setup_.states(), [&](std::int64_t state, int) {
        add_planes(spins.data() + state * numbers, planes.data() + state * plane_sums());
    });
    if (setup_.is_slab()) batch.ranks().sum(std::span(planes));
    pool_.for_each(setup_.states(), [&](std::int64_t state, int) {
        add_state(bin, state, planes.data() + state * plane_sums());
    });
    if (runs_with::overlap_tensors(sums_.measured)) add_tensors(bin, spins);
    add_walkers(bin);
    ++sums_.count[bin];
}

void VectorMeasurement::add_planes(const double* spins, std::int64_t* planes) const {
    const int L = setup_.L, first = setup_.first_plane, end = first + setup_.own_planes();
    for (int k = 0; k < setup_.components(); ++k, planes += 3 * L * 2) {
        const auto plane = [&](int axis, int at) { return planes + (axis * L + at) * 2; };
        for (int z = first; z < end; ++z)
            for (int y = 0; y < L; ++y) {
                std::int64_t row[2] = {};
                for (int x = 0; x < L; ++x) {
                    const std::int64_t number = unit_.of(*spins++);
                    row[(x + y + z) & 1] += number;
                    plane(0, x)[(x + y + z) & 1] += number;
                }
                for (int odd = 0; odd < 2; ++odd) plane(1, y)[odd] += row[odd], plane(2, z)[odd] += row[odd];
            }
    }
}

VectorMeasurement::Modes VectorMeasurement::modes_of(const std::int64_t* planes) const {
    const int L = setup_.L;
    const auto sites = static_cast<double>(setup_.sites()), norm = sites * sites;
    Modes modes;
    for (int k = 0; k < setup_.components(); ++k, planes += 3 * L * 2)
        for (int axis = 0; axis < setup_.dimension(); ++axis) {
            PlaneMode<double, double> all, staggered;
            for (int at = 0; at < L; ++at) {
                const std::int64_t *of = planes + (axis * L + at) * 2, even = of[0], odd = of[1];
                all.add(fourier_[at], fourier_[L + at], static_cast<double>(even + odd) * unit_.unit());
                staggered.add(fourier_[at], fourier_[L + at], static_cast<double>(even - odd) * unit_.unit());
            }
            modes.all[axis] += all.square() / norm;
            modes.staggered[axis] += staggered.square() / norm;
        }
    return modes;
}

void VectorMeasurement::add_state(int bin, std::int64_t state, const std::int64_t* planes) {
    const VectorSums of = view_.batch->sums_of(state);
    const Modes modes = modes_of(planes);
    const std::int64_t r = setup_.realization(state);
    const int slot = setup_.slot(state), replica = setup_.replica(state);
    const auto add = [&](Sum sum, double value, int per_replica = 1, int part = 0) {
        const int components = sums_.components(sum);
        const std::int64_t at =
            ((std::int64_t{bin} * components + replica * per_replica + part) * sums_.temperatures + slot) *
                sums_.realizations +
            r;
        sums_.reals[static_cast<int>(sum)][static_cast<std::size_t>(at)] += value;
    };
    const double E = of.energy(), N = static_cast<double>(setup_.sites());
    const auto M = of.total(), Ms = of.total(true);
    const double m2 = square(M) / (N * N), ms2 = square(Ms) / (N * N);
    add(Sum::energy, E);
    add(Sum::energy2, E * E);
    add(Sum::magnetisation, M[2]);
    add(Sum::magnetisation_abs, std::sqrt(square(M)));
    add(Sum::magnetisation2, m2);
    add(Sum::magnetisation4, m2 * m2);
    for (int axis = 0; axis < setup_.dimension(); ++axis) add(magnetisation_sums.kmin(axis), modes.all[axis]);
    if (runs_with::magnetisation_slopes(sums_.measured)) {
        add(Sum::magnetisation2_energy, m2 * E);
        add(Sum::magnetisation4_energy, m2 * m2 * E);
        add(Sum::magnetisation_kmin_energy, (modes.all[0] + modes.all[1] + modes.all[2]) * E);
    }
    const double terms[] = {of.exchange, of.dm, of.anisotropy, of.field};
    for (int i = 0; i < energy_terms; ++i) add(Sum::energy_terms, terms[i], energy_terms, i);
    add(Sum::staggered_abs, std::sqrt(square(Ms)));
    add(Sum::staggered2, ms2);
    add(Sum::staggered4, ms2 * ms2);
    add(Sum::staggered_kmin, modes.staggered[0] + modes.staggered[1] + modes.staggered[2]);
    for (int part = 0; part < magnetisation_parts; ++part)
        add(Sum::magnetisation_parts, of.magnetisation[part / 6][part / 3 % 2][part % 3], magnetisation_parts,
            part);
    if (!runs_with::directions(sums_.measured)) return;
    const auto along = directions_of(of, setup_.model.moments, N);
    for (int i = 0; i < directions; ++i) {
        add(Sum::directions, along[i], directions, i);
        add(Sum::directions2, along[i] * along[i], directions, i);
    }
}

void VectorMeasurement::add_tensors(int bin, const std::vector<double>& spins) {
    const auto pairs = replica_pairs(setup_.replicas);
    const std::int64_t row = setup_.slots() * setup_.realizations, own = setup_.own_sites(),
                       all = std::ssize(pairs) * row;
    std::vector<double> tensors(static_cast<std::size_t>(9 * all));
    Ranks& ranks = view_.batch->ranks();
    for (int rank = 0; rank < ranks.size(); ++rank) {
        if (rank == ranks.rank())
            pool_.for_each(all, [&](std::int64_t i, int) {
                const auto [a, b] = pairs[static_cast<std::size_t>(i / row)];
                const auto of = [&](int replica) {
                    return spins.data() + (replica * row + i % row) * 3 * own;
                };
                add_tensor(of(a), of(b), own, tensors.data() + 9 * i);
            });
        ranks.broadcast(std::as_writable_bytes(std::span(tensors)), rank);
    }
    const auto sites = static_cast<double>(setup_.sites());
    for (std::int64_t i = 0; i < all; ++i) {
        double square = 0.0;
        for (int k = 0; k < 9; ++k) square += tensors[9 * i + k] * tensors[9 * i + k];
        square /= sites * sites;
        const auto at = static_cast<std::size_t>(bin * all + i);
        sums_.reals[static_cast<int>(Sum::overlap_tensor2)][at] += square;
        sums_.reals[static_cast<int>(Sum::overlap_tensor4)][at] += square * square;
    }
}

void VectorMeasurement::add_walkers(int bin) {
    const int T = sums_.temperatures, replicas = sums_.replicas;
    const auto& walkers = *view_.walkers;
    auto& to = sums_.integers[static_cast<int>(Sum::walker_slot)];
    for (std::int64_t r = 0; r < sums_.realizations; ++r)
        for (int replica = 0; replica < replicas; ++replica)
            for (int slot = 0; slot < T; ++slot) {
                const std::int64_t walker =
                    walkers[static_cast<std::size_t>((r * replicas + replica) * T + slot)];
                to[static_cast<std::size_t>(
                    ((std::int64_t{bin} * replicas + replica) * T + walker) * sums_.realizations + r)] +=
                    slot;
            }
}

}  // namespace

std::unique_ptr<Measurement> make_vector_measurement(Sampler& sampler, const Measured& measured, int bins) {
    return std::make_unique<VectorMeasurement>(sampler, measured, bins);
}

}  // namespace psflip
