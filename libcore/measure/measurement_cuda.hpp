#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "measure/measurement.hpp"

struct uint4;

namespace psflip {

struct OverlapArgs;

/// Measurement on the GPU, in the streams of the ensemble's parts. Accumulators stay in device memory until
/// asked for.
class CudaMeasurement final : public Measurement {
  public:
    CudaMeasurement(Sampler& sampler, const Measured& measured, int bins, int histogram_bins);
    ~CudaMeasurement() override;

    void measure(int bin) override;
    Accumulators accumulators() const override { return downloaded(caller_alone()); }
    Accumulators take(ThreadPool& pool) override { return downloaded(pool); }
    void set_accumulators(const Accumulators& accumulators) override;

  private:
    struct Memory;
    struct ColumnGroup;
    /// Of the device that is the current one from here on.
    CudaView view() const;
    Accumulators downloaded(ThreadPool& pool) const;

    void add_overlaps(const CudaView& found, const ColumnGroup& group);
    void add_magnetisations(const CudaView& found, const ColumnGroup& group);
    void count_own(const OverlapArgs& args, bool other, const uint4* absent, CUstream_st* stream);

    Sampler& sampler_;
    Shape shape_;
    Measured measured_;
    int bins_, histogram_bins_;
    std::vector<std::pair<int, int>> replica_pairs_;
    std::vector<std::int64_t> count_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace psflip
