#pragma once

#include "io/dataset_info.hpp"

namespace psflip {

/// The datasets of state, run and checkpoint files of lattices of this dimension; field: of a study in a
/// field, whose sums of energies are those of the bonds.
DatasetInfo run_dataset(const std::string& name, int dimension = 3, bool field = false, bool vectors = false);
DatasetTable run_datasets(int dimension, bool field, bool vectors = false);

}  // namespace psflip
