#include "sweep/replicas/replica_ensemble_cuda.hpp"

#include <optional>
#include <span>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "base/error.hpp"
#include "lattice/packing.hpp"
#include "sweep/cuda/device_arrays_cuda.cuh"
#include "sweep/kernel_request.hpp"
#include "sweep/replicas/replica_halo_cuda.cuh"
#include "sweep/replicas/replica_houdayer_cuda.cuh"
#include "sweep/replicas/replica_kernels.hpp"
#include "sweep/replicas/replica_launch_cuda.cuh"
#include "sweep/replicas/replica_packing.hpp"

namespace psflip {

namespace {

template <class T, class Host>
DeviceBuffer<T> uploaded(const Host& host, const char* what, cudaStream_t stream) {
    DeviceBuffer<T> buffer(host.size(), what);
    buffer.upload(host, stream);
    return buffer;
}

template <class T>
DeviceBuffer<T> zeros(std::size_t size, const char* what, cudaStream_t stream) {
    DeviceBuffer<T> buffer(size, what);
    buffer.zero(stream);
    return buffer;
}

}  // namespace

struct ReplicaCudaEnsemble::Words {
    DeviceBuffer<std::uint32_t> spins, thresholds, used, arrivals, counts, finished;
    DeviceBuffer<std::uint8_t> bonds, absent;
    DeviceBuffer<std::int32_t> numbers_of_bonds;
    ReplicaSweepArgs args;
    ReplicaEnergies energies;
    std::optional<ReplicaHalo> halo;          ///< of slabs
    std::optional<ReplicaHoudayer> houdayer;  ///< set by the first move
    const std::uint32_t* pending = nullptr;   ///< mask of an exchange that is not carried out yet
    bool energies_wanted = false, energies_ready = false, columns_ready = false;  ///< belong to the spins
};

ReplicaCudaEnsemble::ReplicaCudaEnsemble(const BatchSetup& setup)
    : DeviceEnsemble(setup),
      words_(std::make_unique<Words>()),
      parts_{{0, 0, setup.shape.columns(), setup.shape.replicas, arrays().stream.handle}} {
    Words& w = *words_;
    const Shape& shape = setup.shape;
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    const auto R = static_cast<std::size_t>(shape.realizations);
    w.spins = DeviceBuffer<std::uint32_t>::for_peers(R * layout.lattice_words(), "spins");
    w.spins.zero(stream());
    w.arrivals = zeros<std::uint32_t>(R, "meetings", stream());
    w.counts = zeros<std::uint32_t>(R * 64 * layout.words(), "unsatisfied bonds", stream());
    w.finished = zeros<std::uint32_t>(R, "blocks", stream());
    upload_bond_bytes(setup.couplings);
    w.args = {};
    w.args.view = {layout,
                   w.spins.data(),
                   w.bonds.data(),
                   w.absent.data(),
                   nullptr,
                   nullptr,
                   0,
                   static_cast<std::uint32_t>(shape.first_realization),
                   key()};
    w.args.realizations = shape.realizations;
    if (rule().has_demons()) w.args.chains = DemonChains::of(layout.L, layout.depth, rule().demon_sites);
    cut(parse_kernel(setup.choice.kernel));
    if (shape.is_slab())
        w.halo.emplace(ranks(), replica_plane_memory(shape, w.spins.data()), setup.choice.halo, device());
    w.args.arrivals = w.arrivals.data();
    w.args.row_part = static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + layout.L - 1) / layout.L);
    w.energies = {w.counts.data(),
                  w.finished.data(),
                  w.numbers_of_bonds.data(),
                  shape.energy_unit(),
                  ranks().is_first() ? static_cast<std::int32_t>(shape.sites()) : 0,
                  device_energies(),
                  device_magnetisations()};
    set_thresholds();
}

ReplicaCudaEnsemble::~ReplicaCudaEnsemble() = default;

void ReplicaCudaEnsemble::cut(const KernelRequest& wanted) {
    Words& w = *words_;
    const ReplicaLayout& layout = w.args.view.layout;
    if (wanted.parts > 1)
        throw InputError(
            "batch slices do not go with multispin.lanes = replicas; leave /1 or /2 out of --kernel");
    if (!shape_.is_slab()) {
        w.args.cut = cut_replicas(layout, shape_.realizations, rule(), device(), wanted);
        return;
    }
    const HeldLattice held = HeldLattice::of(shape_);
    w.args.part = {static_cast<std::uint32_t>(held.begin * shape_.L),
                   static_cast<std::uint32_t>((held.end - held.begin) * shape_.L),
                   static_cast<std::uint32_t>(held.first)};
    w.args.cut = cut_replica_slab(layout, w.args.part, shape_.realizations, rule(), device(), wanted);
}

/// Uploads couplings, absent bonds and the number of bonds of each realization. For slabs rank 0 has the
/// number of whole lattices and the others 0, so that energies add up.
void ReplicaCudaEnsemble::upload_bond_bytes(std::span<const std::int8_t> couplings) {
    Words& w = *words_;
    ThreadPool pool(0);
    w.bonds =
        uploaded<std::uint8_t>(pack_replica_bond_bytes(shape_, couplings, -1, pool), "couplings", stream());
    if (rule().absent)
        w.absent = uploaded<std::uint8_t>(pack_replica_bond_bytes(shape_, couplings, 0, pool), "absent bonds",
                                          stream());
    std::vector<std::int32_t> numbers = count_absent_bonds(shape_, couplings);
    ranks().sum(std::span(numbers));
    for (std::int32_t& number : numbers)
        number = ranks().is_first()
                     ? static_cast<std::int32_t>(shape_.bonds() / shape_.energy_unit()) - number
                     : 0;
    w.numbers_of_bonds = uploaded<std::int32_t>(numbers, "numbers of bonds", stream());
}

void ReplicaCudaEnsemble::set_thresholds() {
    Words& w = *words_;
    const AcceptanceTable acceptance = acceptance_table(model_, rule(), betas_, shape_.temperatures);
    const ReplicaTables tables(w.args.view.layout, acceptance, own_thresholds(rule()));
    const auto plain = [](const auto& numbers) {
        return std::vector<std::uint32_t>(numbers.begin(), numbers.end());
    };
    w.thresholds = uploaded<std::uint32_t>(plain(tables.late), "thresholds", stream());
    w.used = uploaded<std::uint32_t>(plain(tables.used), "lanes", stream());
    w.args.view.thresholds = w.thresholds.data();
    w.args.view.used = w.used.data();
    w.args.view.always = always_bits(acceptance);
}

void ReplicaCudaEnsemble::put_betas(const std::vector<double>& betas) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    betas_ = betas;
    set_thresholds();
}

/// Launches the pending exchange, sweeps, and energies if they are wanted and not ready.
void ReplicaCudaEnsemble::launch_words(std::int64_t first, int sweeps) const {
    PSFLIP_CUDA(cudaSetDevice(device()));
    Words& w = *words_;
    w.args.mask = w.pending;
    w.args.first = first;
    w.args.sweeps = sweeps;
    if (sweeps > 0) w.energies_ready = false;
    w.args.count = w.energies;
    if (!w.energies_wanted || w.energies_ready) w.args.count.energies = nullptr;
    if (!w.args.mask && sweeps == 0 && !w.args.count.energies) return;
    if (w.halo) {
        launch_replica_slab(w.args, rule(), *w.halo, stream());
        if (w.args.count.energies) sum_energies();
    } else {
        launch_replicas(w.args, rule(), stream());
        w.args.arrived += replica_arrivals(w.args);
    }
    w.pending = nullptr;
    if (w.args.count.energies) w.energies_ready = true;
}

void ReplicaCudaEnsemble::sum_energies() const {
    const std::int64_t size = shape_.columns() * shape_.replicas * shape_.temperatures * column_bits;
    std::vector<std::int32_t> sums(static_cast<std::size_t>(size));
    const std::size_t bytes = sums.size() * sizeof sums[0];
    for (std::int32_t* const numbers : {device_energies(), device_magnetisations()}) {
        if (!numbers) continue;
        PSFLIP_CUDA(cudaMemcpyAsync(sums.data(), numbers, bytes, cudaMemcpyDeviceToHost, stream()));
        PSFLIP_CUDA(cudaStreamSynchronize(stream()));
        words_->halo->check();
        ranks().sum(std::span(sums));
        PSFLIP_CUDA(cudaMemcpyAsync(numbers, sums.data(), bytes, cudaMemcpyHostToDevice, stream()));
        PSFLIP_CUDA(cudaStreamSynchronize(stream()));
    }
}

void ReplicaCudaEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    std::vector<std::uint32_t> host(words_->spins.size());
    ThreadPool pool(0);
    pack_replica_spins(shape_, canonical, host.data(), pool);
    words_->spins.upload(host, stream());
    if (words_->halo) words_->halo->ready(stream());
    for (int colour = 0; words_->halo && colour < 2; ++colour) words_->halo->exchange(colour, stream());
    words_->pending = nullptr;
    words_->energies_ready = words_->columns_ready = false;
}

std::vector<std::uint64_t> ReplicaCudaEnsemble::spins() const {
    launch_words(0, 0);
    std::vector<std::uint32_t> host(words_->spins.size());
    words_->spins.download(host, stream());
    if (words_->halo) words_->halo->check();
    ThreadPool pool(0);
    return unpack_replica_spins(shape_, host.data(), pool);
}

void ReplicaCudaEnsemble::sweep(std::int64_t first, int count) {
    words_->columns_ready = false;
    launch_words(first, count);
}

void ReplicaCudaEnsemble::compute_energies() {
    words_->energies_wanted = true;
    if (!words_->energies_ready) launch_words(0, 0);
}

/// The kernel that made the mask has exchanged the energies.
void ReplicaCudaEnsemble::exchange_spins(int parity) {
    launch_words(0, 0);
    words_->pending = device_exchange_mask();
    words_->args.parity = parity;
    words_->columns_ready = false;
}

void ReplicaCudaEnsemble::make_houdayer_move(const HoudayerMove& move) {
    launch_words(0, 0);
    Words& w = *words_;
    w.energies_ready = w.columns_ready = false;
    if (!w.houdayer)
        w.houdayer.emplace(w.args.view.layout, shape_.realizations, w.args.view.first_realization, key(),
                           device(), stream());
    w.houdayer->move(w.spins.data(), move, stream());
}

HoudayerCounts ReplicaCudaEnsemble::houdayer_counts() const {
    return words_->houdayer ? words_->houdayer->counts(stream()) : DeviceEnsemble::houdayer_counts();
}

std::uint32_t* ReplicaCudaEnsemble::device_spins() const {
    launch_words(0, 0);
    auto* const columns = reinterpret_cast<std::uint32_t*>(arrays().spins.data());
    if (!words_->columns_ready)
        replicas_to_columns(words_->args.view, shape_.realizations, columns, stream());
    words_->columns_ready = true;
    return columns;
}

CUstream_st* ReplicaCudaEnsemble::stream() const {
    return arrays().stream.handle;
}

std::string ReplicaCudaEnsemble::description() const {
    const ReplicaCut& cut = words_->args.cut;
    return "cuda " + cuda_device_name(device()) + ", lanes = replicas (" + std::to_string(cut.blocks) +
           " blocks for each of " + std::to_string(cut.groups) + " groups of realizations, " +
           std::to_string(cut.words) + (cut.words > 1 ? " words" : " word") + " per thread)" +
           (words_->halo ? ", halos by " + words_->halo->way() : "");
}

}  // namespace psflip
