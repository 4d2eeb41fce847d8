#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>

#include "slab/ranks.hpp"

/// Memory that processes share which are forked afterwards.
template <class T>
T* shared_by_processes(std::size_t count) {
    void* memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(memory);
}

/// Ranks that are processes forked from this one, for tests without MPI: every call writes its arguments to
/// shared memory and meets the others.
class ForkedRanks final : public psflip::Ranks {
  public:
    static constexpr std::size_t most_bytes = std::size_t{256} << 20;  ///< of a call of one rank

    ForkedRanks(int size) : size_(size), bytes_(shared_by_processes<std::byte>(size * most_bytes)) {
        barrier_ = shared_by_processes<pthread_barrier_t>(1);
        pthread_barrierattr_t shared;
        pthread_barrierattr_init(&shared);
        pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(barrier_, &shared, static_cast<unsigned>(size));
    }
    /// Calls work in a process for each rank; the number of them that failed.
    int run(const std::function<void(psflip::Ranks&)>& work) {
        std::fflush(stdout);
        for (rank_ = 0; rank_ < size_; ++rank_)
            if (fork() == 0) child(work);
        int failed = 0, status = 0;
        while (wait(&status) > 0) failed += status != 0;
        return failed;
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    bool share_memory() const override { return false; }
    void start_exchange(const Messages& messages) override { messages_ = messages; }
    void finish_exchange() override {
        const auto down = messages_.to_below, up = messages_.to_above;
        std::ranges::copy(down, slot(rank_));
        std::ranges::copy(up, slot(rank_) + most_bytes / 2);
        barrier();
        std::copy_n(slot(above()), messages_.from_above.size(), messages_.from_above.begin());
        std::copy_n(slot(below()) + most_bytes / 2, messages_.from_below.size(),
                    messages_.from_below.begin());
        barrier();
    }
    void sum(std::span<std::int32_t> values) override { combine(values, std::plus<>()); }
    void sum(std::span<std::int64_t> values) override { combine(values, std::plus<>()); }
    std::int64_t maximum(std::int64_t value) override {
        combine(std::span(&value, 1), [](auto a, auto b) { return std::max(a, b); });
        return value;
    }
    void broadcast(std::span<std::byte> bytes, int from) override {
        if (rank_ == from) std::ranges::copy(bytes, slot(from));
        barrier();
        std::copy_n(slot(from), bytes.size(), bytes.begin());
        barrier();
    }
    std::vector<std::byte> all_gather(std::span<const std::byte> mine) override {
        std::ranges::copy(mine, slot(rank_));
        barrier();
        std::vector<std::byte> all;
        for (int r = 0; r < size_; ++r) all.insert(all.end(), slot(r), slot(r) + mine.size());
        barrier();
        return all;
    }
    void gather(std::span<const std::byte>, std::span<std::byte>, std::span<const std::size_t>) override {
        throw std::logic_error("not of forked ranks");
    }
    void all_to_all(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>,
                    std::span<const std::size_t>) override {
        throw std::logic_error("not of forked ranks");
    }
    void barrier() override { pthread_barrier_wait(barrier_); }
    void abort(int) noexcept override {}

  private:
    [[noreturn]] void child(const std::function<void(psflip::Ranks&)>& work) {
        alarm(120);
        int status = 0;
        try {
            work(*this);
        } catch (const std::exception& error) {
            std::printf("rank %d: %s\n", rank_, error.what());
            status = 1;
        }
        std::fflush(stdout);
        _exit(status);
    }
    std::byte* slot(int rank) const { return bytes_ + rank * most_bytes; }
    template <class T, class Operation>
    void combine(std::span<T> values, Operation operation) {
        std::ranges::copy(std::as_bytes(values), slot(rank_));
        barrier();
        for (int r = 0; r < size_; ++r)
            for (std::size_t i = 0; r != rank_ && i < values.size(); ++i) {
                T other;
                std::memcpy(&other, slot(r) + i * sizeof(T), sizeof(T));
                values[i] = operation(values[i], other);
            }
        barrier();
    }

    int rank_ = 0, size_;
    std::byte* bytes_;
    pthread_barrier_t* barrier_;
    Messages messages_;
};
