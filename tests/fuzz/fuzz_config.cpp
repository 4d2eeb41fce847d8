// fuzz_config: configurations and --set overrides, damaged as text and as YAML. Each ends in an InputError
// that names file or option in one printable line, or in a Config whose resolved text reads back as the same
// Config.
#include <fmt/format.h>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/keys.hpp"
#include "fuzz/damage.hpp"
#include "fuzz/driver.hpp"

using namespace psflip;
using namespace psflip::fuzz;

namespace {

/// Numbers at and beyond the ends of ranges, and what YAML makes of punctuation.
const std::vector<std::string> words = {"0",
                                        "1",
                                        "-1",
                                        "2",
                                        "3",
                                        "4",
                                        "6",
                                        "8",
                                        "64",
                                        "128",
                                        "256",
                                        "257",
                                        "1024",
                                        "16777216",
                                        "16777217",
                                        "0.5",
                                        "1.5",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483649",
                                        "4294967296",
                                        "4611686018427387904",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "-9223372036854775808",
                                        "1e3",
                                        "1e308",
                                        "1e309",
                                        "1e-320",
                                        "-0",
                                        "-0.0",
                                        "0x10",
                                        "0o7",
                                        "007",
                                        "+5",
                                        "1_000",
                                        ".5",
                                        "5.",
                                        ".nan",
                                        "nan",
                                        ".inf",
                                        "-.inf",
                                        "inf",
                                        "null",
                                        "~",
                                        "true",
                                        "false",
                                        "yes",
                                        "no",
                                        "\"4\"",
                                        "'4'",
                                        "linear",
                                        "log2",
                                        "keep",
                                        "edwards-anderson",
                                        "[4]",
                                        "[4, 6]",
                                        "[]",
                                        "[4],6",
                                        "[[4]]",
                                        "{4: 1}",
                                        "{4: 10, 6: 20, 8: 30}",
                                        "{}",
                                        "{a: b}",
                                        "{4: {min: 1}}",
                                        "{list: [1, 2]}",
                                        "{min: 1, max: 2, count: 4}",
                                        ",",
                                        "},",
                                        "],",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        ":",
                                        ": ",
                                        "?",
                                        "? ",
                                        "- ",
                                        "-",
                                        "--- ",
                                        "\n---\n",
                                        "\n...\n",
                                        "&a ",
                                        "*a",
                                        "&a [*a]",
                                        "<<: *a",
                                        "<<: {seed: 1}",
                                        "!!int 4",
                                        "!!binary aGk=",
                                        "!<tag:x> 4",
                                        "! 4",
                                        "%YAML 1.2\n---\n",
                                        "%TAG ! x\n",
                                        "|\n  text\n",
                                        ">-\n  text\n",
                                        "#",
                                        " # comment\n",
                                        "\t",
                                        "\n\t",
                                        "\r\n",
                                        "\r",
                                        "\x1b[31m",
                                        "\x07",
                                        "\x7f",
                                        "\u00a0",
                                        "\u2028",
                                        "\ufeff",
                                        "\u202e",
                                        "ä",
                                        "\U0001f9f2",
                                        "\xff",
                                        "\xc3",
                                        "\xed\xa0\x80",
                                        "\"\\x1b[2J\"",
                                        "\"\\u0000\"",
                                        "\"\\ud800\"",
                                        "\"unclosed",
                                        "'unclosed",
                                        "\\",
                                        "@",
                                        "`",
                                        "%",
                                        "seed",
                                        "lattice",
                                        "L",
                                        "run",
                                        "sweeps",
                                        "temperatures",
                                        "min",
                                        "max",
                                        "count",
                                        "spacing",
                                        "list",
                                        "disorder",
                                        "realizations",
                                        "batch",
                                        "replicas",
                                        "multispin",
                                        "share",
                                        "thermalize",
                                        "measure_every",
                                        "blocks",
                                        "snapshots",
                                        "equilibration",
                                        "checkpoint",
                                        "every_seconds",
                                        "seed: 5\n",
                                        "  sweeps: 1\n",
                                        "run: {sweeps: 100}\n"};

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

/// Aliases of aliases: a text of some lines that stands for 10^9 values.
std::string expanding_aliases() {
    std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 9; ++i)
        text += fmt::format("a{0}: &a{0} [{1}]\n", i,
                            repeated(fmt::format("*a{}, ", i - 1), 9) + fmt::format("*a{}", i - 1));
    return text;
}

/// One value of YAML that asks much of a reader.
std::string demanding_value(Random& random) {
    const std::size_t n = random.size(100000);
    switch (random.below(9)) {
        case 0:
            return repeated("[", n) + (random.one_in(2) ? repeated("]", n) : "");
        case 1:
            return repeated("{a: ", n) + (random.one_in(2) ? repeated("}", n) : "");
        case 2:
            return repeated("- ", n) + '1';
        case 3:
            return std::string(n, random.pick(std::string("9a \t.-?:,&*!%#\n\"'")));
        case 4:
            return fmt::format("[{}1]", repeated(random.pick(words) + ", ", n / 4));
        case 5:
            return repeated("? ", n);
        case 6:
            return repeated(random.pick(words), random.size(2000));
        case 7:
            return fmt::format("\n{}", expanding_aliases());
        default:
            return fmt::format("\"{}\"", std::string(n, 'x'));
    }
}

class Configurations : public Target {
  public:
    std::string name() const override { return "fuzz_config"; }

    void start(const std::string& folder) override {
        path_ = folder + "/case.yaml";
        again_ = folder + "/resolved.yaml";
        for (const char* name : {"reference", "quickstart", "ea3d"})
            texts_.push_back(read_bytes(fmt::format("{}/configs/{}.yaml", PSFLIP_SOURCE_DIR, name)));
        texts_.push_back(
            "seed: 1\nlattice: {L: [4, 6]}\ntemperatures: {4: {list: [1, 2]}, 6: {min: 1, max: 2}}\n");
    }

    void run(Random& random) override {
        std::string text = random.pick(texts_);
        // More often than not little is wrong, so that the later checks are reached, too.
        for (std::size_t i = random.below(4); i > 0; --i) damage_text(text, words, random);
        if (random.one_in(20)) text.insert(random.below(text.size() + 1), demanding_value(random));
        if (random.one_in(2000))
            text = repeated(text, random.size((std::size_t{1} << 20) / (text.size() + 1) + 1));
        std::vector<std::string> overrides;
        while (overrides.size() < 3 && random.one_in(3)) overrides.push_back(override_text(random));
        write_bytes(path_, text);
        write_bytes(path_ + ".set", fmt::format("{}", fmt::join(overrides, "\n")));
        check(overrides);
    }

  private:
    /// Those whose text could have lost digits, or stand for another number.
    static bool same_numbers(const Config& a, const Config& b) {
        return a.seed == b.seed && a.sizes == b.sizes && a.temperatures == b.temperatures &&
               a.model.p_ferro == b.model.p_ferro && a.thermalize_sweeps == b.thermalize_sweeps &&
               a.run_sweeps == b.run_sweeps && a.run.measure_every == b.run.measure_every &&
               a.equilibration.threshold_sigma == b.equilibration.threshold_sigma &&
               a.equilibration.min_walk_times == b.equilibration.min_walk_times &&
               a.checkpoint.every_seconds == b.checkpoint.every_seconds;
    }

    static std::string override_text(Random& random) {
        std::string key = random.pick(config_keys()).path;
        if (random.one_in(8)) key = key.substr(0, key.find('.'));
        std::string text = key + "=" + (random.one_in(20) ? demanding_value(random) : random.pick(words));
        if (random.one_in(4)) damage_text(text, words, random);
        return text;
    }

    void check(const std::vector<std::string>& overrides) const {
        Config config;
        try {
            config = load_config(path_, overrides);
            for (const int L : config.sizes) parameters_for(config, L);
        } catch (const InputError& error) {
            const bool named = std::string(error.what()).find("--set") != std::string::npos;
            check_message(error.what(), named && !overrides.empty() ? "--set" : path_);
            return;
        }
        write_bytes(again_, config.yaml);
        const Config again = load_config(again_);
        if (again.yaml != config.yaml || again.hash != config.hash || !same_numbers(again, config))
            throw Failure("the resolved configuration reads back as another one:\n" + config.yaml +
                          again.yaml);
    }

    std::string path_, again_;
    std::vector<std::string> texts_;
};

}  // namespace

int main(int argc, char** argv) {
    Configurations target;
    return run_driver(argc, argv, target);
}
