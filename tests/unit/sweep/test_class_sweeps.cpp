#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "model/class_table.hpp"
#include "model/exchange_rule.hpp"
#include "random/philox.hpp"
#include "reference/reference.hpp"

using namespace psflip;

namespace {

/// One realization at all temperatures, one spin at a time, by the library's table, key, counters and
/// exchange: what kernels do with words.
class TableLattices {
  public:
    TableLattices(const reference::World& world, const Model& model, const std::vector<std::int8_t>& bonds)
        : world_(world), model_(model), bonds_(bonds), key_(model.random_key(world.seed, world.L)) {
        for (double temperature : world.temperatures)
            tables_.emplace_back(model, 1.0 / temperature, Classes::with_absent);
    }

    std::vector<std::vector<int>> spins;  ///< (slot, site)

    void sweep(std::int64_t sweep) {
        for (int colour : {0, 1})
            for (int slot = 0; slot < world_.slots(); ++slot)
                for (int site = 0; site < world_.sites(); ++site)
                    if ((coordinate(site, 0) + coordinate(site, 1) + coordinate(site, 2)) % 2 == colour)
                        update(sweep, slot, site);
    }

    void exchange(std::int64_t completed, std::int64_t sweeps_per_swap) {
        for (int t = static_cast<int>(completed / sweeps_per_swap % 2); t + 1 < world_.slots(); t += 2) {
            const RandomBlock block =
                philox(make_counter(Purpose::exchange, 0, completed, t / 2 / 4, 0, 0, number()), key_);
            if (exchange_accepted(block.word[t / 2 % 4], bonds_energy(t + 1) - bonds_energy(t),
                                  magnetisation(t + 1) - magnetisation(t),
                                  1.0 / world_.temperatures[t] - 1.0 / world_.temperatures[t + 1],
                                  model_.field))
                std::swap(spins[t], spins[t + 1]);
        }
    }

  private:
    std::uint32_t number() const { return static_cast<std::uint32_t>(world_.first_realization); }
    int coordinate(int site, int axis) const {
        const int L = world_.L;
        return axis == 0 ? site % L : axis == 1 ? site / L % L : site / L / L;
    }
    int next(int site, int axis, int step) const {
        const int L = world_.L, stride = axis == 0 ? 1 : axis == 1 ? L : L * L, x = coordinate(site, axis);
        return site + ((x + step + L) % L - x) * stride;
    }
    int bond(int site, int axis) const { return bonds_[axis * world_.sites() + site]; }

    void update(std::int64_t sweep, int slot, int site) {
        int unsatisfied = 0, absent = 0;
        int& s = spins[slot][site];
        for (int axis = 0; axis < model_.dimension; ++axis)
            for (int step : {+1, -1}) {
                const int other = next(site, axis, step), J = bond(step > 0 ? site : other, axis);
                absent += J == 0 ? 1 : 0;
                unsatisfied += J * s * spins[slot][other] < 0 ? 1 : 0;
            }
        const std::uint32_t R =
            philox(make_counter(Purpose::metropolis, site, sweep, slot / 4, 0, 0, number() / world_.share),
                   key_)
                .word[slot % 4];
        const bool by_half = tables_[slot].isolated_by_half() && absent == model_.degree();
        if (by_half ? R < isolated_threshold : 2 * unsatisfied + absent >= tables_[slot].v_min(R, s)) s = -s;
    }
    std::int64_t bonds_energy(int slot) const {
        std::int64_t sum = 0;
        for (int site = 0; site < world_.sites(); ++site)
            for (int axis = 0; axis < model_.dimension; ++axis)
                sum -= bond(site, axis) * spins[slot][site] * spins[slot][next(site, axis, +1)];
        return sum;
    }
    std::int64_t magnetisation(int slot) const {
        std::int64_t sum = 0;
        for (int spin : spins[slot]) sum += spin;
        return sum;
    }

    const reference::World& world_;
    const Model& model_;
    const std::vector<std::int8_t>& bonds_;
    std::uint64_t key_;
    std::vector<ClassTable> tables_;
};

reference::World world_of(const Model& model) {
    reference::World world;
    world.seed = 0x123456789abcdefull;
    world.L = model.dimension == 2 ? 8 : 4;
    world.temperatures = {0.4, 0.8, 1.3, 2.0, 4.0, 6.0};
    world.share = 64;
    world.first_realization = 200;
    world.dimension = model.dimension;
    world.field = model.field;
    world.p_ferro = model.p_ferro;
    world.p_absent = model.p_absent;
    world.ferromagnet = model.kind == ModelKind::ferromagnet;
    world.open = model.boundary == Boundary::open;
    world.heat_bath = model.update == Update::heat_bath;
    return world;
}

/// Spins of the reference and of the table after some sweeps and exchanges: how many differ.
long different_spins(const Model& model) {
    const reference::World world = world_of(model);
    const std::vector<std::int8_t> bonds = couplings(world);
    reference::Realization wanted(world, world.first_realization, bonds.data());
    wanted.random_start();
    const auto spins = [&] {
        std::vector<std::vector<int>> all(world.slots());
        for (int slot = 0; slot < world.slots(); ++slot)
            for (int site = 0; site < world.sites(); ++site) all[slot].push_back(wanted.spin(0, slot, site));
        return all;
    };
    TableLattices found(world, model, bonds);
    found.spins = spins();
    for (int s = 0; s < 24; ++s) {
        wanted.sweep(s);
        found.sweep(s);
        if (s % 2 == 1) {
            wanted.exchange(s + 1, 2);
            found.exchange(s + 1, 2);
        }
    }
    long different = 0;
    for (int slot = 0; slot < world.slots(); ++slot)
        for (int site = 0; site < world.sites(); ++site)
            different += found.spins[slot][site] != wanted.spin(0, slot, site) ? 1 : 0;
    return different;
}

}  // namespace

TEST_CASE("sweeps and exchanges by key, table and exchange rule equal the naive reference") {
    for (int dimension : {2, 3})
        for (Update update : {Update::metropolis, Update::heat_bath})
            for (double field : {0.0, 0.3, -2.0})
                for (double p_absent : {0.0, 0.4, 1.0})
                    for (Boundary boundary : {Boundary::periodic, Boundary::open})
                        for (ModelKind kind : {ModelKind::edwards_anderson, ModelKind::ferromagnet}) {
                            const Model model{kind, dimension, field, 0.7, p_absent, boundary, update};
                            CAPTURE(dimension);
                            CAPTURE(field);
                            CAPTURE(p_absent);
                            CHECK(different_spins(model) == 0);
                        }
}
