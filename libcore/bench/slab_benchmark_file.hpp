#pragma once

#include <string>
#include <vector>

#include "bench/slab_benchmark.hpp"

namespace psflip {

/// Time per flip and device of whole lattices on one, among `results` of the same share, columns, replicas
/// and temperatures, over that of `of`: of the same size, or (weak scaling) of another one where that is the
/// only one; 0 where there is none.
double efficiency(const std::vector<SlabResult>& results, const SlabResult& of);

/// The results as a JSON list of flat objects, one per line, with the fields series ("slabs"), scaling
/// ("strong" or "weak"), L, slabs, planes, columns, packs, share, replicas, temperatures, halo, kernel,
/// us_per_sweep, ps_per_flip, ps_per_flip_and_device, efficiency (null where it is not known), spread,
/// commit, date, device.
std::string slab_benchmark_json(const std::vector<SlabResult>& results);

}  // namespace psflip
