#include "reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "reference/boxes.hpp"

namespace psflip::reference {

namespace {

constexpr std::uint32_t for_couplings = 1, for_initial_spins = 2, for_metropolis = 3, for_metropolis_bits = 4,
                        for_exchange = 5, for_occupation = 6, for_replica_bits = 7, for_site_bits = 8;

/// The counter as the random-number contract words it: 30 bits of site; 48 bits of sweep, 6 of slot, 3 of
/// replica and 3 of digit; 24 bits of pack and 8 of purpose.
std::array<std::uint32_t, 4> counter(std::uint32_t purpose, std::uint64_t site, std::uint64_t sweep,
                                     std::uint64_t slot, std::uint64_t replica, std::uint64_t digit,
                                     std::uint64_t pack) {
    const std::uint64_t middle = sweep + (slot << 48) + (replica << 54) + (digit << 57);
    return {static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(middle % 4294967296u),
            static_cast<std::uint32_t>(middle / 4294967296u),
            static_cast<std::uint32_t>(pack + purpose * 16777216ull)};
}

std::array<std::uint32_t, 2> key(std::uint64_t seed) {
    return {static_cast<std::uint32_t>(seed % 4294967296u), static_cast<std::uint32_t>(seed / 4294967296u)};
}

std::uint64_t scrambled(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x / (1ull << 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x / (1ull << 27)) * 0x94d049bb133111ebull;
    return x ^ x / (1ull << 31);
}

std::uint64_t bytes_of(double x) {
    if (x == 0.0) return 0;
    std::uint64_t bytes;
    std::memcpy(&bytes, &x, sizeof bytes);
    return bytes;
}

}  // namespace

std::uint64_t World::random_key() const {
    if (dimension == 3 && !ferromagnet && !open && !heat_bath && field == 0.0 && p_absent == 0.0 &&
        demon_sites == 0 && !swendsen_wang && wolff_clusters == 0)
        return seed;
    std::uint64_t mixed = scrambled(seed);
    mixed = scrambled(mixed ^ static_cast<std::uint64_t>(L));
    mixed = scrambled(mixed ^ (ferromagnet ? 1u : 0u));
    mixed = scrambled(mixed ^ static_cast<std::uint64_t>(dimension));
    mixed = scrambled(mixed ^ bytes_of(field));
    mixed = scrambled(mixed ^ bytes_of(p_ferro));
    mixed = scrambled(mixed ^ bytes_of(p_absent));
    mixed = scrambled(mixed ^ (open ? 1u : 0u));
    const unsigned update = wolff_clusters > 0 ? 5
                            : swendsen_wang    ? 4
                            : demon_sites > 0  ? 3
                            : heat_bath        ? 1
                                               : 0;
    return scrambled(mixed ^ update);
}

std::array<std::uint32_t, 4> philox_words(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
        const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v / 4294967296u); };
        const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v % 4294967296u); };
        c = {high(b) ^ c[1] ^ k[0], low(b), high(a) ^ c[3] ^ k[1], low(a)};
        k = {k[0] + 0x9E3779B9u, k[1] + 0xBB67AE85u};
    }
    return c;
}

std::uint64_t threshold(double x) {
    return x <= 0.0 ? 4294967296ull : static_cast<std::uint64_t>(std::llround(4294967296.0 * std::exp(-x)));
}

std::vector<std::int8_t> couplings(const World& world) {
    const auto below = [](double p) { return static_cast<std::uint64_t>(std::llround(4294967296.0 * p)); };
    const std::uint64_t ferro = below(world.ferromagnet ? 1.0 : world.p_ferro),
                        absent = below(world.p_absent);
    const auto drawn = [&](std::uint32_t purpose, int site, std::int64_t r) {
        return philox_words(counter(purpose, site, 0, 0, 0, 0, world.first_realization + r),
                            key(world.random_key()));
    };
    std::vector<std::int8_t> all;
    for (std::int64_t r = 0; r < world.realizations; ++r)
        for (int direction = 0; direction < world.dimension; ++direction)
            for (int site = 0; site < world.sites(); ++site) {
                const int coordinate[3] = {site % world.L, site / world.L % world.L,
                                           site / world.L / world.L};
                const bool edge = world.open && coordinate[direction] == world.L - 1;
                if (edge || (absent > 0 && drawn(for_occupation, site, r)[direction] < absent))
                    all.push_back(0);
                else
                    all.push_back(drawn(for_couplings, site, r)[direction] < ferro ? 1 : -1);
            }
    return all;
}

Realization::Realization(const World& world, std::int64_t number, const std::int8_t* bonds)
    : world_(world), key_(world.random_key()), number_(number), bonds_(bonds) {
    const int T = world.slots();
    for (int site = 0; site < world.sites(); ++site) {
        neighbours_.push_back({});
        for (int axis = 0; axis < world.dimension; ++axis) {
            neighbours_[site][2 * axis] = neighbour(site, axis, +1);
            neighbours_[site][2 * axis + 1] = neighbour(site, axis, -1);
        }
    }
    for (int site = 0; site < world.sites(); ++site) isolated_.push_back(isolated(site));
    for (double temperature : world.temperatures) {
        limits_.push_back({});
        for (int spin : {-1, +1})
            for (int bonds_field = -world.degree(); bonds_field <= world.degree(); ++bonds_field)
                limits_.back().push_back(flip_limit(1.0 / temperature, spin, bonds_field, false));
        limits_.back().push_back(flip_limit(1.0 / temperature, -1, 0, true));
        limits_.back().push_back(flip_limit(1.0 / temperature, +1, 0, true));
    }
    improved_.assign(world.replicas, std::vector<Improved>(T));
    spins_.assign(world.replicas, std::vector<std::vector<int>>(T, std::vector<int>(world.sites(), -1)));
    last_end_.assign(world.replicas, std::vector<int>(T, 0));
    walker_ = last_end_;
    for (auto& of_replica : walker_)
        for (int slot = 0; slot < T; ++slot) of_replica[slot] = slot;
    accepted_.assign(world.replicas, std::vector<std::int64_t>(T - 1, 0));
    attempted_.assign(T - 1, 0);
    round_trips_.assign(world.replicas, 0);
}

int Realization::neighbour(int site, int axis, int step) const {
    const int L = world_.L;
    int xyz[3] = {site % L, site / L % L, site / L / L};
    xyz[axis] = (xyz[axis] + step + L) % L;
    return xyz[0] + L * (xyz[1] + L * xyz[2]);
}

std::array<std::uint32_t, 4> Realization::block(std::uint32_t purpose, int site, std::int64_t sweep,
                                                int slot_field, int replica, int digit,
                                                std::int64_t pack) const {
    return philox_words(counter(purpose, site, sweep, slot_field, replica, digit, pack), key(key_));
}

void Realization::random_start() {
    for (int replica = 0; replica < world_.replicas; ++replica)
        for (int slot = 0; slot < world_.slots(); ++slot)
            for (int site = 0; site < world_.sites(); ++site) {
                const auto words = block(for_initial_spins, site, 0, slot, replica, 0, number_ / 128);
                const std::uint32_t bit = words[number_ / 32 % 4] >> (number_ % 32) & 1u;
                spins_[replica][slot][site] = bit == 1 ? +1 : -1;
            }
}

/// The 32-bit random number R of one spin.
std::uint32_t Realization::metropolis_number(int site, std::int64_t sweep, int slot, int replica) const {
    if (world_.share > 1)
        return block(for_metropolis, site, sweep, slot / 4, replica, 0, number_ / world_.share)[slot % 4];
    std::uint32_t number = 0;
    const int lane = replica * world_.slots() + slot;
    for (int digit = 0; digit < 8 && world_.replica_lanes; ++digit) {
        const auto words = block(for_replica_bits, site, sweep, lane / 32, 0, digit, number_);
        for (int k = 4 * digit; k < 4 * digit + 4; ++k)
            number = 2 * number + (words[k % 4] >> (lane % 32) & 1u);
    }
    if (world_.replica_lanes) return number;
    if (world_.site_lanes) {
        const InBox at(world_, site);
        for (int digit = 0; digit < 8; ++digit) {
            const auto words =
                block(for_site_bits, at.position, sweep, slot, replica, digit + 8 * (at.lane / 32), number_);
            for (int k = 0; k < 4; ++k) number = 2 * number + (words[k] >> (at.lane % 32) & 1u);
        }
        return number;
    }
    for (int digit = 0; digit < 8; ++digit) {
        const auto words = block(for_metropolis_bits, site, sweep, slot, replica, digit, number_ / 32);
        for (int k = 4 * digit; k < 4 * digit + 4; ++k)
            number = 2 * number + (words[k % 4] >> (number_ % 32) & 1u);
    }
    return number;
}

bool Realization::isolated(int site) const {
    for (int axis = 0; axis < world_.dimension; ++axis)
        if (bond(site, axis) != 0 || bond(neighbours_[site][2 * axis + 1], axis) != 0) return false;
    return true;
}

/// A spin in the field `bonds_field` = sum J s' of its bonds flips iff R < this; 2^32: always.
std::uint64_t Realization::flip_limit(double beta, int spin, int bonds_field, bool isolated) const {
    const double cost = 2.0 * spin * (bonds_field + world_.field);
    if (world_.heat_bath) {
        const double x = beta * cost,
                     p = x > 0 ? std::exp(-x) / (1.0 + std::exp(-x)) : 1.0 / (1.0 + std::exp(x));
        return std::min<std::uint64_t>(std::llround(4294967296.0 * p), 4294967295u);
    }
    if (isolated && world_.field == 0.0) return 2147483648u;
    return threshold(beta * cost);
}

void Realization::half_sweep(std::int64_t sweep, int colour) {
    const int L = world_.L, degree = world_.degree(), fields = 2 * degree + 1;
    for (int replica = 0; replica < world_.replicas; ++replica)
        for (int slot = 0; slot < world_.slots(); ++slot) {
            std::vector<int>& s = spins_[replica][slot];
            for (int site = 0; site < world_.sites(); ++site) {
                if ((site % L + site / L % L + site / L / L) % 2 != colour) continue;
                const auto& n = neighbours_[site];
                int field = 0;
                for (int axis = 0; axis < world_.dimension; ++axis)
                    field +=
                        bond(site, axis) * s[n[2 * axis]] + bond(n[2 * axis + 1], axis) * s[n[2 * axis + 1]];
                const int up = s[site] > 0 ? 1 : 0;
                const std::uint64_t limit =
                    limits_[slot][isolated_[site] ? 2 * fields + up : up * fields + field + degree];
                if (limit > 4294967295u || metropolis_number(site, sweep, slot, replica) < limit)
                    s[site] = -s[site];
            }
        }
}

/// What flipping a spin costs in energy without a field.
int Realization::cost(int replica, int slot, int site) const {
    const auto& s = spins_[replica][slot];
    const auto& n = neighbours_[site];
    int field = 0;
    for (int axis = 0; axis < world_.dimension; ++axis)
        field += bond(site, axis) * s[n[2 * axis]] + bond(n[2 * axis + 1], axis) * s[n[2 * axis + 1]];
    return 2 * s[site] * field;
}

void Realization::sweep(std::int64_t sweep) {
    if (world_.swendsen_wang || world_.wolff_clusters > 0) return cluster_sweep(sweep);
    for (int colour : {0, 1})
        if (world_.demon_sites > 0)
            demon_half_sweep(sweep, colour);
        else
            half_sweep(sweep, colour);
}

int Realization::energy(int replica, int slot) const {
    const std::vector<int>& s = spins_[replica][slot];
    int energy = 0;
    for (int site = 0; site < world_.sites(); ++site)
        for (int axis = 0; axis < world_.dimension; ++axis)
            energy -= bond(site, axis) * s[site] * s[neighbours_[site][2 * axis]];
    return energy;
}

int Realization::magnetisation(int replica, int slot) const {
    int sum = 0;
    for (int spin : spins_[replica][slot]) sum += spin;
    return sum;
}

void Realization::exchange(std::int64_t completed, std::int64_t sweeps_per_swap) {
    const std::int64_t k = completed / sweeps_per_swap;
    for (int t = 0; t + 1 < world_.slots(); ++t) {
        if (t % 2 != k % 2) continue;
        ++attempted_[t];
        const double beta_cold = 1.0 / world_.temperatures[t], beta_hot = 1.0 / world_.temperatures[t + 1];
        for (int replica = 0; replica < world_.replicas; ++replica) {
            const int dEb = energy(replica, t + 1) - energy(replica, t), j = t / 2;
            const int dM = magnetisation(replica, t + 1) - magnetisation(replica, t);
            const double d = dEb - world_.field * dM;
            const std::uint32_t number = block(for_exchange, 0, completed, j / 4, replica, 0, number_)[j % 4];
            if (d > 0 && number >= threshold((beta_cold - beta_hot) * d)) continue;
            ++accepted_[replica][t];
            std::swap(spins_[replica][t], spins_[replica][t + 1]);
            std::swap(walker_[replica][t], walker_[replica][t + 1]);
        }
    }
    for (int replica = 0; replica < world_.replicas; ++replica) note_ends(replica);
}

/// Round trips cold -> hot -> cold: the coldest slot completes a trip of a walker that was hot since it was
/// last cold.
void Realization::note_ends(int replica) {
    if (world_.slots() < 2) return;
    int& cold = last_end_[replica][walker_[replica].front()];
    int& hot = last_end_[replica][walker_[replica].back()];
    if (cold == 2) ++round_trips_[replica];
    cold = 1;
    if (hot == 1) hot = 2;
}

void Realization::store(Result& result, std::int64_t index) const {
    const int T = world_.slots(), P = T - 1;
    for (int replica = 0; replica < world_.replicas; ++replica) {
        const std::int64_t lattice = index * world_.replicas + replica;
        for (int slot = 0; slot < T; ++slot) {
            for (int site = 0; site < world_.sites(); ++site)
                result.spins[(lattice * T + slot) * world_.sites() + site] =
                    static_cast<std::int8_t>(spin(replica, slot, site));
            result.energies[(replica * T + slot) * world_.realizations + index] = energy(replica, slot);
            if (world_.field != 0.0)
                result.magnetisations[(replica * T + slot) * world_.realizations + index] =
                    magnetisation(replica, slot);
            result.tempering.walker[lattice * T + slot] = static_cast<std::uint8_t>(walker_[replica][slot]);
            result.tempering.last_end[lattice * T + slot] =
                static_cast<std::uint8_t>(last_end_[replica][slot]);
        }
        for (int pair = 0; pair < P; ++pair)
            result.tempering.accepted[lattice * P + pair] = accepted_[replica][pair];
        result.tempering.round_trips[lattice] = round_trips_[replica];
    }
    result.tempering.attempted = attempted_;
}

}  // namespace psflip::reference
