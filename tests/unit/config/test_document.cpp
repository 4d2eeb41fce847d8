// The YAML reader: places, aliases, and limits that hold while a text is parsed.
#include <doctest/doctest.h>

#include <chrono>

#include "base/error.hpp"
#include "config/document.hpp"
#include "unit/config/scratch.hpp"

using namespace psflip;
using psflip::test::refusal;

namespace {

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

/// As many times as fit into the largest configuration.
std::string filled(const std::string& begin, const std::string& text, const std::string& end = "") {
    return begin + repeated(text, (max_document_bytes - begin.size() - end.size()) / text.size()) + end;
}

}  // namespace

TEST_CASE("every value knows its line, and quotes are seen") {
    const Node root = parse_document("a: 1\nb:\n  - x\n  - \"y\"\nc:\n  d: ~\n'e': !!str 5\n", "f");
    CHECK(root.place == "f:1");
    CHECK(find_path(root, "a")->place == "f:1");
    CHECK(find_path(root, "b")->place == "f:2");
    CHECK(find_path(root, "b")->items.at(1).place == "f:4");
    CHECK_FALSE(find_path(root, "b")->items.at(0).quoted);
    CHECK(find_path(root, "b")->items.at(1).quoted);
    CHECK(find_path(root, "c.d")->kind == Node::Kind::null);
    CHECK(find_path(root, "c.d")->place == "f:6");
    CHECK(find_path(root, "e")->text == "5");
    CHECK(parse_document("a: 1", "--set", false).entries.at(0).second.place == "--set");
    CHECK(parse_document("", "f").kind == Node::Kind::null);
    CHECK(parse_document("--- 1\n...\n", "f").text == "1");
}

TEST_CASE("an alias is a copy at its own place") {
    const Node root = parse_document("a: &x {b: [1, 2]}\nc: *x\nd:\n  - *x\n&k e: 1\nf: {*k : 2}\n", "f");
    CHECK(value_text(*find_path(root, "c")) == "{b: [1, 2]}");
    CHECK(find_path(root, "c")->place == "f:2");
    CHECK(find_path(root, "c.b")->place == "f:1");
    CHECK(find_path(root, "d")->items.at(0).place == "f:4");
    CHECK(find_path(root, "f.e")->text == "2");
    const std::string ladders =
        "lattice: {L: [4, 6]}\ntemperatures: {4: &ladder {list: [1, 2]}, 6: *ladder}\n";
    CHECK(test::load_text(ladders).temperatures.at(6) == std::vector<double>{1, 2});
}

TEST_CASE("no text keeps the parser busy or takes much memory") {
    std::string laughs = "a: &a [1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (char c = 'b'; c < 'k'; ++c)
        laughs +=
            std::string(1, c) + ": &" + c + " [" + repeated(std::string("*") + char(c - 1) + ",", 8) + "]\n";
    std::string keys, indented;
    for (int i = 0; i < 7000; ++i) keys += std::to_string(i) + ":\n";
    for (int i = 0; i < 300; ++i) indented += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
    for (const std::string& text : {laughs,
                                    keys,
                                    indented,
                                    filled("", "["),
                                    filled("", "{a: "),
                                    filled("", "- "),
                                    filled("", "? "),
                                    filled("", "&a "),
                                    filled("[", "&a,", "]"),
                                    filled("a: [", "1,", "]"),
                                    filled("a: &a 1\nb: [", "*a,", "]"),
                                    filled("a: ", "1"),
                                    filled("", "a"),
                                    filled("\"", "\\x41", "\""),
                                    filled("", "'"),
                                    filled("", "!"),
                                    filled("", "---\n"),
                                    filled("a: 1\n", ","),
                                    filled("", "%a\n"),
                                    filled("a: |\n", "  1\n"),
                                    filled("", "[]"),
                                    filled("", ":\n"),
                                    filled("{", ",")}) {
        CAPTURE(text.substr(0, 40));
        const auto begin = std::chrono::steady_clock::now();
        const std::string message = refusal(text);
        CAPTURE(message);
        CHECK(message.rfind("study.yaml", 0) == 0);
        CHECK(message.size() < 2500);
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    }
}

TEST_CASE("a configuration has at most 64 KiB, which 64 temperatures of 16 sizes do not need") {
    CHECK(refusal(filled("seed: 1\n", "#") + "#") ==
          "study.yaml: the file is too large for the configuration; at most 65536 bytes are read");
    CHECK(test::load_text(filled("seed: 1\n", "#")).seed == 1);
    CHECK(refusal("seed: 1\n", {"replicas=2" + filled("", " ") + " "})
              .rfind("--set: the configuration has more than 64 KiB", 0) == 0);
    std::string sizes, ladders;
    for (int L = 4; L < 36; L += 2) {
        sizes += std::to_string(L) + ", ";
        ladders += "  " + std::to_string(L) + ": {list: [";
        for (int i = 0; i < 64; ++i) ladders += "1." + std::to_string(1000000000 + i) + ", ";
        ladders += "]}\n";
    }
    const Config config = test::load_text("lattice: {L: [" + sizes + "]}\ntemperatures:\n" + ladders);
    CHECK(config.temperatures.size() == 16);
    CHECK(config.temperatures.at(34).size() == 64);
}

TEST_CASE("a key of --set has few parts") {
    for (const std::string& key : {repeated("a.", 100000), repeated("a.", 20), repeated("a", 100000)}) {
        const std::string message = refusal("seed: 1\n", {key + "a=1"});
        CHECK(message.rfind("--set: ", 0) == 0);
        CHECK(message.find("is too long") != std::string::npos);
        CHECK(message.size() < 300);
    }
}

TEST_CASE("what a terminal would obey is shown as text") {
    CHECK(refusal("seed: \"\\x1b[31mred\\n\"\n") ==
          "study.yaml:1: seed = \"\\x1b[31mred\\n\" is text in quotes; give a whole number without quotes");
    CHECK(refusal("\"se\\x1b[2Jed\": 1\n").rfind("study.yaml:1: unknown key se\\x1b[2Jed; ", 0) == 0);
    CHECK(refusal("seed: 1\n", {"seed=\x1b]0;title\x07"}).find("\\x1b]0;title\\x07") != std::string::npos);
    CHECK(refusal("seed: 1\n", {"model.kind=a\xe2\x80\xae"
                                "b"})
              .find("a\\xe2\\x80\\xae"
                    "b") != std::string::npos);
    CHECK_THROWS_WITH_AS(
        load_config("/no/such/\x1b[1mstudy\n.yaml"),
        "/no/such/\\x1b[1mstudy\\n.yaml: cannot read the configuration: No such file or directory",
        InputError);
}
