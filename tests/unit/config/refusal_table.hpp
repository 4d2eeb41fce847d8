#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "unit/config/scratch.hpp"

namespace psflip::test {

/// Holds a configuration text, the beginning of its refusal, and texts that the refusal must contain.
struct Refusal {
    const char* text;
    const char* begins;
    std::vector<const char*> contains;
};

inline void check_all(const std::vector<Refusal>& cases) {
    for (const Refusal& c : cases) {
        const std::string message = refusal(c.text);
        CAPTURE(c.text);
        CAPTURE(message);
        CHECK(message.rfind(c.begins, 0) == 0);
        for (const char* part : c.contains) CHECK_MESSAGE(message.find(part) != std::string::npos, part);
    }
}

}  // namespace psflip::test
