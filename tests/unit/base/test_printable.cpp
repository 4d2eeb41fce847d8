#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "base/printable.hpp"

using namespace psflip;

TEST_CASE("what a terminal obeys or a reader is deceived by becomes visible") {
    CHECK(printable("\x1b[31mred\x07 \x7f") == "\\x1b[31mred\\x07 \\x7f");
    CHECK(printable("a\nb\tc\rd") == "a\\nb\\tc\\x0dd");
    CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
    CHECK(printable("\xc2\x9b"
                    "31m") ==
          "\\xc2\\x9b"
          "31m");  // a control sequence in one character
    CHECK(printable("\xe2\x80\xae"
                    "x") ==
          "\\xe2\\x80\\xae"
          "x");  // right to left from here on
    CHECK(printable("\x9b"
                    "31m\xff") ==
          "\\x9b"
          "31m\\xff");  // no UTF-8
    CHECK(printable("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80") ==
          "\\xc0\\xaf \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");  // overlong, a surrogate, beyond Unicode
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");              // cut off
}

TEST_CASE("all other text stays, also when it is made printable twice") {
    const std::string text =
        "J = \xc2\xb1"
        "1, \xe2\x82\xac, \xf0\x9f\x98\x80, C:\\x1b, 'a\"";
    CHECK(printable(text) == text);
    CHECK(printable(printable("\x1b\\\n")) == printable("\x1b\\\n"));
    CHECK(printable("").empty());
}

TEST_CASE("messages of errors are printable") {
    CHECK(std::string(InputError("a\x1b[0m\nb").what()) == "a\\x1b[0m\\nb");
}
