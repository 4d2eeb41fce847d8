#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/device_buffer.cuh"
#include "sweep/sites/large_lattice_memory.hpp"
#include "sweep/sites/site_planes.hpp"
#include "sweep/sites/sites_batch_cuda.cuh"
#include "sweep/sweep_rule.hpp"

using namespace psflip;

namespace {

// The kernels of parts write halos into the memory of other ranks. Here all ranks are on one GPU, and one
// stream has the launches of all ranks one after the other. So no launch waits for a later one.

/// Holds the memory of a rank and the words of its launches, in the order of PeerHalo.
struct PartRank {
    SitesBatch batch;
    DeviceBuffer<std::uint64_t> words{4, "words of launches"};
    SitesPart part{};

    explicit PartRank(const LargeLatticeSetup& setup) : batch(setup, 1, 1, 1, 0, "auto", nullptr) {}
    std::uint64_t* finished(int side) { return words.data() + side; }
    std::uint32_t* other_words() { return reinterpret_cast<std::uint32_t*>(words.data() + sides); }
};

/// Sweeps a lattice that several ranks share.
class PartRanks {
  public:
    PartRanks(const LargeLatticeSetup& setup, const LargeLattice& start, int ranks, std::uint32_t rows)
        : setup_(setup),
          lanes_(start.lanes()),
          rule_(sweep_rule(setup.model, false)),
          planes_{lanes_, std::max(1, setup.tile), ranks},
          rows_(rows) {
        for (int rank = 0; rank < ranks; ++rank) {
            ranks_.push_back(std::make_unique<PartRank>(setup));
            PartRank& mine = *ranks_.back();
            upload(mine.batch.spins(0), start.words());
            if (mine.batch.couplings(setup.realization)) upload_couplings(mine);
            mine.words.zero(stream());
            mine.part.first = static_cast<std::uint32_t>(planes_.first(rank));
            mine.part.planes = static_cast<std::uint32_t>(planes_.own(rank));
        }
        for (int rank = 0; rank < ranks; ++rank) link(rank);
    }

    void step(std::int64_t number) {
        const TileColours first = TileColours::first(setup_.tile_order, number);
        for (std::uint32_t half = 0; half < 2; ++half) {
            ++launches_;
            for (const auto& rank : ranks_) {
                rank->part.links.number = launches_;
                launch_half(*rank, {half ^ first.tiles, first.first_sites},
                            static_cast<std::uint64_t>(number * setup_.hits));
            }
        }
    }
    LatticeSums sums() {
        std::int64_t all[2] = {0, 0};
        for (const auto& rank : ranks_) {
            DeviceBuffer<unsigned long long> sums(2, "sums");
            sums.zero(stream());
            launch_sites_sums(args(*rank), setup_.model.dimension, &rank->part, sums.data(), stream());
            std::vector<std::int64_t> found(2);
            sums.download(found, stream());
            for (int i = 0; i < 2; ++i) all[i] += found[static_cast<std::size_t>(i)];
        }
        return lattice_sums(lanes_, all[0], all[1]);
    }
    /// Returns the number of planes whose words differ from the words of the whole lattice, among the own
    /// planes and halos of all ranks.
    int wrong_planes(const std::vector<std::uint64_t>& wanted) {
        int wrong = 0;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            std::vector<std::uint64_t> found(wanted.size());
            PSFLIP_CUDA(cudaMemcpyAsync(found.data(), ranks_[rank]->batch.spins(0), 8 * found.size(),
                                        cudaMemcpyDeviceToHost, stream()));
            PSFLIP_CUDA(cudaStreamSynchronize(stream()));
            const int first = planes_.first(static_cast<int>(rank));
            for (int plane = first - 1; plane <= first + planes_.own(static_cast<int>(rank)); ++plane)
                for (int colour = 0; colour < 2; ++colour) {
                    const auto [offset, bytes] = planes_.part(colour, plane);
                    wrong += !std::equal(wanted.begin() + offset / 8, wanted.begin() + (offset + bytes) / 8,
                                         found.begin() + offset / 8);
                }
        }
        return wrong;
    }
    /// Returns whether every launch got the halos that it waited for.
    bool answered() {
        bool all = true;
        for (const auto& rank : ranks_) {
            std::vector<std::uint64_t> words(4);
            rank->words.download(words, stream());
            all = all && words[below] == launches_ && words[above] == launches_ && words[3] == 0;
        }
        return all;
    }

  private:
    cudaStream_t stream() const { return ranks_.front()->batch.stream().handle; }
    SitesArgs args(PartRank& rank) const {
        SitesArgs args{};
        static_cast<SitesShape&>(args) = rank.batch.shape();
        args.spins = rank.batch.spins(0);
        args.couplings = rank.batch.couplings(setup_.realization);
        args.realization = setup_.realization;
        args.replica = setup_.replica;
        args.slot = setup_.slot;
        if (rule_.plain)
            set_thresholds(args, acceptance_table(setup_.model, rule_, {setup_.beta}, 1).thresholds);
        return args;
    }
    void upload(uint4* to, const std::vector<std::uint64_t>& words) const {
        PSFLIP_CUDA(cudaMemcpyAsync(to, words.data(), 8 * words.size(), cudaMemcpyHostToDevice, stream()));
        PSFLIP_CUDA(cudaStreamSynchronize(stream()));
    }
    void upload_couplings(PartRank& rank) const {
        const LatticeStart start(setup_);
        const std::int64_t indices = lanes_.local_indices();
        std::vector<std::uint64_t> words(static_cast<std::size_t>(2 * indices * lanes_.dimension));
        for (std::int64_t word = 0; word < indices; ++word)
            for (int first = 0; first < lanes_of_lattice; first += 32) {
                std::uint32_t bits[3];
                start.couplings(word, first, bits);
                for (int d = 0; d < lanes_.dimension; ++d)
                    words[static_cast<std::size_t>(2 * (d * indices + word) + first / 64)] |=
                        std::uint64_t{bits[d]} << first % 64;
            }
        upload(rank.batch.couplings(setup_.realization), words);
    }
    void link(int number) {
        const int ranks = static_cast<int>(ranks_.size());
        PartRank &mine = *ranks_[static_cast<std::size_t>(number)],
                 &lower = *ranks_[static_cast<std::size_t>((number + ranks - 1) % ranks)],
                 &upper = *ranks_[static_cast<std::size_t>((number + 1) % ranks)];
        mine.part.by_peers = true;
        PeerLinks& links = mine.part.links;
        links.at[below].spins = lower.batch.spins(0);
        links.at[below].finished = lower.finished(above);
        links.at[above].spins = upper.batch.spins(0);
        links.at[above].finished = upper.finished(below);
        links.finished = mine.words.data();
        links.blocks_done = mine.other_words();
        links.failed = links.failed_on_host = mine.other_words() + 2;
    }
    void launch_half(PartRank& rank, const TileColours& half, std::uint64_t sweep) {
        const SitesArgs of_rank = args(rank);
        const int dimension = setup_.model.dimension;
        if (!rule_.plain)
            launch_sites_class(of_rank, class_args(setup_.model, rule_, {setup_.beta}, nullptr, nullptr),
                               rule_, &rank.part, half.tiles, sweep, stream());
        else if (setup_.tile == 0)
            launch_sites_streaming(of_rank, rule_.degree, {lane_words, rows_}, &rank.part, half.tiles, sweep,
                                   stream());
        else
            launch_sites_tiled(of_rank, dimension, setup_.tile, lane_words, lanes_.odd_lanes(setup_.tile),
                               &rank.part, half, sweep, setup_.hits, stream());
    }

    LargeLatticeSetup setup_;
    SiteLanes lanes_;
    SweepRule rule_;
    SitePlanes planes_;
    std::uint32_t rows_;
    std::uint64_t launches_ = 0;
    std::vector<std::unique_ptr<PartRank>> ranks_;
};

Model model(int dimension, bool glass) {
    return {.kind = glass ? ModelKind::edwards_anderson : ModelKind::ferromagnet,
            .dimension = dimension,
            .p_ferro = 0.6};
}

void check_parts(const LargeLatticeSetup& setup, std::initializer_list<int> numbers, std::uint32_t rows = 1) {
    CAPTURE(setup.model.dimension);
    CAPTURE(setup.L);
    CAPTURE(setup.tile);
    CAPTURE(rows);
    for (const int ranks : numbers) {
        CAPTURE(ranks);
        const auto host = make_large_lattice({.backend = "cpu"}, setup);
        PartRanks parts(setup, *host, ranks, rows);
        for (int step = 0; step < 3; ++step) {
            parts.step(step);
            host->advance(1);
            CHECK(parts.wrong_planes(host->words()) == 0);
            CHECK(parts.sums() == host->sums());
        }
        CHECK(parts.answered());
    }
}

}  // namespace

TEST_CASE("parts of large lattices write the halos of their neighbours: plain checkerboard") {
    for (const bool glass : {false, true}) {
        for (const std::uint32_t rows : {1, 3, 16}) {
            check_parts({.model = model(2, glass), .L = 64, .beta = 0.5}, {1, 2, 3, 4}, rows);
            check_parts({.model = model(2, glass), .L = 192, .beta = 0.5, .realization = 33, .slot = 2},
                        {2, 5, 12}, rows);
            check_parts({.model = model(2, glass), .L = 1024, .beta = 0.44, .replica = 1}, {1, 3}, rows);
        }
        check_parts({.model = model(2, glass), .L = 4096, .beta = 0.44}, {3}, 16);
        for (const std::uint32_t rows : {1, 4})
            check_parts({.model = model(3, glass), .L = 32, .beta = 0.3}, {1, 2, 3, 4}, rows);
        check_parts({.model = model(3, glass), .L = 96, .beta = 0.3}, {2, 5}, 8);
    }
}

TEST_CASE("parts of large lattices write the halos of their neighbours: fields and heat baths") {
    for (const double field : {0.0, 0.4})
        for (const Update update : {Update::metropolis, Update::heat_bath})
            for (const int dimension : {2, 3}) {
                LargeLatticeSetup setup{.model = model(dimension, true), .L = 64, .beta = 0.4};
                setup.model.field = field;
                setup.model.update = update;
                check_parts(setup, {1, 2, 3});
            }
}

TEST_CASE("parts of large lattices write the halos of their neighbours: tiles") {
    for (const bool glass : {false, true}) {
        for (const int tile : {2, 4})
            check_parts({.model = model(2, glass), .L = 256, .beta = 0.5, .tile = tile, .hits = 3},
                        {1, 2, 3});
        check_parts({.model = model(2, glass), .L = 2048, .beta = 0.5, .tile = 32, .hits = 2}, {2, 3});
        check_parts({.model = model(3, glass), .L = 64, .beta = 0.3, .tile = 2, .hits = 2}, {2, 3});
        check_parts({.model = model(3, glass), .L = 128, .beta = 0.3, .tile = 8, .hits = 2}, {1, 2});
        check_parts({.model = model(2, glass),
                     .L = 256,
                     .beta = 0.5,
                     .tile = 4,
                     .hits = 2,
                     .tile_order = TileOrder::reversed},
                    {2});
        // Subdomains with an odd number of tiles along an axis.
        check_parts({.model = model(2, glass), .L = 192, .beta = 0.5, .tile = 4, .hits = 2}, {1, 2, 3});
        check_parts({.model = model(3, glass), .L = 96, .beta = 0.3, .tile = 4, .hits = 2}, {2, 3});
    }
}
