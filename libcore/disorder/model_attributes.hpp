#pragma once

// Writes and reads the parameters of a Model as root attributes of disorder files.

#include <string>

#include "io/file.hpp"
#include "model/model.hpp"

namespace psflip {

/// Writes the root attributes model, dimension, field, p_absent, boundary and update, if they differ from
/// Model{}.
void write_model(OutputFile& file, const Model& model);

/// Returns the model in the root attributes. A missing attribute has its value in Model{}. Errors: InputError
/// for impossible values.
Model read_model(const InputFile& file);

/// Returns the attributes of write_model as lines like "p_absent: 0.2". The text is empty if the model
/// differs from Model{} in p_ferro only.
std::string model_lines(const Model& model);

/// Returns the first attribute except p_ferro in which the models differ, with both values: "p_absent = 0.2,
/// but the configuration has 0.1". Returns an empty string if there is none.
std::string model_difference(const Model& told, const Model& wanted);

}  // namespace psflip
