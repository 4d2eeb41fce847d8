#pragma once

#include <doctest/doctest.h>

#include "reference/cases.hpp"

namespace psflip::test {

/// Selects the CPU with `threads` threads and its widest instruction set.
inline BackendChoice cpu(int threads = 1) {
    return {"cpu", threads, 0};
}

/// Fails the test with the first difference between `found` and `wanted`, two results of the case `which`.
inline void check(const reference::Case& which, const reference::Result& found,
                  const reference::Result& wanted) {
    const std::string text = difference(which, found, wanted);
    CHECK_MESSAGE(text.empty(), text);
}

}  // namespace psflip::test
