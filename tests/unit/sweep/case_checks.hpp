#pragma once

#include <doctest/doctest.h>

#include "reference/cases.hpp"

namespace psflip::test {

/// The CPU with `threads` threads and the widest instruction set there is.
inline BackendChoice cpu(int threads = 1) {
    return {"cpu", threads, 0};
}

/// Fails with the first difference between what a simulation of `which` left and what it should leave.
inline void check(const reference::Case& which, const reference::Result& found,
                  const reference::Result& wanted) {
    const std::string text = difference(which, found, wanted);
    CHECK_MESSAGE(text.empty(), text);
}

}  // namespace psflip::test
