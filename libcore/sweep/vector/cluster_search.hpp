// Finds a cluster of one lattice, for Houdayer moves of spins that have no lanes (sweep/houdayer.hpp).
#pragma once

#include <cstdint>
#include <vector>

namespace psflip {

/// Finds the sites of a set that are connected with one of its sites on a periodic lattice. Words of a row
/// hold 64 sites. All sites of a word that are reached at once are found together: adding a site of a run of
/// set bits to the run carries through all later sites of the run.
class ClusterSearch {
  public:
    static constexpr int bits = 64;  ///< of a word

    /// depth: 1 in two dimensions.
    ClusterSearch(int L, int depth)
        : L_(L),
          words_((L + bits - 1) / bits),
          rows_(L * depth),
          set_(static_cast<std::size_t>(words_) * static_cast<std::size_t>(rows_)) {}

    /// Returns word k of a row of the set.
    std::uint64_t& word(int k, int row) {
        return set_[static_cast<std::size_t>(row) * static_cast<std::size_t>(words_) +
                    static_cast<std::size_t>(k)];
    }

    /// Calls found(word of the row, row, sites) for words of sites of the cluster of site x + L row = first,
    /// which is in the set. Takes these sites from the set. Each site is found once.
    template <class Found>
    void find(std::uint32_t first, const Found& found) {
        const auto L = static_cast<std::uint32_t>(L_);
        const auto x = static_cast<int>(first % L);
        reach(x / bits, static_cast<int>(first / L), std::uint64_t{1} << x % bits);
        while (!reached_.empty()) {
            const Reached at = reached_.back();
            reached_.pop_back();
            std::uint64_t& rest = word(at.word, at.row);
            const std::uint64_t sites = filled(at.sites & rest, rest);
            if (sites == 0) continue;
            rest &= ~sites;
            found(at.word, at.row, sites);
            reach_neighbours(at.word, at.row, sites);
        }
    }

  private:
    struct Reached {
        int word, row;
        std::uint64_t sites;
    };

    static std::uint64_t reversed(std::uint64_t w) {
        const auto swapped = [](std::uint64_t v, int shift, std::uint64_t mask) {
            return (v >> shift & mask) | (v & mask) << shift;
        };
        w = swapped(w, 1, 0x5555555555555555u);
        w = swapped(w, 2, 0x3333333333333333u);
        w = swapped(w, 4, 0x0f0f0f0f0f0f0f0fu);
        return __builtin_bswap64(w);
    }
    /// Returns the sites of a word that are connected with `some` of them within the word.
    static std::uint64_t filled(std::uint64_t some, std::uint64_t all) {
        const auto upward = [](std::uint64_t from, std::uint64_t run) {
            return (run & ~(run + from)) | from;
        };
        return reversed(upward(reversed(upward(some, all)), reversed(all)));
    }
    void reach(int k, int row, std::uint64_t sites) {
        if ((word(k, row) & sites) != 0) reached_.push_back({k, row, sites});
    }
    void reach_neighbours(int k, int row, std::uint64_t sites) {
        const int last = words_ - 1, last_bit = (L_ - 1) % bits, y = row % L_;
        const int top = k == last ? last_bit : bits - 1, before = k == 0 ? last : k - 1;
        if (sites >> top & 1u) reach(k == last ? 0 : k + 1, row, 1);
        if (sites & 1u) reach(before, row, std::uint64_t{1} << (before == last ? last_bit : bits - 1));
        reach(k, y == 0 ? row + L_ - 1 : row - 1, sites);
        reach(k, y + 1 == L_ ? row - L_ + 1 : row + 1, sites);
        if (rows_ == L_) return;
        reach(k, row < L_ ? row + rows_ - L_ : row - L_, sites);
        reach(k, row + L_ < rows_ ? row + L_ : row + L_ - rows_, sites);
    }

    int L_, words_, rows_;
    std::vector<std::uint64_t> set_;  ///< (row, word)
    std::vector<Reached> reached_;
};

}  // namespace psflip
