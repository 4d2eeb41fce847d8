// Declares the ranks of one call: threads or MPI processes that share every lattice, one slab each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace psflip {

/// Connects the ranks that simulate one batch together, each with a slab of every lattice. Rank r + 1 is
/// above rank r, and rank 0 is above the last rank.
///
/// Collective functions are the exchanges, sum, exclusive_or, broadcast, all_to_all, gathers, maximum and
/// barrier. Every rank calls them in the same order, with arguments of equal sizes unless their comment says
/// otherwise.
/// Except for start_exchange, they return when the rank's arrays may be used again. A rank that ends in an
/// exception must call abort, or the others wait for it forever. Only one thread of a rank may be in these
/// functions at a time; with MPI it must be the main thread (MPI_THREAD_FUNNELED). Errors: EnvironmentError
/// if MPI fails or if another rank that is a thread has failed; std::logic_error for unequal sizes between
/// threads.
class Ranks {
  public:
    virtual ~Ranks() = default;
    int rank() const { return rank_; }
    int size() const { return size_; }
    int below() const { return (rank_ + size_ - 1) % size_; }
    int above() const { return (rank_ + 1) % size_; }
    bool alone() const { return size_ == 1; }
    bool is_first() const { return rank_ == 0; }
    /// Returns whether the ranks are threads of this process.
    virtual bool share_memory() const { return false; }
    /// Returns whether messages may be in the memory of a GPU.
    virtual bool takes_device_memory() const { return false; }

    /// Names the arrays to send to the neighbours, and the arrays to receive from the neighbours. `to_below`
    /// of a rank arrives in `from_above` of the rank below. Both have equal sizes, which may be 0. Do not
    /// touch the arrays until finish_exchange returns. Only one exchange at a time is possible. Other
    /// collective calls between start and finish are allowed.
    struct Messages {
        std::span<const std::byte> to_below, to_above;
        std::span<std::byte> from_below, from_above;
    };
    void start_exchange(const Messages& messages) {
        count_messages((messages.to_below.empty() ? 0 : 1) + (messages.to_above.empty() ? 0 : 1));
        begin_exchange(messages);
    }
    virtual void finish_exchange() = 0;
    /// Returns the number of messages that this rank has sent to its neighbours, without empty messages. The
    /// halos that one launch of a kernel writes into the GPU of a neighbour count as one message.
    std::int64_t sent_messages() const { return sent_; }
    /// Counts messages that do not use start_exchange.
    void count_messages(int number) { sent_ += number; }

    /// Replaces each value by its sum over the ranks, modulo 2^32 or 2^64. The result does not depend on the
    /// order of the ranks.
    virtual void sum(std::span<std::int32_t> values) = 0;
    virtual void sum(std::span<std::int64_t> values) = 0;
    /// Copies the bytes of rank `from` to all ranks.
    virtual void broadcast(std::span<std::byte> bytes, int from) = 0;
    /// Sends to[r] bytes of `mine` to rank r, in the order of the ranks. `theirs` gets from[r] bytes of rank
    /// r, in the same order. Sizes may be 0; to[r] equals the size that rank r expects from this rank.
    virtual void all_to_all(std::span<const std::byte> mine, std::span<const std::size_t> to,
                            std::span<std::byte> theirs, std::span<const std::size_t> from) = 0;
    /// Ends the other ranks. With MPI, ends all processes with this exit code and does not return. If ranks
    /// are threads, the others get an EnvironmentError. Not collective.
    virtual void abort(int exit_code) noexcept = 0;

    /// Returns the bytes of all ranks, one after the other in the order of ranks.
    std::vector<std::byte> all_gather(std::span<const std::byte> mine);
    /// Writes the bytes of all ranks, one after the other, to `all` on rank 0. On other ranks `all` is empty.
    /// sizes: number of bytes of each rank, equal on all ranks.
    void gather(std::span<const std::byte> mine, std::span<std::byte> all,
                std::span<const std::size_t> sizes);
    /// Replaces each word by its exclusive or over all ranks. Returns the exclusive or over the ranks with
    /// lower numbers, which is 0 on rank 0.
    std::vector<std::uint64_t> exclusive_or(std::span<std::uint64_t> words);
    /// Returns the largest value of all ranks.
    std::int64_t maximum(std::int64_t value);
    /// Returns when all ranks have called it.
    void barrier();

  protected:
    virtual void begin_exchange(const Messages& messages) = 0;

    int rank_ = 0, size_ = 1;

  private:
    std::int64_t sent_ = 0;
};

/// Returns a single rank, rank 0 of 1, for calls whose lattices are not cut into slabs. Each thread has its
/// own single rank, which is valid as long as the thread.
Ranks& single_rank();

/// Calls `work` once for every rank, each in its own thread, and waits for all threads. If one rank throws,
/// the others stop at their next collective call. Errors: the exception of the lowest rank that failed by
/// itself.
void with_local_ranks(int ranks, const std::function<void(Ranks&)>& work);

/// Names the planes of a rank. `first` is even, and `count` is even and at least 2. If pairs of planes do not
/// divide evenly, the first ranks have one pair more.
struct SlabPlanes {
    int first, count;
};
/// Returns the planes of a rank. Errors: InputError if the ranks are too many for L planes.
SlabPlanes planes_of_rank(int L, int rank, int ranks);

}  // namespace psflip
