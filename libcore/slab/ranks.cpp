#include "slab/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "base/error.hpp"

namespace psflip {
namespace {

/// Thrown in the ranks that wait for one that failed.
class RankStopped : public EnvironmentError {
  public:
    using EnvironmentError::EnvironmentError;
};

/// Where the ranks of one process wait for each other, with the argument of each rank's present call.
class Meeting {
  public:
    explicit Meeting(int ranks) : arguments(ranks), ranks_(ranks) {}

    /// Returns when all ranks are here.
    void wait() {
        std::unique_lock lock(mutex_);
        check();
        const std::int64_t round = round_;
        if (++here_ == ranks_) {
            here_ = 0;
            ++round_;
            all_here_.notify_all();
            return;
        }
        all_here_.wait(lock, [&] { return round_ != round || failed_; });
        if (round_ == round) check();
    }
    void abort() {
        const std::scoped_lock lock(mutex_);
        failed_ = true;
        all_here_.notify_all();
    }

    std::vector<const void*> arguments;

  private:
    void check() const {
        if (failed_) throw RankStopped("another rank has failed");
    }

    int ranks_, here_ = 0;
    std::int64_t round_ = 0;
    bool failed_ = false;
    std::mutex mutex_;
    std::condition_variable all_here_;
};

/// A rank that is a thread of this process. A rank alone needs no meeting.
class LocalRanks final : public Ranks {
  public:
    LocalRanks() = default;
    LocalRanks(Meeting& meeting, int rank, int size) : meeting_(&meeting) { rank_ = rank, size_ = size; }

    bool share_memory() const override { return true; }
    void finish_exchange() override {
        meet(messages_, [&](const auto& of) {
            copy(of(below()).to_above, messages_.from_below);
            copy(of(above()).to_below, messages_.from_above);
        });
    }
    void sum(std::span<std::int32_t> values) override { sum_of(values); }
    void sum(std::span<std::int64_t> values) override { sum_of(values); }
    void broadcast(std::span<std::byte> bytes, int from) override {
        meet(bytes, [&](const auto& of) {
            if (rank_ != from) copy(of(from), bytes);
        });
    }
    void all_to_all(std::span<const std::byte> mine, std::span<const std::size_t> to,
                    std::span<std::byte> theirs, std::span<const std::size_t> from) override {
        std::vector<std::span<const std::byte>> parts;
        for (std::size_t r = 0, at = 0; r < to.size(); at += to[r++])
            parts.push_back(mine.subspan(at, to[r]));
        meet(parts, [&](const auto& of) {
            for (std::size_t r = 0, at = 0; r < from.size(); at += from[r++])
                copy(of(static_cast<int>(r))[static_cast<std::size_t>(rank_)], theirs.subspan(at, from[r]));
        });
    }
    void abort(int) noexcept override {
        if (meeting_) meeting_->abort();
    }

  private:
    void begin_exchange(const Messages& messages) override { messages_ = messages; }
    /// Calls take(of) while the arguments of all ranks stay as they are; of(r) is the argument of rank r.
    template <class T, class Take>
    void meet(const T& mine, const Take& take) {
        if (!meeting_) return take([&](int) -> const T& { return mine; });
        meeting_->arguments[rank_] = &mine;
        meeting_->wait();
        take([&](int r) -> const T& { return *static_cast<const T*>(meeting_->arguments[r]); });
        meeting_->wait();
    }
    static void copy(std::span<const std::byte> from, std::span<std::byte> to) {
        if (from.size() != to.size()) throw std::logic_error("ranks exchange messages of unequal sizes");
        if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
    }
    template <class T>
    void sum_of(std::span<T> values) {
        const std::vector<T> mine(values.begin(), values.end());
        meet(mine, [&](const auto& of) {
            for (int r = 0; r < size_; ++r) {
                if (r == rank_) continue;
                using Unsigned = std::make_unsigned_t<T>;
                for (std::size_t i = 0; i < values.size(); ++i)
                    values[i] =
                        static_cast<T>(static_cast<Unsigned>(values[i]) + static_cast<Unsigned>(of(r)[i]));
            }
        });
    }

    Meeting* meeting_ = nullptr;
    Messages messages_;
};

}  // namespace

std::vector<std::byte> Ranks::all_gather(std::span<const std::byte> mine) {
    std::vector<std::byte> all(mine.size() * static_cast<std::size_t>(size_));
    for (int r = 0; r < size_; ++r) {
        const auto place = std::span(all).subspan(mine.size() * static_cast<std::size_t>(r), mine.size());
        if (r == rank_) std::ranges::copy(mine, place.begin());
        broadcast(place, r);
    }
    return all;
}

void Ranks::gather(std::span<const std::byte> mine, std::span<std::byte> all,
                   std::span<const std::size_t> sizes) {
    std::vector<std::size_t> to(sizes.size(), 0), none(sizes.size(), 0);
    to[0] = mine.size();
    all_to_all(mine, to, all, is_first() ? sizes : none);
}

std::vector<std::uint64_t> Ranks::exclusive_or(std::span<std::uint64_t> words) {
    std::vector<std::uint64_t> all(words.size(), 0), lower, other(words.size());
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) {
            lower = all;
            std::ranges::copy(words, other.begin());
        }
        broadcast(std::as_writable_bytes(std::span(other)), r);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] ^= other[i];
    }
    std::ranges::copy(all, words.begin());
    return lower;
}

std::int64_t Ranks::maximum(std::int64_t value) {
    std::int64_t largest = value;
    for (int r = 0; r < size_; ++r) {
        std::int64_t other = value;
        broadcast(std::as_writable_bytes(std::span(&other, 1)), r);
        largest = std::max(largest, other);
    }
    return largest;
}

void Ranks::barrier() {
    std::int64_t none = 0;
    sum(std::span(&none, 1));
}

Ranks& single_rank() {
    thread_local LocalRanks rank;
    return rank;
}

void with_local_ranks(int ranks, const std::function<void(Ranks&)>& work) {
    Meeting meeting(ranks);
    std::vector<std::exception_ptr> failures(ranks), stopped(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            LocalRanks mine(meeting, rank, ranks);
            try {
                work(mine);
            } catch (const RankStopped&) {
                stopped[rank] = std::current_exception();
            } catch (...) {
                failures[rank] = std::current_exception();
                mine.abort(0);
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const auto* list : {&failures, &stopped})
        for (const std::exception_ptr& failure : *list)
            if (failure) std::rethrow_exception(failure);
}

SlabPlanes planes_of_rank(int L, int rank, int ranks) {
    const int layers = L / 2;  // of two planes, one of each colour in the sliced order
    if (ranks > layers)
        throw InputError(fmt::format(
            "{} ranks are too many for L = {}, because a slab has two planes or more; use at most {} ranks",
            ranks, L, layers));
    const int each = layers / ranks, more = layers % ranks;
    return {2 * (rank * each + std::min(rank, more)), 2 * (each + (rank < more ? 1 : 0))};
}

}  // namespace psflip
