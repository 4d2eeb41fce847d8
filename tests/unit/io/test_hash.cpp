#include <doctest/doctest.h>

#include "io/hash.hpp"

using psflip::Hasher;

TEST_CASE("XXH64 of known strings") {
    // Values printed by xxh64sum of the xxHash distribution.
    CHECK(Hasher().hex() == "ef46db3751d8e999");
    Hasher abc;
    abc.add("abc", 3);
    CHECK(abc.hex() == "44bc2cf5ad770999");
}

TEST_CASE("the hash does not depend on the pieces") {
    Hasher whole, pieces;
    const std::string text(1000, 'q');
    whole.add(text.data(), text.size());
    for (std::size_t i = 0; i < text.size(); i += 10) pieces.add(text.data() + i, 10);
    CHECK(whole.hex() == pieces.hex());
}
