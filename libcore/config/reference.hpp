#pragma once

#include <string>

namespace psflip {

/// configs/reference.yaml: every key with its default and, above it, what it is, its unit and range; written
/// from the table of keys.
std::string reference_yaml();

/// workflows/schemas/config.schema.yaml: the JSON schema of a study file for the workflow, from the same
/// table.
std::string schema_yaml();

}  // namespace psflip
