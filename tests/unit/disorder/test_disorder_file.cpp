#include "base/error.hpp"
#include "disorder/couplings.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

/// A file as a user writes it: no more attributes than needed, 64-bit couplings.
std::string by_hand(const Scratch& scratch, const std::vector<std::int64_t>& shape,
                    const std::vector<std::int64_t>& values, std::int64_t first = 0) {
    const std::string path = scratch.path("hand.h5");
    OutputFile out(path, "disorder", {}, any_dataset);
    out.attribute("first_realization", first);
    out.write("/couplings", shape, values);
    out.commit();
    return path;
}

std::string refusal(const std::string& path, int L, int share = 1) {
    const std::string message = message_of<InputError>([&] { read_disorder(path, L, share); });
    CHECK(contains(message, path));
    return message;
}

}  // namespace

TEST_CASE("write_disorder and read_disorder") {
    const Scratch scratch;
    const std::string path = scratch.path("disorder.h5");
    const CouplingsLaw law{0xfedcba9876543210, {}, 6};
    write_disorder(path, law, 128, 70, {}, 2);
    const Disorder disorder = read_disorder(path, 6, 128);
    CHECK(disorder.first == 128);
    CHECK(disorder.count == 70);
    CHECK(disorder.L == 6);
    CHECK(disorder.couplings == generate_couplings(law, 128, 70));
    const InputFile file(path, schema::disorder);
    CHECK(file.integer_attribute(schema::realizations, 1, 100) == 70);
    CHECK(file.integer_attribute(schema::size, 4, 8) == 6);
    CHECK(file.real_attribute(schema::p_ferro, 0, 1) == 0.5);
    CHECK(file.has_attribute(schema::seed));

    write_disorder(scratch.path("copy.h5"), disorder, {});
    CHECK(read_disorder(scratch.path("copy.h5"), 6).couplings == disorder.couplings);
    CHECK_THROWS_AS(write_disorder(scratch.path("bad.h5"), CouplingsLaw{1, {.p_ferro = 2.0}, 6}, 0, 32, {}),
                    InputError);
    CHECK(scratch.entries() == 2);
}

TEST_CASE("a batch written in several pieces") {
    const Scratch scratch;
    const CouplingsLaw law{5, {}, 96};  // 2.65 MB each, 25 in a piece
    write_disorder(scratch.path("disorder.h5"), law, 32, 40, {});
    const Disorder disorder = read_disorder(scratch.path("disorder.h5"), 96);
    CHECK(couplings_hash(disorder.couplings) == couplings_hash(generate_couplings(law, 32, 40)));
    const Disorder unkept = read_disorder(scratch.path("disorder.h5"), 96, 1, {}, HeldLattice{96, 0});
    CHECK(unkept.couplings.empty());
    CHECK(unkept.hash == disorder.hash);
    CHECK(unkept.bonds.positive == disorder.bonds.positive);
    CHECK(unkept.drawn);
}

TEST_CASE("a file written by hand") {
    const Scratch scratch;
    std::vector<std::int64_t> values(2 * 3 * 64, 1);
    values[5] = -1;
    const Disorder disorder = read_disorder(by_hand(scratch, {2, 3, 4, 4, 4}, values, 64), 4, 64);
    CHECK(disorder.first == 64);
    CHECK(disorder.count == 2);
    CHECK(disorder.couplings[5] == -1);
    CHECK(disorder.couplings[6] == 1);
}

TEST_CASE("absent bonds by hand, in three and two dimensions") {
    const Scratch scratch;
    std::vector<std::int64_t> values(2 * 3 * 64, 1);
    values[17] = 0;
    const Disorder disorder = read_disorder(by_hand(scratch, {2, 3, 4, 4, 4}, values), 4);
    CHECK(disorder.couplings[17] == 0);
    CHECK(disorder.couplings[18] == 1);
    CHECK(couplings_origin("hand.h5", disorder, {1, {.p_ferro = 1.0}, 4}, 1) ==
          "by hand, 100% of the couplings are +1, 0.2604% of the bonds are absent where model.p_absent is 0");
    write_disorder(scratch.path("copy.h5"), disorder, {});
    CHECK(read_disorder(scratch.path("copy.h5"), 4).couplings == disorder.couplings);

    values.resize(2 * 2 * 16);
    const Model square{.dimension = 2};
    const std::string path = by_hand(scratch, {2, 2, 4, 4}, values);
    const Disorder planar = read_disorder(path, 4, 1, square);
    CHECK(planar.dimension == 2);
    CHECK(planar.couplings[17] == 0);
    write_disorder(scratch.path("copy.h5"), planar, {});
    CHECK(read_disorder(scratch.path("copy.h5"), 4, 1, square).couplings == planar.couplings);
    const auto refused = [](const std::string& file, int L, const Model& model) {
        return message_of<InputError>([&] { read_disorder(file, L, 1, model); });
    };
    CHECK(contains(refused(path, 4, {}), "has shape (2, 2, 4, 4) instead of (R, 3, 4, 4, 4)"));
    CHECK(contains(refused(path, 8, square), "couplings for L = 4, but this call needs L = 8"));
    values[18] = 5;
    CHECK(contains(refused(by_hand(scratch, {2, 2, 4, 4}, values), 4, square),
                   "holds 5 at [0, 1, 0, 2] (realization, direction, y, x)"));
    CHECK(contains(
        refused(by_hand(scratch, {2, 3, 4, 4, 4}, std::vector<std::int64_t>(2 * 3 * 64, 1)), 4, square),
        "(R, 2, 4, 4): realization (at least one), direction, y, x"));
}

TEST_CASE("bonds are counted by sign and direction, and across the boundary, in pieces") {
    std::vector<std::int8_t> bonds(2 * 3 * 64, 1);
    bonds[3] = 0;                     // of the first realization along x, from x = 3 to 0
    bonds[64 + 12] = -1;              // along y, from y = 3 to 0
    bonds[64 + 8] = 0;                // along y, not across
    bonds[64 * 3 + 2 * 64 + 63] = 0;  // of the second realization along z, from z = 3 to 0
    BondCounts whole, pieces;
    whole.add<std::int8_t>(0, bonds, 3, 4);
    for (std::int64_t first = 0; first < std::ssize(bonds); first += 12)
        pieces.add<std::int8_t>(first, std::span(bonds).subspan(static_cast<std::size_t>(first), 12), 3, 4);
    for (const BondCounts& counts : {whole, pieces}) {
        CHECK(counts.positive == 2 * 3 * 64 - 4);
        CHECK(counts.negative == 1);
        CHECK(counts.present == std::array<std::int64_t, 3>{127, 127, 127});
        CHECK(counts.across == std::array<std::int64_t, 3>{31, 32, 31});
        CHECK(counts.open_directions().empty());
    }
    BondCounts open;
    open.add<std::int8_t>(0, std::vector<std::int8_t>{1, 0, 1, 0, 1, 1, 0, 0}, 2, 2);
    CHECK(open.open_directions() == "x and y");
}

TEST_CASE("files name the model that their couplings were drawn for, if it is not the first one") {
    const Scratch scratch;
    const std::string path = scratch.path("disorder.h5");
    const Model models[] = {{.kind = ModelKind::ferromagnet, .dimension = 2},
                            {.dimension = 2, .p_ferro = 0.8, .p_absent = 0.25},
                            {.field = 0.5, .update = Update::heat_bath},
                            {.kind = ModelKind::ferromagnet, .boundary = Boundary::open}};
    for (const Model& model : models) {
        const CouplingsLaw law{7, model, 6};
        write_disorder(path, law, 64, 33, {}, 1);
        const Disorder disorder = read_disorder(path, 6, 32, model);
        CHECK(disorder.couplings == generate_couplings(law, 64, 33));
        REQUIRE(disorder.model);
        CHECK(*disorder.model == model);
        CHECK(couplings_origin(path, disorder, law, 32).empty());
        check_existing_disorder(path, law, 64, 33);
        Model other = model;
        other.p_absent = 0.5;
        CHECK(contains(message_of<InputError>([&] {
                           couplings_origin(path, disorder, {7, other, 6}, 32);
                       }),
                       "p_absent = "));
        CHECK_THROWS_AS(check_existing_disorder(path, {7, other, 6}, 64, 33), InputError);
    }
    write_disorder(path, {7, {.p_ferro = 0.8}, 6}, 0, 32, {});
    const InputFile file(path, schema::disorder);
    for (const char* attribute : {schema::model, schema::dimension, schema::field, schema::p_absent,
                                  schema::boundary, schema::update})
        CHECK_FALSE(file.has_attribute(attribute));
}

TEST_CASE("disorder files that are refused") {
    const Scratch scratch;
    std::vector<std::int64_t> values(2 * 3 * 64, 1);
    CHECK(contains(refusal(by_hand(scratch, {2, 3, 4, 4, 4}, values), 8),
                   "couplings for L = 4, but this call needs L = 8"));
    CHECK(contains(refusal(by_hand(scratch, {2, 3, 64}, values), 4),
                   "has shape (2, 3, 64) instead of (R, 3, 4, 4, 4)"));
    CHECK(contains(refusal(by_hand(scratch, {3, 2, 4, 4, 4}, values), 4), "(R, 3, 4, 4, 4): realization"));
    CHECK(contains(refusal(by_hand(scratch, {0, 3, 4, 4, 4}, {}), 4), "at least one"));
    const std::string misaligned = by_hand(scratch, {2, 3, 4, 4, 4}, values, 32);
    CHECK(contains(refusal(misaligned, 4, 128), "a multiple of 128"));
    read_disorder(misaligned, 4, 32);
    CHECK(contains(refusal(by_hand(scratch, {2, 3, 4, 4, 4}, values, 1 << 24), 4), "0 to 16777215"));
    values[3 * 64 + 2 * 64 + 16 + 4 + 3] = -2;
    CHECK(contains(refusal(by_hand(scratch, {2, 3, 4, 4, 4}, values), 4), "holds -2 at [1, 2, 1, 1, 3]"));
    values[7] = 2;
    CHECK(contains(refusal(by_hand(scratch, {2, 3, 4, 4, 4}, values), 4), "holds 2 at [0, 0, 0, 1, 3]"));
    values[7] = 300;
    CHECK(contains(refusal(by_hand(scratch, {2, 3, 4, 4, 4}, values), 4), "do not fit in int8"));
}
