#include "slab/mpi_ranks.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"
#include "base/process.hpp"

namespace psflip {
namespace {

/// Environment variables in which a launcher puts the number of ranks and the number of this rank.
struct LaunchNames {
    const char *ranks, *rank;
};

int number_of(const char* name, int low) {
    const std::string text = environment(name);
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size() && number >= low) return number;
    throw InputError(fmt::format("the environment variable {} is \"{}\", which is not a number of {}", name,
                                 text, low == 0 ? "a rank" : "ranks"));
}

}  // namespace

Launch launch() {
    constexpr LaunchNames launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                         {"PMI_SIZE", "PMI_RANK"},
                                         {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}};
    for (const auto& [ranks, rank] : launchers) {
        if (environment(ranks).empty() || environment(rank).empty()) continue;
        const Launch found{number_of(ranks, 1), number_of(rank, 0)};
        if (found.rank < found.ranks) return found;
        throw InputError(fmt::format(
            "the environment says that this is rank {} ({}) of {} ({}); start it by mpirun or srun, "
            "or without these variables",
            found.rank, rank, found.ranks, ranks));
    }
    return {};
}

}  // namespace psflip

#if PSFLIP_HAVE_MPI
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstdlib>

namespace psflip {
namespace {

/// Bytes of one message. MPI counts in 31 bits, so longer messages go in pieces with the same tag.
constexpr std::size_t piece_bytes = std::size_t{1} << 24;

/// Tells messages apart: with two ranks the rank below is also the rank above.
enum Tag { downwards, upwards, to_each };

std::string mpi_text(int result) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(result, text, &length);
    return {text, static_cast<std::size_t>(length)};
}

void check_mpi(int result, const char* call) {
    if (result != MPI_SUCCESS) throw EnvironmentError(fmt::format("{}: {}", call, mpi_text(result)));
}

/// Calls f(piece) for the pieces of an array, in order.
template <class T, class F>
void in_pieces(std::span<T> all, const F& f) {
    constexpr std::size_t most = piece_bytes / sizeof(T);
    for (std::size_t at = 0; at < all.size(); at += most) f(all.subspan(at, std::min(most, all.size() - at)));
}

/// Messages that are not complete yet.
class Requests {
  public:
    void receive(std::span<std::byte> bytes, int from, Tag tag, MPI_Comm comm) {
        in_pieces(bytes, [&](std::span<std::byte> piece) {
            check_mpi(MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, from, tag, comm,
                                &requests_.emplace_back(MPI_REQUEST_NULL)),
                      "MPI_Irecv");
        });
    }
    void send(std::span<const std::byte> bytes, int to, Tag tag, MPI_Comm comm) {
        in_pieces(bytes, [&](std::span<const std::byte> piece) {
            check_mpi(MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, to, tag, comm,
                                &requests_.emplace_back(MPI_REQUEST_NULL)),
                      "MPI_Isend");
        });
    }
    void wait() {
        std::vector<MPI_Status> statuses(requests_.size());
        const int result = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses.data());
        requests_.clear();
        if (result == MPI_ERR_IN_STATUS)
            for (const MPI_Status& status : statuses)
                if (status.MPI_ERROR != MPI_ERR_PENDING) check_mpi(status.MPI_ERROR, "MPI_Waitall");
        check_mpi(result, "MPI_Waitall");
    }

  private:
    std::vector<MPI_Request> requests_;
};

class MpiRanks final : public Ranks {
  public:
    MpiRanks() {
        check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
        check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
        check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    }

    bool takes_device_memory() const override {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
        return MPIX_Query_cuda_support() == 1;
#else
        return false;
#endif
    }

    void finish_exchange() override {
        exchange_.wait();
    }

    void sum(std::span<std::int32_t> values) override {
        sum_of(values, MPI_UINT32_T);
    }
    void sum(std::span<std::int64_t> values) override {
        sum_of(values, MPI_UINT64_T);
    }
    void broadcast(std::span<std::byte> bytes, int from) override {
        in_pieces(bytes, [&](std::span<std::byte> piece) {
            check_mpi(MPI_Bcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, from, comm_),
                      "MPI_Bcast");
        });
    }
    void all_to_all(std::span<const std::byte> mine, std::span<const std::size_t> to,
                    std::span<std::byte> theirs, std::span<const std::size_t> from) override {
        Requests requests;
        std::size_t sent = 0, received = 0;
        for (int r = 0; r < size_; ++r) {
            const auto part = mine.subspan(sent, to[static_cast<std::size_t>(r)]);
            const auto place = theirs.subspan(received, from[static_cast<std::size_t>(r)]);
            sent += part.size();
            received += place.size();
            if (r == rank_) {
                std::ranges::copy(part, place.begin());
                continue;
            }
            requests.receive(place, r, to_each, comm_);
            requests.send(part, r, to_each, comm_);
        }
        requests.wait();
    }
    void abort(int exit_code) noexcept override {
        MPI_Abort(comm_, exit_code);
        std::_Exit(exit_code);  // in case MPI_Abort returns
    }

  private:
    void begin_exchange(const Messages& messages) override {
        exchange_.receive(messages.from_above, above(), downwards, comm_);
        exchange_.receive(messages.from_below, below(), upwards, comm_);
        exchange_.send(messages.to_below, below(), downwards, comm_);
        exchange_.send(messages.to_above, above(), upwards, comm_);
    }
    template <class T>
    void sum_of(std::span<T> values, MPI_Datatype type) {
        in_pieces(values, [&](std::span<T> piece) {
            check_mpi(MPI_Allreduce(MPI_IN_PLACE, piece.data(), static_cast<int>(piece.size()), type, MPI_SUM,
                                    comm_),
                      "MPI_Allreduce");
        });
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    Requests exchange_;
};

}  // namespace

bool built_with_mpi() {
    return true;
}

MpiSession::MpiSession(const Launch& launch) {
    if (launch.ranks == 1) return;
    int given = MPI_THREAD_SINGLE;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given), "MPI_Init_thread");
    if (given < MPI_THREAD_FUNNELED)
        throw EnvironmentError("this MPI does not work with threads (MPI_THREAD_FUNNELED)");
    ranks_ = std::make_unique<MpiRanks>();
    if (ranks_->size() != launch.ranks)
        throw EnvironmentError(
            fmt::format("the launcher started {} ranks, but MPI knows {}; use the mpirun of the MPI that "
                        "psflip was built with",
                        launch.ranks, ranks_->size()));
}

MpiSession::~MpiSession() {
    if (ranks_) MPI_Finalize();
}

}  // namespace psflip

#else

namespace psflip {

bool built_with_mpi() {
    return false;
}

MpiSession::MpiSession(const Launch& launch) {
    if (launch.ranks > 1)
        throw InputError(fmt::format(
            "this psflip was built without MPI, so each of its {} ranks would do all of the work; start it "
            "without mpirun, or build psflip where MPI is installed (envs/install)",
            launch.ranks));
}

MpiSession::~MpiSession() = default;

}  // namespace psflip

#endif
