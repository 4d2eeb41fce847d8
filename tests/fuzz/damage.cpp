#include "fuzz/damage.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace psflip::fuzz {
namespace {

void flip_bit(std::string& bytes, Random& random) {
    char& byte = bytes[random.below(bytes.size())];
    byte = static_cast<char>(byte ^ (1 << random.below(8)));
}

/// A place and a length that fits behind it.
std::pair<std::size_t, std::size_t> piece_of(const std::string& bytes, Random& random) {
    const std::size_t at = random.below(bytes.size());
    return {at, std::min(random.size(4096), bytes.size() - at)};
}

void replace_piece(std::string& bytes, const std::string& other, Random& random) {
    if (other.empty()) return;
    const auto [at, size] = piece_of(bytes, random);
    const std::size_t from = random.one_in(2) ? std::min(at, other.size() - 1) : random.below(other.size());
    const std::string piece = other.substr(from, size);
    bytes.replace(at, piece.size(), piece);
}

void exchange_pieces(std::string& bytes, Random& random) {
    const auto [a, size_a] = piece_of(bytes, random);
    const auto [b, size_b] = piece_of(bytes, random);
    const std::size_t size = std::min({size_a, size_b, a < b ? b - a : a - b});
    std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(a),
                     bytes.begin() + static_cast<std::ptrdiff_t>(a + size),
                     bytes.begin() + static_cast<std::ptrdiff_t>(b));
}

/// The text between two line ends or, where `words`, the characters of a word or number; place and length.
std::pair<std::size_t, std::size_t> part_of(const std::string& text, bool words, Random& random) {
    const auto inside = [&](char c) {
        return words ? std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_'
                     : c != '\n';
    };
    std::size_t begin = random.below(text.size());
    while (begin < text.size() && !inside(text[begin])) ++begin;
    std::size_t end = begin;
    while (end < text.size() && inside(text[end])) ++end;
    while (begin > 0 && inside(text[begin - 1])) --begin;
    return {begin, end - begin};
}

}  // namespace

void damage(std::string& bytes, const std::string& other, Random& random) {
    if (bytes.empty()) return;
    const auto [at, size] = piece_of(bytes, random);
    switch (random.below(12)) {
        default:  // the most common damage, and the hardest to see
            flip_bit(bytes, random);
            break;
        case 1:
            for (std::size_t i = random.size(64); i > 0; --i) flip_bit(bytes, random);
            break;
        case 2:
            bytes[at] = static_cast<char>(random.one_in(2) ? random.word() : random.one_in(2) ? 0 : 0xff);
            break;
        case 3:
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size,
                        random.one_in(3) ? '\xff' : '\0');
            break;
        case 4:
            std::generate_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size,
                            [&] { return static_cast<char>(random.word()); });
            break;
        case 5:
            bytes.resize(random.one_in(2) ? at : bytes.size() - std::min(bytes.size(), random.size(256)));
            break;
        case 6:
            bytes.erase(at, size);
            break;
        case 7:
            bytes.insert(random.below(bytes.size()), bytes.substr(at, size));
            break;
        case 8:
            exchange_pieces(bytes, random);
            break;
        case 9:
            replace_piece(bytes, other, random);
            break;
    }
}

void damage_text(std::string& text, const std::vector<std::string>& words, Random& random) {
    if (text.empty()) return;
    const bool word = random.one_in(2);
    const auto [at, size] = part_of(text, word, random);
    switch (random.below(9)) {
        case 0:
            damage(text, text, random);
            break;
        case 1:
            text.insert(random.below(text.size()), random.pick(words));
            break;
        case 2:
            text.erase(at, size);
            break;
        case 3:
            text.insert(at, text.substr(at, size) + (word ? " " : "\n"));
            break;
        case 4: {
            const std::string moved = text.substr(at, size);
            text.erase(at, size);
            text.insert(text.empty() ? 0 : random.below(text.size()), moved);
            break;
        }
        case 5:
            text.insert(at, random.pick(words));
            break;
        default:
            text.replace(at, size, random.pick(words));
    }
}

std::string read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace psflip::fuzz
