#pragma once

#include "sweep/ensemble.hpp"

namespace psflip::test {

inline const BackendChoice one_thread{.backend = "cpu", .threads = 1};

}  // namespace psflip::test
