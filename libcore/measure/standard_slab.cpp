#include "measure/standard_slab.hpp"

#include <algorithm>
#include <vector>

#include "lattice/layout.hpp"

namespace psflip {
namespace {

Shape in_standard_order(Shape shape) {
    shape.order = SiteOrder::standard;
    return shape;
}

}  // namespace

StandardSlab::StandardSlab(Ranks& ranks, const Shape& sliced)
    : ranks_(ranks), sliced_(sliced), standard_(in_standard_order(sliced)) {}

void StandardSlab::move(const std::uint64_t* from, std::uint64_t* to, std::int64_t lattices,
                        int words) const {
    const HeldLattice slab = HeldLattice::of(sliced_), planes = HeldLattice::of(standard_);
    const int L = slab.L, own = slab.end - slab.begin;
    std::vector<std::size_t> bytes;  // sent and received, by rank; a row of L sites lies in both planes
    for (int rank = 0; rank < ranks_.size(); ++rank) {
        const std::size_t rows = std::size_t(own) * planes_of_rank(L, rank, ranks_.size()).count;
        bytes.push_back(rows * L * words * sizeof(std::uint64_t));
    }
    std::vector<std::uint64_t> sent(std::size_t(own) * L * L * words), received(sent.size());
    for (std::int64_t lattice = 0; lattice < lattices; ++lattice) {
        auto at = sent.begin();
        for (int z = 0; z < L; ++z)  // planes of ranks follow one another
            for (int w = slab.begin; w < slab.end; ++w)
                for (int u = 0; u < L; ++u)
                    at = std::copy_n(from + words * slab.index(u, wrapped(z - slab.plane(w), L), w), words,
                                     at);
        ranks_.all_to_all(std::as_bytes(std::span(sent)), bytes, std::as_writable_bytes(std::span(received)),
                          bytes);
        auto next = received.cbegin();
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            const SlabPlanes theirs = planes_of_rank(L, rank, ranks_.size());
            for (int z = planes.begin; z < planes.end; ++z)
                for (int w = theirs.first; w < theirs.first + theirs.count; ++w)
                    for (int x = 0; x < L; ++x, next += words) {
                        const int y = wrapped(x + wrapped(planes.plane(z) - w, L), L);
                        std::copy_n(next, words, to + words * planes.index(x, y, z));
                    }
        }
        from += words * sliced_.held_sites();
        to += words * standard_.held_sites();
    }
}

}  // namespace psflip
