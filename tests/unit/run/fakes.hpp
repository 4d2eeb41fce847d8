#pragma once

#include <string>
#include <vector>

#include "evolution/sampler.hpp"
#include "measure/measurement.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Lists the calls of the loop, in order. Sweeps are logged one by one, so that the log does not depend on
/// how the loop cuts them.
using EventLog = std::vector<std::string>;

class FakeEnsemble : public IsingEnsemble {
  public:
    explicit FakeEnsemble(EventLog& log, const Shape& shape = {4, 1, 2, 1, 0, 32}, const Model& model = {})
        : IsingEnsemble({.shape = shape, .betas = {1.0, 0.5}, .seed = 1, .model = model}), log_(log) {}
    Backend backend() const override { return Backend::cpu; }
    void set_spins(const std::vector<std::uint64_t>&) override {}
    std::vector<std::uint64_t> spins() const override { return {static_cast<std::uint64_t>(swept_)}; }
    void sweep(std::int64_t first, int count) override {
        for (std::int64_t s = first; s < first + count; ++s) log_.push_back("sweep " + std::to_string(s));
        swept_ = first + count;
        ++calls_;
    }
    void put_betas(const std::vector<double>& betas) override { betas_ = betas; }
    void compute_energies() override {}
    std::vector<std::int32_t> energies() const override { return {}; }
    void synchronize() const override { ++synchronized_; }
    std::string description() const override { return "fake"; }
    int calls() const { return calls_; }
    int synchronized() const { return synchronized_; }

  private:
    EventLog& log_;
    std::int64_t swept_ = 0;
    int calls_ = 0;
    mutable int synchronized_ = 0;
};

class FakeSampler : public Sampler {
  public:
    explicit FakeSampler(EventLog& log) : ensemble_(log) {}
    void advance(std::int64_t first, std::int64_t target) override {
        ensemble_.sweep(first, static_cast<int>(target - first));
    }
    FakeEnsemble& ensemble() override { return ensemble_; }
    SamplerState state() const override { return {}; }
    void set_state(const SamplerState&) override {}
    View view() override { return CpuView{}; }

  private:
    FakeEnsemble ensemble_;
};

class FakeMeasurement : public Measurement {
  public:
    explicit FakeMeasurement(EventLog& log) : log_(log) {}
    void measure(int bin) override { log_.push_back("measure " + std::to_string(bin)); }
    Accumulators accumulators() const override { return {}; }
    Accumulators take(ThreadPool&) override { return {}; }
    void set_accumulators(const Accumulators&) override {}

  private:
    EventLog& log_;
};

}  // namespace psflip
