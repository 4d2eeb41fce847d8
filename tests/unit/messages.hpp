#pragma once

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"

namespace psflip::test {

/// Returns the message of the error of type E that `action` throws. Fails the test if `action` throws no
/// error.
template <class E, class Action>
std::string message_of(Action action) {
    try {
        action();
    } catch (const E& error) {
        return error.what();
    }
    FAIL("no error was thrown");
    return {};
}

inline bool contains(const std::string& text, const std::string& part, bool tell = true) {
    const bool found = text.find(part) != std::string::npos;
    if (!found && tell) MESSAGE("message: " << text);
    return found;
}

}  // namespace psflip::test
