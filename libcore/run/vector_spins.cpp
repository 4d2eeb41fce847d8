#include "run/vector_spins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "lattice/packing.hpp"

namespace psflip {
namespace {

constexpr double length_tolerance = 1e-3;  // of squares

std::vector<float> floats_of(const std::vector<double>& numbers) {
    return {numbers.begin(), numbers.end()};
}

Box box_of(const Shape& shape, std::optional<std::int64_t> row) {
    const auto extents = canonical_extents(shape);
    Box box{std::vector<std::int64_t>(extents.size(), 0), extents};
    if (!row) return box;
    box.first.insert(box.first.begin(), *row);
    box.count.insert(box.count.begin(), 1);
    return box;
}

void check_lengths(const InputFile& file, const std::string& dataset, const std::vector<double>& numbers,
                   const Shape& shape) {
    const auto sites = static_cast<std::size_t>(shape.sites());
    const std::size_t lattice = sites * static_cast<std::size_t>(shape.components);
    for (std::size_t first = 0; first < numbers.size(); first += lattice)
        for (std::size_t i = first; i < first + sites; ++i) {
            double square = 0.0;
            for (std::size_t at = i; at < first + lattice; at += sites) square += numbers[at] * numbers[at];
            if (!(std::abs(square - 1.0) < length_tolerance))
                throw InputError(fmt::format(
                    "{}: dataset {} holds a spin of length {} (its first component is number {}); spins have "
                    "length 1",
                    file.path(), dataset, std::sqrt(square), i));
        }
}

void check_precision(const InputFile& file, const std::string& dataset, const std::vector<double>& numbers,
                     const Shape& shape) {
    const auto longer = [](double x) { return static_cast<double>(static_cast<float>(x)) != x; };
    if (shape.form == SpinForm::floats && std::ranges::any_of(numbers, longer))
        throw InputError(
            fmt::format("{}: dataset {} holds numbers that are no floats", file.path(), dataset));
}

}  // namespace

void write_vectors(OutputFile& file, const std::string& dataset, const Shape& shape,
                   const std::vector<double>& spins) {
    const auto extents = canonical_extents(shape);
    if (shape.form == SpinForm::floats)
        file.write(dataset, extents, floats_of(spins), Storage::plain);
    else
        file.write(dataset, extents, spins, Storage::plain);
}

void create_vectors(OutputFile& file, const std::string& dataset, std::int64_t rows, const Shape& shape) {
    auto extents = canonical_extents(shape);
    extents.insert(extents.begin(), rows);
    if (shape.form == SpinForm::floats)
        file.create<float>(dataset, extents, Storage::plain);
    else
        file.create<double>(dataset, extents, Storage::plain);
}

void write_vectors_row(OutputFile& file, const std::string& dataset, std::int64_t row, const Shape& shape,
                       const std::vector<double>& spins) {
    if (shape.form == SpinForm::floats)
        file.write_box(dataset, box_of(shape, row), floats_of(spins).data());
    else
        file.write_box(dataset, box_of(shape, row), spins.data());
}

std::vector<double> read_vectors(const InputFile& file, const std::string& dataset, const Shape& shape,
                                 std::optional<std::int64_t> row) {
    std::vector<double> numbers = file.read_box<double>(dataset, box_of(shape, row)).data;
    check_lengths(file, dataset, numbers, shape);
    check_precision(file, dataset, numbers, shape);
    return numbers;
}

}  // namespace psflip
