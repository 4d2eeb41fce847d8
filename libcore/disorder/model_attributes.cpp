#include "disorder/model_attributes.hpp"

#include <fmt/format.h>

#include <limits>

#include "io/batch_attributes.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

/// Calls f(name of the attribute, member of Model) for each attribute.
template <class F>
void for_each_attribute(F f) {
    f(schema::model, &Model::kind);
    f(schema::dimension, &Model::dimension);
    f(schema::field, &Model::field);
    f(schema::p_absent, &Model::p_absent);
    f(schema::boundary, &Model::boundary);
    f(schema::update, &Model::update);
}

std::int64_t stored(int value) {
    return value;
}
double stored(double value) {
    return value;
}
template <class Enumeration>
std::string stored(Enumeration value) {
    return name(value);
}

void read(const InputFile& file, const char* attribute, int& value) {
    value = static_cast<int>(file.integer_attribute(attribute, 2, 3));
}
void read(const InputFile& file, const char* attribute, double& value) {
    constexpr double largest = std::numeric_limits<double>::max();
    value = file.real_attribute(attribute, attribute == schema::p_absent ? 0.0 : -largest,
                                attribute == schema::p_absent ? 1.0 : largest);
}
template <class Enumeration>
void read(const InputFile& file, const char* attribute, Enumeration& value) {
    value = read_choice<Enumeration>(file, attribute);
}

}  // namespace

void write_model(OutputFile& file, const Model& model) {
    for_each_attribute([&](const char* attribute, auto member) {
        if (model.*member != Model{}.*member) file.attribute(attribute, stored(model.*member));
    });
}

Model read_model(const InputFile& file) {
    Model model;
    for_each_attribute([&](const char* attribute, auto member) {
        if (file.has_attribute(attribute)) read(file, attribute, model.*member);
    });
    if (file.has_attribute(schema::p_ferro)) model.p_ferro = file.real_attribute(schema::p_ferro, 0.0, 1.0);
    return model;
}

std::string model_lines(const Model& model) {
    std::string lines;
    for_each_attribute([&](const char* attribute, auto member) {
        if (model.*member != Model{}.*member)
            lines += fmt::format("{}: {}\n", attribute, stored(model.*member));
    });
    return lines;
}

std::string model_difference(const Model& told, const Model& wanted) {
    std::string text;
    for_each_attribute([&](const char* attribute, auto member) {
        if (text.empty() && told.*member != wanted.*member)
            text = fmt::format("{} = {}, but the configuration has {}", attribute, stored(told.*member),
                               stored(wanted.*member));
    });
    return text;
}

}  // namespace psflip
