#pragma once

#include <string>

namespace psflip {

/// What a physicist needs to read a file of this kind with h5dump or h5py: what it is, conventions, axes, and
/// the root attributes. For the root attribute `doc`; empty for a kind that is not known.
std::string file_doc(const std::string& kind);

/// A sentence on a group, by its path from the root on, as "/blocks" or "/L8/jackknife"; empty for groups
/// that are not known.
std::string group_doc(const std::string& path);

}  // namespace psflip
