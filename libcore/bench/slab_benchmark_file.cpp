#include "bench/slab_benchmark_file.hpp"

#include <fmt/format.h>

#include "base/version.hpp"
#include "io/provenance.hpp"

namespace psflip {
namespace {

bool same_batch(const SlabCase& a, const SlabCase& b) {
    return a.columns == b.columns && a.replicas == b.replicas && a.temperatures == b.temperatures &&
           a.share == b.share;
}

std::string slab_line(const std::vector<SlabResult>& results, const SlabResult& r) {
    const SlabCase& s = r.setup;
    const double eta = efficiency(results, r);
    return fmt::format(
        R"({{"series": "slabs", "scaling": "{}", "L": {}, "slabs": {}, "planes": {:.6g}, "columns": {}, "packs": {}, "share": {}, "replicas": {}, )"
        R"("temperatures": {}, "halo": "{}", "kernel": "{}", "us_per_sweep": {:.6g}, "ps_per_flip": {:.5g}, )"
        R"("ps_per_flip_and_device": {:.5g}, "efficiency": {}, "spread": {:.3g}, "commit": "{}", )"
        R"("date": "{}", "device": "{}"}})",
        s.weak ? "weak" : "strong", s.L, s.slabs, r.planes(), s.columns, s.packs(), s.share, s.replicas,
        s.temperatures, r.halo, r.kernel, r.seconds * 1e6, r.ps_per_flip(), r.ps_per_flip_and_device(),
        eta > 0 ? fmt::format("{:.4g}", eta) : "null", r.spread, git_commit(), utc_now(), r.device);
}

}  // namespace

double efficiency(const std::vector<SlabResult>& results, const SlabResult& of) {
    const SlabResult* one = nullptr;
    for (const SlabResult& r : results) {
        if (r.setup.slabs != 1 || !same_batch(r.setup, of.setup)) continue;
        if (r.setup.L == of.setup.L) return r.ps_per_flip() / of.ps_per_flip_and_device();
        one = one ? &of : &r;
    }
    return one && one != &of ? one->ps_per_flip() / of.ps_per_flip_and_device() : 0.0;
}

std::string slab_benchmark_json(const std::vector<SlabResult>& results) {
    std::string text = "[";
    for (const SlabResult& r : results) text += (text.size() > 1 ? ",\n  " : "\n  ") + slab_line(results, r);
    return text + "\n]\n";
}

}  // namespace psflip
