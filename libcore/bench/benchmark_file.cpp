#include "bench/benchmark_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/regular_file.hpp"

namespace psflip {
namespace {

struct Field {
    std::string name, value;
    bool text;
};

std::vector<Field> fields_of(const BenchmarkResult& r) {
    const BenchmarkCase& s = r.setup;
    const auto number = [](auto value) { return fmt::format("{}", value); };
    return {{"series", s.series, true},
            {"backend", r.backend, true},
            {"L", number(s.L), false},
            {"share", number(s.share), false},
            {"replicas", number(s.replicas), false},
            {"temperatures", number(s.temperatures), false},
            {"columns", number(s.columns), false},
            {"realizations", number(s.realizations), false},
            {"lanes", s.lanes, true},
            {"model", s.model, true},
            {"threads", number(r.threads), false},
            {"production", number(s.production), false},
            {"kernel", r.kernel, true},
            {"ps_per_flip", fmt::format("{:.5g}", r.ps_per_flip), false},
            {"spread", fmt::format("{:.3g}", r.spread), false},
            {"commit", r.commit, true},
            {"date", r.date, true},
            {"device", r.device, true}};
}

std::string quoted(const std::string& text, const char* special, char escape) {
    std::string out = "\"";
    for (const char c : text) {
        if (std::string(special).find(c) != std::string::npos) out += escape;
        if (static_cast<unsigned char>(c) >= ' ') out += c;
    }
    return out + '"';
}

std::string utf8(std::uint32_t code) {
    const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
    if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
    return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

/// Reader of a JSON list of objects whose values are texts, numbers or truth values.
class FlatJson {
  public:
    using Object = std::map<std::string, std::string>;

    FlatJson(const std::string& path, std::string text) : path_(path), text_(std::move(text)) {}

    std::vector<Object> read() {
        std::vector<Object> objects;
        expect('[');
        if (!accept(']')) {
            do objects.push_back(object());
            while (accept(','));
            expect(']');
        }
        skip();
        if (at_ < text_.size()) fail("the end of the file");
        return objects;
    }

  private:
    Object object() {
        Object fields;
        expect('{');
        if (accept('}')) return fields;
        do {
            const std::string name = string();
            expect(':');
            skip();
            fields[name] = peek() == '"' ? string() : word();
        } while (accept(','));
        expect('}');
        return fields;
    }

    std::string string() {
        std::string out;
        expect('"');
        while (peek() != '"') {
            if (at_ >= text_.size()) fail("the end of a text");
            if (peek() == '\\')
                out += escaped();
            else
                out += text_[at_++];
        }
        ++at_;
        return out;
    }

    /// What stands for \n, \u00b5 and the like.
    std::string escaped() {
        ++at_;
        const char c = peek();
        if (c == 'u') return utf8(code_point());
        if (at_ >= text_.size()) fail("the end of a text");
        ++at_;
        const std::string letters = "bfnrt", meanings = "\b\f\n\r\t";
        const std::size_t place = letters.find(c);
        return {place == std::string::npos ? c : meanings[place]};
    }

    /// From the 'u' on; a character beyond 16 bits is written as two of them.
    std::uint32_t code_point() {
        const std::uint32_t first = four_digits();
        if (first < 0xd800 || first >= 0xdc00 || text_.compare(at_, 2, "\\u") != 0) return first;
        ++at_;
        return 0x10000 + ((first - 0xd800) << 10) + ((four_digits() - 0xdc00) & 0x3ff);
    }

    std::uint32_t four_digits() {
        const std::string digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
        if (digits.size() < 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
            fail("four hex digits");
        at_ += 5;
        return static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
    }

    std::string word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(peek())) ||
                                      std::string("+-.").find(peek()) != std::string::npos))
            ++at_;
        if (at_ == begin) fail("a number, text or truth value");
        return text_.substr(begin, at_ - begin);
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip() {
        while (std::isspace(static_cast<unsigned char>(peek()))) ++at_;
    }
    bool accept(char c) {
        skip();
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(fmt::format("'{}'", c));
    }
    [[noreturn]] void fail(const std::string& wanted) const {
        throw InputError(fmt::format(
            "{} is not a list of timings as bench-flip --json writes it: {} expected at character {}", path_,
            wanted, at_ + 1));
    }

    std::string path_, text_;
    std::size_t at_ = 0;
};

/// The fields of one object by name and type.
class Entry {
  public:
    Entry(const std::string& path, std::size_t number, const FlatJson::Object& fields)
        : where_(fmt::format("{}, entry {}", path, number)), fields_(fields) {}

    std::string text(const char* name, std::optional<std::string> otherwise = {}) const {
        const auto found = fields_.find(name);
        if (found != fields_.end()) return found->second;
        if (otherwise) return *otherwise;
        throw InputError(fmt::format("{}: {} is missing", where_, name));
    }

    double number(const char* name, std::optional<std::string> otherwise = {}) const {
        const std::string word = text(name, std::move(otherwise));
        std::istringstream stream(word);
        double value = 0;
        if (!(stream >> value) || !stream.eof() || !std::isfinite(value))
            throw InputError(fmt::format("{}: {} is '{}', not a number", where_, name, word));
        return value;
    }

    int integer(const char* name, int least, std::optional<std::string> otherwise = {}) const {
        const double value = number(name, std::move(otherwise));
        if (value != std::floor(value) || value < least || value > 1e9)
            throw InputError(
                fmt::format("{}: {} = {} is not an integer of at least {}", where_, name, value, least));
        return static_cast<int>(value);
    }

    double positive(const char* name) const {
        const double value = number(name);
        if (value <= 0) throw InputError(fmt::format("{}: {} = {} is not positive", where_, name, value));
        return value;
    }

  private:
    std::string where_;
    const FlatJson::Object& fields_;
};

BenchmarkResult result_of(const Entry& e) {
    BenchmarkResult r;
    r.setup = {.series = e.text("series", "list"),
               .L = e.integer("L", 1),
               .share = e.integer("share", 1),
               .replicas = e.integer("replicas", 1),
               .temperatures = e.integer("temperatures", 1),
               .columns = e.integer("columns", 1),
               .realizations = e.integer("realizations", 0, "0"),
               .lanes = e.text("lanes", "realizations"),
               .model = e.text("model", "ea3d"),
               .production = e.text("production", "false") == "true"};
    r.backend = e.text("backend");
    r.kernel = e.text("kernel", "auto");
    r.device = e.text("device", "");
    r.threads = e.integer("threads", 0, "0");
    r.ps_per_flip = e.positive("ps_per_flip");
    r.spread = e.number("spread", "0");
    r.commit = e.text("commit", "unknown");
    r.date = e.text("date", "");
    return r;
}

}  // namespace

std::string benchmark_json(const std::vector<BenchmarkResult>& results) {
    std::string out = "[\n";
    for (const auto& result : results) {
        out += "  {";
        for (const Field& field : fields_of(result))
            out += fmt::format("{}\"{}\": {}", out.back() == '{' ? "" : ", ", field.name,
                               field.text ? quoted(field.value, "\"\\", '\\') : field.value);
        out += &result == &results.back() ? "}\n" : "},\n";
    }
    return out + "]\n";
}

std::string benchmark_csv(const std::vector<BenchmarkResult>& results) {
    std::string out;
    for (const Field& field : fields_of({})) out += (out.empty() ? "" : ",") + field.name;
    out += '\n';
    for (const auto& result : results) {
        for (const Field& field : fields_of(result)) {
            if (out.back() != '\n') out += ',';
            out += field.value.find_first_of(",\"") == std::string::npos ? field.value
                                                                         : quoted(field.value, "\"", '"');
        }
        out += '\n';
    }
    return out;
}

std::vector<BenchmarkResult> read_benchmark_json(const std::string& path) {
    constexpr std::size_t most = std::size_t{1} << 26;
    const std::string text = read_regular_file(path, "the timings", most);
    std::vector<BenchmarkResult> results;
    const auto objects = FlatJson(path, text).read();
    for (const auto& object : objects) results.push_back(result_of(Entry(path, results.size() + 1, object)));
    return results;
}

}  // namespace psflip
