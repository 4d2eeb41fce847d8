#pragma once

#include "io/dataset_info.hpp"

namespace psflip {

/// The datasets of state, run and checkpoint files; a DatasetTable.
DatasetInfo run_dataset(const std::string& name);

/// Those of lattices of a dimension: in two, arrays of sites have no z axis.
DatasetTable run_datasets(int dimension);

}  // namespace psflip
