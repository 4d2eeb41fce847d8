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

/// Allocates memory that this process shares with processes that it forks later.
template <class T>
T* shared_by_processes(std::size_t count) {
    void* memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(memory);
}

/// Makes ranks that are processes forked from this process, for tests without MPI. In every call, each rank
/// writes its arguments to shared memory and waits for the others.
class ForkedRanks final : public psflip::Ranks {
  public:
    static constexpr std::size_t max_bytes = std::size_t{256} << 20;  ///< limit for a rank in one call

    ForkedRanks(int size) : bytes_(shared_by_processes<std::byte>(size * max_bytes)) {
        size_ = size;
        barrier_ = shared_by_processes<pthread_barrier_t>(1);
        pthread_barrierattr_t shared;
        pthread_barrierattr_init(&shared);
        pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(barrier_, &shared, static_cast<unsigned>(size));
    }
    /// Calls work in one process per rank. Returns the number of processes that failed.
    int run(const std::function<void(psflip::Ranks&)>& work) {
        std::fflush(stdout);
        for (rank_ = 0; rank_ < size_; ++rank_)
            if (fork() == 0) child(work);
        int failed = 0, status = 0;
        while (wait(&status) > 0) failed += status != 0;
        return failed;
    }

    void finish_exchange() override {
        const auto down = messages_.to_below, up = messages_.to_above;
        std::ranges::copy(down, slot(rank_));
        std::ranges::copy(up, slot(rank_) + max_bytes / 2);
        meet();
        std::copy_n(slot(above()), messages_.from_above.size(), messages_.from_above.begin());
        std::copy_n(slot(below()) + max_bytes / 2, messages_.from_below.size(), messages_.from_below.begin());
        meet();
    }
    void sum(std::span<std::int32_t> values) override { add(values); }
    void sum(std::span<std::int64_t> values) override { add(values); }
    void broadcast(std::span<std::byte> bytes, int from) override {
        if (rank_ == from) std::ranges::copy(bytes, slot(from));
        meet();
        std::copy_n(slot(from), bytes.size(), bytes.begin());
        meet();
    }
    void all_to_all(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>,
                    std::span<const std::size_t>) override {
        throw std::logic_error("not of forked ranks");
    }
    void abort(int) noexcept override {}

  private:
    void begin_exchange(const Messages& messages) override { messages_ = messages; }
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
    std::byte* slot(int rank) const { return bytes_ + rank * max_bytes; }
    void meet() { pthread_barrier_wait(barrier_); }
    template <class T>
    void add(std::span<T> values) {
        std::ranges::copy(std::as_bytes(values), slot(rank_));
        meet();
        for (int r = 0; r < size_; ++r)
            for (std::size_t i = 0; r != rank_ && i < values.size(); ++i) {
                T other;
                std::memcpy(&other, slot(r) + i * sizeof(T), sizeof(T));
                values[i] += other;
            }
        meet();
    }

    std::byte* bytes_;
    pthread_barrier_t* barrier_;
    Messages messages_;
};
