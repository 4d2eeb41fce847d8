// Plans and launches the streaming kernels of all rules but the plain one in three dimensions.

#include "sweep/cuda/class_update_cuda.cuh"
#include "sweep/streaming/streaming_class_cuda.cuh"
#include "sweep/streaming/streaming_cuda.cuh"

namespace psflip {

namespace {

StreamingForms forms_of(const SweepRule& rule, int share) {
    return with_rule(
        rule, [&](auto chosen) { return streaming_class_forms<typename decltype(chosen)::Type>(share); });
}

/// The kernel with its plan.
class StreamingClassKernel final : public SweepKernel {
  public:
    StreamingClassKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch)
        : table_(table),
          columns_(batch.columns),
          halo_(batch.halo),
          plan_(streaming_plan(args, batch)),
          microseconds_(streaming_period(args, plan_, batch)),
          forms_(forms_of(batch.rule, batch.share)) {}

    std::string description() const override { return "streaming kernel"; }
    double microseconds() const override { return microseconds_; }

    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        if (halo_) return sweep_slab(args, burst, part.stream);
        for_each_colour(plan_, columns_, burst,
                        [&](std::uint32_t begin, unsigned here, std::uint64_t sweep, std::uint32_t colour) {
                            forms_.launch_whole(args, table_, {begin, plan_.slots, colour, sweep},
                                                dim3(blocks_for(args.geometry.colour_sites, slab_threads),
                                                     plan_.grid_y, here),
                                                part.stream);
                        });
    }

  private:
    void sweep_slab(const SweepArgs& args, const SweepBurst& burst, cudaStream_t stream) const {
        SlabSweep(*halo_, args, stream)
            .run(columns_, plan_.columns_at_once, plan_.grid_y, burst,
                 [&](const SlabLaunch& slab, unsigned blocks, std::uint32_t first, std::uint64_t sweep,
                     std::uint32_t colour) {
                     halo_->launch_kernel(forms_.slab, dim3(blocks), dim3(slab_threads), 0, stream, args,
                                          table_, StreamingColour{first, plan_.slots, colour, sweep}, slab);
                 });
    }

    ClassArgs table_;
    std::int64_t columns_;
    Halo* halo_;
    StreamingPlan plan_;
    double microseconds_;
    StreamingForms forms_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_streaming_class(const SweepArgs& args, const ClassArgs& table,
                                                  const PlannedBatch& batch, const KernelRequest& request) {
    if (batch.rule.cubic_plain() || (batch.rule.plain && batch.share == 1) ||
        (request.form != "auto" && request.form != "streaming"))
        return nullptr;
    return std::make_unique<StreamingClassKernel>(args, table, batch);
}

}  // namespace psflip
