#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace psflip {

/// The ranks that simulate one batch together, each with a slab of every lattice. Rank r + 1 is above rank r,
/// rank 0 above the last.
///
/// All functions but rank, size, share_memory, takes_device_memory and abort are collective: every rank calls
/// them, in the same order, with arguments of the same sizes where nothing else is said. They return when the
/// rank's own arrays may be used again. A rank that ends in an exception must call abort, or the others wait
/// for it forever. For one thread of a rank at a time.
class Ranks {
  public:
    virtual ~Ranks() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    int below() const { return (rank() + size() - 1) % size(); }
    int above() const { return (rank() + 1) % size(); }
    bool alone() const { return size() == 1; }
    bool is_first() const { return rank() == 0; }
    /// Whether the ranks are threads of this process.
    virtual bool share_memory() const = 0;
    /// Whether messages may lie in the memory of a GPU.
    virtual bool takes_device_memory() const { return false; }

    /// What goes to the neighbours, and where to put what comes from them. What one sends below the other
    /// receives from above; sizes agree in pairs, and may be 0. The arrays stay as they are from
    /// start_exchange to finish_exchange.
    struct Messages {
        std::span<const std::byte> to_below, to_above;
        std::span<std::byte> from_below, from_above;
    };
    virtual void start_exchange(const Messages& messages) = 0;
    virtual void finish_exchange() = 0;

    /// The sum over ranks, element by element, to all of them; modulo 2^32 or 2^64.
    virtual void sum(std::span<std::int32_t> values) = 0;
    virtual void sum(std::span<std::int64_t> values) = 0;
    /// The largest value of all ranks.
    virtual std::int64_t maximum(std::int64_t value) = 0;
    /// The bytes of rank `from` to all.
    virtual void broadcast(std::span<std::byte> bytes, int from) = 0;
    /// The bytes of all ranks, one after the other, to all; each has as many.
    virtual std::vector<std::byte> all_gather(std::span<const std::byte> mine) = 0;
    /// The bytes of all ranks, one after the other, to rank 0; all know the `sizes`. `all` is empty
    /// elsewhere.
    virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all,
                        std::span<const std::size_t> sizes) = 0;
    /// What every rank has for every other: `mine` to all ranks, one after the other, of to[r] bytes for rank
    /// r; `theirs` from all ranks likewise, of from[r] bytes. Sizes agree in pairs, and may be 0.
    virtual void all_to_all(std::span<const std::byte> mine, std::span<const std::size_t> to,
                            std::span<std::byte> theirs, std::span<const std::size_t> from) = 0;
    virtual void barrier() = 0;

    /// Ends the calls of the other ranks, which wait or will: MPI ends their processes with this exit code,
    /// threads get an EnvironmentError. Not collective.
    virtual void abort(int exit_code) noexcept = 0;
};

/// One rank that has nobody to talk to.
Ranks& single_rank();

/// The planes of a rank: an even number of them, at least two, from an even one on; the first ranks have two
/// more where they do not divide evenly.
struct SlabPlanes {
    int first, count;
};
/// Throws InputError where there are too many ranks for L planes.
SlabPlanes planes_of_rank(int L, int rank, int ranks);

}  // namespace psflip
