#include <bit>
#include <cstdio>
#include <psflip/disorder/couplings.hpp>
#include <psflip/evolution/move_sampler.hpp>
#include <psflip/lattice/packing.hpp>

using namespace psflip;

/// Returns the link overlap of replicas 0 and 1 along z, averaged over all realizations. A word has one site
/// of 64 realizations, so the four words of a link give 64 products s_i^a s_j^a s_i^b s_j^b at once.
static double link_overlap(const Shape& shape, const std::vector<std::uint64_t>& spins, int temperature) {
    const std::int64_t sites = shape.sites(), plane = sites / shape.L, packs = shape.packs64();
    const std::int64_t replica = shape.temperatures * packs * sites;
    std::int64_t negative = 0;
    for (std::int64_t pack = 0; pack < packs; ++pack) {
        const std::uint64_t* a = spins.data() + (temperature * packs + pack) * sites;
        const std::uint64_t* b = a + replica;
        for (std::int64_t i = 0; i < sites; ++i) {
            const std::int64_t j = (i + plane) % sites;  // the neighbour at z + 1
            negative += std::popcount(a[i] ^ a[j] ^ b[i] ^ b[j]);
        }
    }
    return 1.0 - 2.0 * static_cast<double>(negative) / static_cast<double>(shape.realizations * sites);
}

int main() {
    const Shape shape{.L = 8, .replicas = 2, .temperatures = 5, .realizations = 128, .share = 128};
    const std::uint64_t seed = 7;
    const Model model{};  // the ±J spin glass in three dimensions
    const auto couplings = generate_couplings({seed, model, shape.L}, 0, shape.realizations);
    const auto sampler = make_ising_sampler({.shape = shape,
                                             .betas = {1 / 0.8, 1 / 1.0, 1 / 1.2, 1 / 1.4, 1 / 1.6},
                                             .seed = seed,
                                             .couplings = couplings,
                                             .sweeps_per_swap = 10,
                                             .model = model});
    IsingEnsemble& lattices = sampler->ensemble();
    lattices.set_spins(random_spins(shape, lattices.key()));
    sampler->advance(0, 20000);  // 20000 sweeps, and an exchange of temperatures after every ten sweeps
    lattices.compute_energies();
    const auto energies = lattices.energies();  // (replica, temperature, realization)
    const auto spins = lattices.spins();        // (replica, temperature, pack64, z, y, x)
    for (int t = 0; t < shape.temperatures; ++t) {
        double sum = 0.0;
        for (std::int64_t r = 0; r < shape.realizations; ++r) sum += energies[t * shape.realizations + r];
        std::printf("T = %.1f  e = %.4f  q_link = %.4f\n", 1.0 / lattices.betas()[t],
                    sum / static_cast<double>(shape.realizations * shape.sites()),
                    link_overlap(shape, spins, t));
    }
}
