#pragma once

#include "io/dataset_info.hpp"

namespace psflip {

/// The datasets of state, run and checkpoint files; a DatasetTable.
DatasetInfo run_dataset(const std::string& name);

}  // namespace psflip
