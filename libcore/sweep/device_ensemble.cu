#include "sweep/device_ensemble.hpp"

#include <span>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/error.hpp"
#include "lattice/geometry_cuda.cuh"
#include "lattice/packing.hpp"
#include "sweep/cuda/device_arrays_cuda.cuh"
#include "sweep/cuda/spin_exchange_cuda.cuh"

namespace psflip {

namespace {

/// Returns the number of an existing device, after making it the current one.
int usable(int device) {
    std::string why;
    if (!cuda_available(device, &why)) throw EnvironmentError("the CUDA backend is not available: " + why);
    PSFLIP_CUDA(cudaSetDevice(device));
    return device;
}

/// Returns values (column, replica, slot, lane) of the device in the order (replica, slot, realization).
std::vector<std::int32_t> of_realizations(const Shape& shape, const DeviceBuffer<std::int32_t>& lanes,
                                          cudaStream_t stream) {
    std::vector<std::int32_t> found(lanes.size()), out;
    lanes.download(found, stream);
    out.reserve(shape.realizations * shape.replicas * shape.temperatures);
    for (int replica = 0; replica < shape.replicas; ++replica)
        for (int t = 0; t < shape.temperatures; ++t)
            for (std::int64_t r = 0; r < shape.realizations; ++r)
                out.push_back(found[((r / column_bits * shape.replicas + replica) * shape.temperatures + t) *
                                        column_bits +
                                    r % column_bits]);
    return out;
}

void check_places(const Shape& shape, const SweepRule& rule) {
    if (has_exact_places(make_slab(shape.L, shape.held_planes())) || shape.is_slab() ||
        (rule.cubic_plain() && shape.share > 1))
        return;
    throw InputError("whole lattices of L = " + std::to_string(shape.L) +
                     " need a CUDA kernel of the plain rule with shared random numbers; use an even L up to "
                     "370, or several ranks");
}

}  // namespace

DeviceEnsemble::DeviceEnsemble(const BatchSetup& setup)
    : IsingEnsemble(setup),
      device_(usable(setup.choice.device)),
      sweeps_per_swap_(shape_.temperatures > 1 ? setup.sweeps_per_swap : 0),
      rule_(sweep_rule(model_, ranks().maximum(has_absent_bonds(setup.couplings) ? 1 : 0) != 0)),
      arrays_(std::make_unique<Arrays>()) {
    check_places(shape_, rule_);
    if (rule_.absent) check_absent_bonds(shape_);
    Arrays& a = *arrays_;
    const auto words =
        static_cast<std::size_t>(shape_.columns()) * SpinLayout::of(shape_, 1).column_words() / 2;
    a.spins = shape_.is_slab() ? DeviceBuffer<uint4>::for_peers(words, "spins")
                               : DeviceBuffer<uint4>(words, "spins");
    a.spins.zero(a.stream.handle);
    upload_bonds(setup.couplings);
    const std::int64_t stacks = shape_.columns() * shape_.replicas;
    const auto lanes = static_cast<std::size_t>(stacks * shape_.temperatures * column_bits);
    a.energies = {lanes, "energies"};
    a.energies.zero(a.stream.handle);
    if (rule_.field) a.magnetisations = {lanes, "magnetisations"};
    a.exchange_mask = {
        static_cast<std::size_t>(stacks) * exchange_steps(static_cast<std::uint32_t>(shape_.temperatures)),
        "exchange masks"};
}

DeviceEnsemble::~DeviceEnsemble() = default;

/// Absent bonds if there are some, and the number of bonds of each realization.
void DeviceEnsemble::upload_bonds(std::span<const std::int8_t> couplings) {
    if (rule_.cubic_plain()) return;
    Arrays& a = *arrays_;
    std::vector<std::int32_t> bonds(shape_.lanes(),
                                    static_cast<std::int32_t>(shape_.bonds() / shape_.energy_unit()));
    if (rule_.absent) {
        const std::vector<std::uint64_t> words = pack_absent_bonds(shape_, couplings);
        a.absent = DeviceBuffer<uint4>(words.size() / 2, "absent bonds");
        a.absent.upload(words, a.stream.handle);
        std::vector<std::int32_t> absent = count_absent_bonds(shape_, couplings);
        ranks().sum(std::span(absent));
        for (std::int64_t r = 0; r < shape_.realizations; ++r) bonds[r] -= absent[r];
    }
    a.bonds = {bonds.size(), "numbers of bonds"};
    a.bonds.upload(bonds, a.stream.handle);
}

std::vector<std::int32_t> DeviceEnsemble::energies() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    return of_realizations(shape_, arrays_->energies, stream());
}

std::vector<std::int32_t> DeviceEnsemble::magnetisations() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    return rule_.field ? of_realizations(shape_, arrays_->magnetisations, stream())
                       : std::vector<std::int32_t>{};
}

void DeviceEnsemble::synchronize() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    PSFLIP_CUDA(cudaStreamSynchronize(stream()));
}

std::int32_t* DeviceEnsemble::device_energies() const {
    return arrays_->energies.data();
}
std::int32_t* DeviceEnsemble::device_magnetisations() const {
    return arrays_->magnetisations.data();
}
const std::uint32_t* DeviceEnsemble::device_absent() const {
    return rule_.absent ? reinterpret_cast<const std::uint32_t*>(arrays_->absent.data()) : nullptr;
}
const std::int32_t* DeviceEnsemble::device_bonds() const {
    return rule_.absent ? arrays_->bonds.data() : nullptr;
}
std::uint32_t* DeviceEnsemble::device_exchange_mask() const {
    return reinterpret_cast<std::uint32_t*>(arrays_->exchange_mask.data());
}

}  // namespace psflip
