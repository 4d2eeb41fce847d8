#include "slab/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace psflip {
namespace {

class SingleRank final : public Ranks {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    bool share_memory() const override { return true; }
    void start_exchange(const Messages& messages) override { messages_ = messages; }
    void finish_exchange() override {
        std::ranges::copy(messages_.to_above, messages_.from_below.begin());
        std::ranges::copy(messages_.to_below, messages_.from_above.begin());
    }
    void sum(std::span<std::int32_t>) override {}
    void sum(std::span<std::int64_t>) override {}
    std::int64_t maximum(std::int64_t value) override { return value; }
    void broadcast(std::span<std::byte>, int) override {}
    std::vector<std::byte> all_gather(std::span<const std::byte> mine) override {
        return {mine.begin(), mine.end()};
    }
    void gather(std::span<const std::byte> mine, std::span<std::byte> all,
                std::span<const std::size_t>) override {
        std::ranges::copy(mine, all.begin());
    }
    void all_to_all(std::span<const std::byte> mine, std::span<const std::size_t>,
                    std::span<std::byte> theirs, std::span<const std::size_t>) override {
        std::ranges::copy(mine, theirs.begin());
    }
    void barrier() override {}
    void abort(int) noexcept override {}

  private:
    Messages messages_;
};

}  // namespace

Ranks& single_rank() {
    thread_local SingleRank rank;
    return rank;
}

SlabPlanes planes_of_rank(int L, int rank, int ranks) {
    const int layers = L / 2;  // of two planes, one of each colour in the sliced order
    if (ranks > layers)
        throw InputError(fmt::format(
            "{} ranks for L = {}: a slab has two planes at least; use at most {} ranks", ranks, L, layers));
    const int each = layers / ranks, more = layers % ranks;
    return {2 * (rank * each + std::min(rank, more)), 2 * (each + (rank < more ? 1 : 0))};
}

}  // namespace psflip
