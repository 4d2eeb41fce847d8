#include "evolution/device_sampler.hpp"

namespace psflip {

DeviceSampler::DeviceSampler(std::unique_ptr<DeviceEnsemble> ensemble) : ensemble_(std::move(ensemble)) {
    auto exchange = std::make_unique<DeviceExchange>(*ensemble_);
    walkers_ = exchange->device_walkers();
    add_exchange(std::move(exchange));
}

View DeviceSampler::view() {
    auto found = std::get<CudaView>(view_of_parts(false));
    const Shape& shape = ensemble_->shape();
    found.stream = ensemble_->stream();
    found.parts = {{0, 0, shape.columns(), shape.replicas, found.stream}};
    return found;
}

View DeviceSampler::view_of_parts(bool alike) {
    return CudaView{alike ? ensemble_->device_spins_alike() : ensemble_->device_spins(),
                    ensemble_->device_energies(),
                    walkers_,
                    nullptr,
                    ensemble_->parts(),
                    ensemble_->device(),
                    ensemble_->device_absent(),
                    ensemble_->device_bonds()};
}

}  // namespace psflip
