#pragma once

#include <string>

namespace psflip {

/// Returns configs/reference.yaml: every key with its description, unit, range and default.
std::string reference_yaml();

/// Returns workflows/schemas/config.schema.yaml: the JSON schema of a study file, for the workflow.
std::string schema_yaml();

/// Returns docs/limits.md: range, default and conditions of every key.
std::string limits_page();

}  // namespace psflip
