#include "slab/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/error.hpp"
#include "base/process.hpp"
#include "io/hash.hpp"

namespace psflip {
namespace {

/// How the work of a rank ended. Ranks send this number to each other.
enum class Outcome : std::int64_t { done, input, environment, disk_full };

struct Ending {
    Outcome outcome = Outcome::done;
    std::string text;
};

Ending ending_of(const std::function<void()>& work) {
    try {
        work();
        return {};
    } catch (const InputError& error) {
        return {Outcome::input, error.what()};
    } catch (const DiskFullError& error) {
        return {Outcome::disk_full, error.what()};
    } catch (const std::bad_alloc&) {
        return {Outcome::environment, "out of memory"};
    } catch (const std::exception& error) {
        return {Outcome::environment, error.what()};
    }
}

[[noreturn]] void throw_ending(const Ending& ending) {
    switch (ending.outcome) {
        case Outcome::input:
            throw_of_all_ranks<InputError>(ending.text);
        case Outcome::disk_full:
            throw_of_all_ranks<DiskFullError>(ending.text);
        default:
            throw_of_all_ranks<EnvironmentError>(ending.text);
    }
}

/// Returns the text of rank `from`.
std::string of_rank(Ranks& ranks, std::string text, int from) {
    std::size_t size = text.size();
    ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), from);
    text.resize(size);
    ranks.broadcast(std::as_writable_bytes(std::span(text)), from);
    return text;
}

/// Returns 16 digits of the hash of a text.
std::array<char, 16> digits_of(const std::string& text) {
    Hasher hash;
    hash.add(text.data(), text.size());
    std::array<char, 16> digits{};
    std::ranges::copy(hash.hex(), digits.begin());
    return digits;
}

/// Returns the first rank whose text differs from the text of rank 0, or 0.
int first_other(Ranks& ranks, const std::string& text) {
    const auto all = of_each(ranks, digits_of(text));
    const auto other = std::ranges::find_if(all, [&](const auto& digits) { return digits != all.front(); });
    return other == all.end() ? 0 : static_cast<int>(other - all.begin());
}

std::string shortened(const std::string& text) {
    constexpr std::size_t most = 300;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

void all_do(Ranks& ranks, const std::function<void()>& work) {
    if (ranks.alone()) return work();
    const Ending mine = ending_of(work);
    const auto outcomes = of_each(ranks, mine.outcome);
    const auto failed = std::ranges::find_if(outcomes, [](Outcome o) { return o != Outcome::done; });
    if (failed == outcomes.end()) return;
    const bool common = std::ranges::find(outcomes, Outcome::done) == outcomes.end();
    const std::string text =
        of_rank(ranks, common ? mine.text : fmt::format("{}: {}", rank_text(ranks), mine.text),
                static_cast<int>(failed - outcomes.begin()));
    throw_ending({*failed, text});
}

void first_does(Ranks& ranks, const std::function<void()>& work) {
    if (ranks.alone()) return work();
    Ending ending;
    if (ranks.is_first()) ending = ending_of(work);
    ending.outcome = of_first(ranks, ending.outcome);
    if (ending.outcome == Outcome::done) return;
    ending.text = of_rank(ranks, ending.text, 0);
    throw_ending(ending);
}

void check_same_on_ranks(Ranks& ranks, const std::vector<NamedValue>& values) {
    if (ranks.alone()) return;
    for (const auto& [name, value] : values) {
        const int other = first_other(ranks, value);
        if (other == 0) continue;
        const std::string who = of_rank(ranks, rank_text(ranks), other);
        const std::string has = of_rank(ranks, shortened(value), other),
                          first = of_rank(ranks, shortened(value), 0);
        throw_of_all_ranks<InputError>(
            fmt::format("{} has another {} than rank 0: {} instead of {}; start all ranks with the same "
                        "program, configuration and inputs",
                        who, name, has, first));
    }
}

std::string rank_text(const Ranks& ranks) {
    return fmt::format("rank {} of {} ({})", ranks.rank(), ranks.size(), host_name());
}

RanksHere ranks_here(Ranks& ranks) {
    const ProcessPlace place = this_place();
    const auto all = of_each(ranks, digits_of(place.host + '\n' + place.boot));
    const auto mine = all.begin() + ranks.rank();
    return {static_cast<int>(std::count(all.begin(), all.end(), *mine)),
            static_cast<int>(std::count(all.begin(), mine, *mine))};
}

std::string of_first(Ranks& ranks, std::string text) {
    return of_rank(ranks, std::move(text), 0);
}

}  // namespace psflip
