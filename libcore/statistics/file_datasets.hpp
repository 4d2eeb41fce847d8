#pragma once

#include "io/dataset_info.hpp"

namespace psflip {

/// The datasets of observables files and of reduced files; each a DatasetTable.
DatasetInfo observables_dataset(const std::string& name);
DatasetInfo reduced_dataset(const std::string& name);

}  // namespace psflip
