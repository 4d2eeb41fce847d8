#include "sweep/replicas/replica_ensemble_cuda.hpp"

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "lattice/packing.hpp"
#include "sweep/replicas/replica_kernels.hpp"
#include "sweep/replicas/replica_kernels_cuda.cuh"
#include "sweep/replicas/replica_packing.hpp"

namespace psflip {

namespace {

template <class T, class Host>
DeviceBuffer<T> uploaded(const Host& host, const char* what, cudaStream_t stream) {
    DeviceBuffer<T> buffer(host.size(), what);
    buffer.upload(std::vector<T>(host.begin(), host.end()), stream);
    return buffer;
}

}  // namespace

struct ReplicaCudaEnsemble::Words {
    DeviceBuffer<std::uint32_t> spins, thresholds, used, unsatisfied, up;
    DeviceBuffer<std::uint16_t> bonds, absent;
    DeviceBuffer<std::int32_t> numbers_of_bonds;
    ReplicaLaunch batch;
    bool energies_ready = false, columns_ready = false;  ///< are those of the spins
};

ReplicaCudaEnsemble::ReplicaCudaEnsemble(const Shape& shape, const std::vector<double>& betas,
                                         std::uint64_t seed, const std::vector<std::int8_t>& couplings,
                                         const CudaChoice& choice, const Model& model, Ranks& ranks)
    : CudaEnsemble(shape, betas, seed, couplings, choice, model, ranks), words_(std::make_unique<Words>()) {
    Words& w = *words_;
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    ThreadPool pool(0);
    const auto bonds_where = [&](int wanted, const char* what) {
        return uploaded<std::uint16_t>(pack_replica_bonds(shape, couplings, wanted, pool), what, stream());
    };
    w.spins = {static_cast<std::size_t>(shape.realizations * layout.lattice_words()), "spins"};
    w.spins.zero(stream());
    w.bonds = bonds_where(-1, "couplings");
    if (rule().absent) w.absent = bonds_where(0, "absent bonds");
    std::vector<std::int32_t> numbers = count_absent_bonds(shape, couplings);
    for (std::int32_t& number : numbers)
        number = static_cast<std::int32_t>(shape.bonds() / shape.energy_unit()) - number;
    w.numbers_of_bonds = uploaded<std::int32_t>(numbers, "numbers of bonds", stream());
    const auto lanes = static_cast<std::size_t>(shape.realizations * 32 * layout.words());
    w.unsatisfied = {lanes, "unsatisfied bonds"};
    if (rule().field) w.up = {lanes, "spins that are up"};
    w.batch = {{layout, w.spins.data(), w.bonds.data(), w.absent.data(), nullptr, nullptr, 0,
                static_cast<std::uint32_t>(shape.first_realization), key()},
               shape.realizations,
               rule()};
    set_thresholds();
}

ReplicaCudaEnsemble::~ReplicaCudaEnsemble() = default;

/// Those of betas_.
void ReplicaCudaEnsemble::set_thresholds() {
    Words& w = *words_;
    const AcceptanceTable acceptance = acceptance_table(model_, rule(), betas_, shape_.temperatures);
    const ReplicaTables tables(w.batch.view.layout, acceptance, own_thresholds(rule()));
    w.thresholds = uploaded<std::uint32_t>(tables.late, "thresholds", stream());
    w.used = uploaded<std::uint32_t>(tables.used, "lanes", stream());
    w.batch.view.thresholds = w.thresholds.data();
    w.batch.view.used = w.used.data();
    w.batch.view.always = always_bits(acceptance);
}

void ReplicaCudaEnsemble::set_betas(const std::vector<double>& betas) {
    CudaEnsemble::set_betas(betas);
    set_thresholds();
}

void ReplicaCudaEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    std::vector<std::uint32_t> host(words_->spins.size());
    ThreadPool pool(0);
    pack_replica_spins(shape_, canonical, host.data(), pool);
    words_->spins.upload(host, stream());
    words_->energies_ready = words_->columns_ready = false;
}

std::vector<std::uint64_t> ReplicaCudaEnsemble::spins() const {
    PSFLIP_CUDA(cudaSetDevice(device()));
    std::vector<std::uint32_t> host(words_->spins.size());
    words_->spins.download(host, stream());
    ThreadPool pool(0);
    return unpack_replica_spins(shape_, host.data(), pool);
}

void ReplicaCudaEnsemble::sweep(std::int64_t first, int count) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    sweep_replicas(words_->batch, first, count, stream());
    words_->energies_ready = words_->columns_ready = false;
}

void ReplicaCudaEnsemble::compute_energies() {
    PSFLIP_CUDA(cudaSetDevice(device()));
    Words& w = *words_;
    if (w.energies_ready) return;
    count_replicas(w.batch, w.unsatisfied.data(), w.up.data(), stream());
    energies_of_replicas(w.batch, w.unsatisfied.data(), w.up.data(), w.numbers_of_bonds.data(),
                         shape_.energy_unit(), static_cast<std::int32_t>(shape_.sites()), device_energies(),
                         device_magnetisations(), stream());
    w.energies_ready = true;
}

/// The energies have been exchanged by whoever made the mask.
void ReplicaCudaEnsemble::exchange_spins(int parity) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    exchange_replicas(words_->batch, device_exchange_mask(), parity, stream());
    words_->columns_ready = false;
}

std::uint32_t* ReplicaCudaEnsemble::device_spins() const {
    std::uint32_t* const columns = CudaEnsemble::device_spins();
    if (!words_->columns_ready) replicas_to_columns(words_->batch, columns, stream());
    words_->columns_ready = true;
    return columns;
}

std::string ReplicaCudaEnsemble::description() const {
    return "cuda " + cuda_device_name(device()) + ", lanes = replicas";
}

}  // namespace psflip
