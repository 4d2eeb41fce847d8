#pragma once

#include <string>

#include "io/file.hpp"
#include "model/model.hpp"

namespace psflip {

/// Writes the root attributes of a model other than p_ferro: model, dimension, field, p_absent, boundary,
/// update, each only where it differs from Model{}.
void write_model(OutputFile& file, const Model& model);

/// The model that the root attributes tell, Model{} where there is none. Throws InputError for values that
/// no model has.
Model read_model(const InputFile& file);

/// What write_model writes, as lines "p_absent: 0.2"; empty for Model{} at any p_ferro.
std::string model_lines(const Model& model);

/// Empty where the models are the same but for p_ferro, else the first attribute that differs, with both
/// values: "p_absent = 0.2, but the configuration has 0.1".
std::string model_difference(const Model& told, const Model& wanted);

}  // namespace psflip
