#include "sweep/vector/vector_batch.hpp"

#include <algorithm>

#include "base/thread_pool.hpp"
#include "config/config.hpp"

namespace psflip {
namespace {

/// Returns the setup of the ensemble of vectors with the batch's temperatures and seed.
VectorSetup vectors_of(const BatchSetup& setup) {
    VectorSetup vectors = *setup.vectors;
    vectors.betas = setup.betas;
    vectors.seed = setup.seed;
    return vectors;
}

VectorUpdate vector_update(Update update) {
    switch (update) {
        case Update::cone:
            return VectorUpdate::cone;
        case Update::heat_bath:
            return VectorUpdate::heat_bath;
        default:
            return VectorUpdate::metropolis;
    }
}

/// Returns the setup, whose Houdayer moves are possible.
const BatchSetup& checked(const BatchSetup& setup) {
    check_houdayer(setup);
    return setup;
}

}  // namespace

double tuned_width(double width, double acceptance) {
    return std::clamp(width * std::clamp(2.0 * acceptance, 0.5, 2.0), min_width, 2.0);
}

VectorSetup vector_setup_of(const Parameters& p) {
    VectorSetup setup{.model = p.model,
                      .L = p.L,
                      .replicas = p.replicas,
                      .seed = p.seed,
                      .precision = p.dynamics.precision,
                      .tile = p.dynamics.tile,
                      .hits = p.dynamics.hits,
                      .tile_order = p.dynamics.tile_order};
    for (const double temperature : p.temperatures) setup.betas.push_back(1.0 / temperature);
    return setup;
}

VectorProgram vector_program_of(const Parameters& p) {
    return {.update = vector_update(p.dynamics.update), .over_relaxation = p.dynamics.over_relaxation};
}

VectorBatch::VectorBatch(const BatchSetup& setup)
    : Ensemble(checked(setup)),
      vectors_(make_vector_ensemble(setup.choice, vectors_of(setup), ranks())),
      program_(setup.program),
      threads_(setup.choice.threads == 0 ? available_threads() : setup.choice.threads) {
    key_ = this->setup().key();
    check_update(this->setup(), program_.update);
    if (program_.over_relaxation > 0) check_update(this->setup(), VectorUpdate::over_relaxation);
    set_cones(initial_cones(shape_, first_cone_width(program_)));
}

void VectorBatch::set_held_spins(const Spins& held) {
    vectors_->set_spins(shape_.has_vectors() ? held.vectors : numbers_of_words(setup(), held.bits));
    summed_ = false;
}

Spins VectorBatch::held_spins() const {
    if (shape_.has_vectors()) return {.vectors = vectors_->spins()};
    return {.bits = vectors_->spin_words()};
}

void VectorBatch::put_betas(const std::vector<double>& betas) {
    vectors_->set_betas(betas);
    betas_ = betas;
}

void VectorBatch::set_field_factor(double factor) {
    vectors_->set_field(factor * setup().model.field);
    summed_ = false;
}

void VectorBatch::sweep(std::int64_t first, int count) {
    summed_ = false;
    if (program_.over_relaxation == 0) return vectors_->sweep(program_.update, first, count);
    const int hits = setup().hits;
    for (std::int64_t sweep = first; sweep < first + count; sweep += hits) {
        vectors_->sweep(program_.update, sweep, hits);
        vectors_->sweep(VectorUpdate::over_relaxation, 0, hits * program_.over_relaxation);
    }
}

void VectorBatch::make_houdayer_move(const HoudayerMove& move) {
    vectors_->make_houdayer_move(move);
    summed_ = false;
}

void VectorBatch::take_renewed() const {
    const std::vector<std::uint64_t> renewed = vectors_->take_renewed();
    for (std::size_t i = 0; i < renewed.size(); ++i) renewed_[i] += static_cast<std::int64_t>(renewed[i]);
}

void VectorBatch::tune_cones() {
    take_renewed();
    const auto proposals = static_cast<double>(tuning_period * setup().sites());
    for (std::size_t i = 0; i < widths_.size(); ++i)
        widths_[i] = tuned_width(widths_[i], static_cast<double>(renewed_[i]) / proposals);
    std::ranges::fill(renewed_, 0);
    vectors_->set_widths(widths_);
}

void VectorBatch::compute_energies() {
    if (summed_) return;
    sums_ = vectors_->integer_sums();
    summed_ = true;
}

void VectorBatch::swap_states(const std::vector<StatePair>& pairs) {
    vectors_->swap_states(pairs);
    const auto at = [&](std::uint32_t state) { return sums_.begin() + std::int64_t{state} * vector_sums; };
    for (const StatePair& pair : pairs)
        std::swap_ranges(at(pair.first), at(pair.first) + vector_sums, at(pair.second));
}

template <class F>
void VectorBatch::for_each_cone(F f) const {
    std::size_t i = 0;
    for (std::int64_t r = 0; r < shape_.realizations; ++r)
        for (int replica = 0; replica < shape_.replicas; ++replica)
            for (int slot = 0; slot < shape_.temperatures; ++slot)
                f(i++, static_cast<std::size_t>(state(r, replica, slot)));
}

ConeState VectorBatch::cones() const {
    if (!shape_.has_vectors()) return {};
    take_renewed();
    ConeState cones{std::vector<double>(widths_.size()), std::vector<std::int64_t>(widths_.size())};
    for_each_cone([&](std::size_t i, std::size_t state) {
        cones.widths[i] = widths_[state];
        cones.renewed[i] = renewed_[state];
    });
    return cones;
}

void VectorBatch::set_cones(const ConeState& cones) {
    if (!shape_.has_vectors()) return;
    vectors_->take_renewed();
    widths_.resize(cones.widths.size()), renewed_.resize(cones.renewed.size());
    for_each_cone([&](std::size_t i, std::size_t state) {
        widths_[state] = cones.widths[i];
        renewed_[state] = cones.renewed[i];
    });
    vectors_->set_widths(widths_);
}

Spins random_held_spins(const Shape& shape, const VectorSetup& setup) {
    std::vector<double> numbers = random_spins(setup);
    if (shape.has_vectors()) return {.vectors = std::move(numbers)};
    return {.bits = words_of_numbers(setup, numbers)};
}

ConeState initial_cones(const Shape& shape, double width) {
    if (!shape.has_vectors()) return {};
    const auto states = static_cast<std::size_t>(shape.realizations * shape.replicas * shape.temperatures);
    return {std::vector<double>(states, width), std::vector<std::int64_t>(states, 0)};
}

double first_cone_width(const VectorProgram& program) {
    return program.update == VectorUpdate::cone ? 1.0 : 2.0;
}

}  // namespace psflip
