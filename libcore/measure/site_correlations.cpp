#include <algorithm>
#include <variant>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "lattice/site_bits.hpp"
#include "measure/correlation_backends.hpp"
#include "measure/site_rows.hpp"

namespace psflip {
namespace {

/// Spins are bits of sites. Lattices are compared one after the other. Threads share the rows.
class SiteCorrelations final : public Correlations {
  public:
    SiteCorrelations(Sampler& sampler, const Measured& measured, int bins);

    void remember(const std::vector<std::uint64_t>& held) override { earlier_.push_back(held); }
    void remember_present() override { earlier_.push_back(present()); }
    int remembered() const override { return static_cast<int>(earlier_.size()); }

  private:
    using Bits = std::vector<std::uint64_t>;

    Bits present() const { return sampler_.ensemble().held_spins().bits; }
    void look() override { spins_ = present(); }
    void count_distances(int distances, std::int64_t* counts) override;
    void count_times(int replica, int earlier, std::int64_t* counts) override;
    std::vector<std::int64_t> bonds() override {
        return std::vector<std::int64_t>(static_cast<std::size_t>(shape_.realizations), shape_.bonds());
    }
    /// Compares replica a of the present spins with replica b of `others`, or with spins all up if `others`
    /// is nullptr, at all temperatures.
    void count(int a, const Bits* others, int b, int distances, std::int64_t* counts);
    /// Compares rows first, ..., end - 1 of two lattices, or of a lattice with spins all up.
    void find_differences(const std::uint64_t* a, const std::uint64_t* b, std::int64_t first,
                          std::int64_t end);

    Sampler& sampler_;
    ThreadPool& pool_;
    const SiteRowsKernels& kernels_;
    std::int64_t rows_;  ///< of a lattice
    Bits spins_;         ///< of the last look
    std::vector<Bits> earlier_;
    AlignedVector<std::uint64_t> differences_;  ///< SiteRowsTask::rows
};

SiteCorrelations::SiteCorrelations(Sampler& sampler, const Measured& measured, int bins)
    : Correlations(sampler.ensemble().shape(), measured, bins),
      sampler_(sampler),
      pool_(*std::get<CpuView>(sampler.view()).pool),
      kernels_(kernels_of<SiteRowsKernels>(std::get<CpuView>(sampler.view()).level)),
      rows_(shape_.sites() / shape_.L),
      differences_(static_cast<std::size_t>(rows_ * words_of_row(shape_.L))) {}

void SiteCorrelations::count_distances(int distances, std::int64_t* counts) {
    for (int a = 0; a < shape_.replicas; ++a) {
        if (!overlaps()) count(a, nullptr, a, distances, counts);
        for (int b = a + 1; overlaps() && b < shape_.replicas; ++b) count(a, &spins_, b, distances, counts);
    }
}

void SiteCorrelations::count_times(int replica, int earlier, std::int64_t* counts) {
    count(replica, &earlier_[earlier], replica, 1, counts);
}

/// If L is an odd multiple of 32, every second row begins within a word.
void SiteCorrelations::find_differences(const std::uint64_t* a, const std::uint64_t* b, std::int64_t first,
                                        std::int64_t end) {
    const int L = shape_.L, words = words_of_row(L);
    const auto word = [&](std::int64_t i) { return a[i] ^ (b ? b[i] : ~std::uint64_t{0}); };
    for (std::int64_t row = first; row < end; ++row)
        for (int i = 0; i < words; ++i) {
            const std::int64_t bit = row * L + 64 * i;
            std::uint64_t bits = word(bit / 64) >> bit % 64;
            if (bit % 64 + std::min(64, L - 64 * i) > 64) bits |= word(bit / 64 + 1) << (64 - bit % 64);
            if (L - 64 * i < 64) bits &= (std::uint64_t{1} << (L - 64 * i)) - 1;
            differences_[row * words + i] = bits;
        }
}

void SiteCorrelations::count(int a, const Bits* others, int b, int distances, std::int64_t* counts) {
    const std::int64_t stride = shape_.temperatures * shape_.realizations, parts = 8 * pool_.threads();
    std::vector<std::vector<std::int64_t>> sums(pool_.threads());
    for (int slot = 0; slot < shape_.temperatures; ++slot)
        for (std::int64_t realization = 0; realization < shape_.realizations; ++realization) {
            const std::uint64_t* one = spins_.data() + lattice_bits_begin(shape_, a, slot, realization);
            const std::uint64_t* other =
                others ? others->data() + lattice_bits_begin(shape_, b, slot, realization) : nullptr;
            pool_.for_each(parts, [&](std::int64_t part, int) {
                find_differences(one, other, rows_ * part / parts, rows_ * (part + 1) / parts);
            });
            for (auto& sum : sums) sum.assign(distances + 1, 0);
            pool_.for_each(parts, [&](std::int64_t part, int thread) {
                kernels_.count({shape_.L, shape_.dimension, differences_.data(), rows_ * part / parts,
                                rows_ * (part + 1) / parts, distances, sums[thread].data()});
            });
            for (const auto& sum : sums)
                for (int k = 0; k <= distances; ++k)
                    counts[k * stride + slot * shape_.realizations + realization] += sum[k];
        }
}

}  // namespace

std::unique_ptr<Correlations> make_site_correlations(Sampler& sampler, const Measured& measured, int bins) {
    return std::make_unique<SiteCorrelations>(sampler, measured, bins);
}

}  // namespace psflip
