#include "slab/mpi_ranks.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

#if PSFLIP_HAVE_MPI
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstdlib>

namespace psflip {
namespace {

/// Bytes of one message of MPI, which counts in 31 bits; longer ones go in pieces of the same tag.
constexpr std::size_t piece_bytes = std::size_t{1} << 24;

/// Which way a message goes: with two ranks the one below is the one above, too.
enum Tag { downwards, upwards, to_first, to_each };

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

/// The messages of MPI that are on their way.
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

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    bool share_memory() const override { return false; }
    bool takes_device_memory() const override {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
        return MPIX_Query_cuda_support() == 1;
#else
        return false;
#endif
    }

    void start_exchange(const Messages& messages) override {
        exchange_.receive(messages.from_above, above(), downwards, comm_);
        exchange_.receive(messages.from_below, below(), upwards, comm_);
        exchange_.send(messages.to_below, below(), downwards, comm_);
        exchange_.send(messages.to_above, above(), upwards, comm_);
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
    std::int64_t maximum(std::int64_t value) override {
        std::int64_t largest = value;
        check_mpi(MPI_Allreduce(&value, &largest, 1, MPI_INT64_T, MPI_MAX, comm_), "MPI_Allreduce");
        return largest;
    }
    void broadcast(std::span<std::byte> bytes, int from) override {
        in_pieces(bytes, [&](std::span<std::byte> piece) {
            check_mpi(MPI_Bcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, from, comm_),
                      "MPI_Bcast");
        });
    }
    std::vector<std::byte> all_gather(std::span<const std::byte> mine) override {
        std::vector<std::byte> all(mine.size() * static_cast<std::size_t>(size_));
        for (int r = 0; r < size_; ++r) {
            const auto place = std::span(all).subspan(mine.size() * static_cast<std::size_t>(r), mine.size());
            if (r == rank_) std::ranges::copy(mine, place.begin());
            broadcast(place, r);
        }
        return all;
    }
    void gather(std::span<const std::byte> mine, std::span<std::byte> all,
                std::span<const std::size_t> sizes) override {
        Requests requests;
        if (rank_ != 0) {
            requests.send(mine, 0, to_first, comm_);
        } else {
            std::ranges::copy(mine, all.begin());
            std::size_t at = mine.size();
            for (int r = 1; r < size_; at += sizes[static_cast<std::size_t>(r++)])
                requests.receive(all.subspan(at, sizes[static_cast<std::size_t>(r)]), r, to_first, comm_);
        }
        requests.wait();
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
    void barrier() override {
        check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
    }
    void abort(int exit_code) noexcept override {
        MPI_Abort(comm_, exit_code);
        std::_Exit(exit_code);  // should that return
    }

  private:
    template <class T>
    void sum_of(std::span<T> values, MPI_Datatype type) {
        in_pieces(values, [&](std::span<T> piece) {
            check_mpi(MPI_Allreduce(MPI_IN_PLACE, piece.data(), static_cast<int>(piece.size()), type, MPI_SUM,
                                    comm_),
                      "MPI_Allreduce");
        });
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
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
        throw EnvironmentError("this MPI does not work beside threads (MPI_THREAD_FUNNELED)");
    ranks_ = std::make_unique<MpiRanks>();
    if (ranks_->size() != launch.ranks)
        throw EnvironmentError(
            fmt::format("the launcher started {} ranks, but MPI knows {}: is it the mpirun of another MPI "
                        "than psflip was built with?",
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
        throw InputError(
            fmt::format("this psflip was built without MPI, so its {} ranks would all do the same; start it "
                        "without mpirun, or build it where MPI is installed (envs/install)",
                        launch.ranks));
}

MpiSession::~MpiSession() = default;

}  // namespace psflip

#endif
