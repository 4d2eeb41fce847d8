#include "slab/local_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
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

/// What the ranks of one process share: where each of them has its arguments of the present call.
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

class LocalRanks final : public Ranks {
  public:
    LocalRanks(Meeting& meeting, int rank, int size) : meeting_(meeting), rank_(rank), size_(size) {}

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    bool share_memory() const override { return true; }

    void start_exchange(const Messages& messages) override { messages_ = messages; }
    void finish_exchange() override {
        meet(&messages_, [&] {
            copy(of<Messages>(below()).to_above, messages_.from_below);
            copy(of<Messages>(above()).to_below, messages_.from_above);
        });
    }
    void sum(std::span<std::int32_t> values) override { sum_of(values); }
    void sum(std::span<std::int64_t> values) override { sum_of(values); }
    std::int64_t maximum(std::int64_t value) override {
        std::int64_t largest = value;
        meet(&value, [&] {
            for (int r = 0; r < size_; ++r) largest = std::max(largest, of<std::int64_t>(r));
        });
        return largest;
    }
    void broadcast(std::span<std::byte> bytes, int from) override {
        meet(&bytes, [&] {
            if (rank_ != from) copy(of<std::span<std::byte>>(from), bytes);
        });
    }
    std::vector<std::byte> all_gather(std::span<const std::byte> mine) override {
        std::vector<std::byte> all;
        meet(&mine, [&] {
            for (int r = 0; r < size_; ++r) {
                const auto& bytes = of<std::span<const std::byte>>(r);
                all.insert(all.end(), bytes.begin(), bytes.end());
            }
        });
        return all;
    }
    void gather(std::span<const std::byte> mine, std::span<std::byte> all,
                std::span<const std::size_t> sizes) override {
        meet(&mine, [&] {
            if (rank_ != 0) return;
            for (std::size_t r = 0, at = 0; r < sizes.size(); at += sizes[r++])
                copy(of<std::span<const std::byte>>(static_cast<int>(r)), all.subspan(at, sizes[r]));
        });
    }
    void all_to_all(std::span<const std::byte> mine, std::span<const std::size_t> to,
                    std::span<std::byte> theirs, std::span<const std::size_t> from) override {
        std::vector<std::span<const std::byte>> parts;
        for (std::size_t r = 0, at = 0; r < to.size(); at += to[r++])
            parts.push_back(mine.subspan(at, to[r]));
        meet(&parts, [&] {
            for (std::size_t r = 0, at = 0; r < from.size(); at += from[r++])
                copy(of<decltype(parts)>(static_cast<int>(r))[static_cast<std::size_t>(rank_)],
                     theirs.subspan(at, from[r]));
        });
    }
    void barrier() override { meeting_.wait(); }
    void abort(int) noexcept override { meeting_.abort(); }

  private:
    /// Calls `take` while the arguments of all ranks stay as they are.
    template <class Take>
    void meet(const void* argument, const Take& take) {
        meeting_.arguments[rank_] = argument;
        meeting_.wait();
        take();
        meeting_.wait();
    }
    template <class T>
    const T& of(int rank) const {
        return *static_cast<const T*>(meeting_.arguments[rank]);
    }
    static void copy(std::span<const std::byte> from, std::span<std::byte> to) {
        if (from.size() != to.size()) throw std::logic_error("ranks exchange messages of unequal sizes");
        if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
    }
    template <class T>
    void sum_of(std::span<T> values) {
        const std::vector<T> mine(values.begin(), values.end());
        meet(&mine, [&] {
            for (int r = 0; r < size_; ++r) {
                if (r == rank_) continue;
                const auto& other = of<std::vector<T>>(r);
                using Unsigned = std::make_unsigned_t<T>;
                for (std::size_t i = 0; i < values.size(); ++i)
                    values[i] =
                        static_cast<T>(static_cast<Unsigned>(values[i]) + static_cast<Unsigned>(other[i]));
            }
        });
    }

    Meeting& meeting_;
    int rank_, size_;
    Messages messages_;
};

}  // namespace

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

}  // namespace psflip
