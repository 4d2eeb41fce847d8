#pragma once

#include <string>

namespace psflip {

/// Returns a description of files of one kind for readers with h5dump or h5py: contents, conventions, axes
/// and root attributes. The root attribute `doc` stores it. Unknown kinds give an empty string.
std::string file_doc(const std::string& kind);

/// Returns a sentence about a group such as "/blocks" or "/L8/jackknife", or an empty string for an unknown
/// path.
std::string group_doc(const std::string& path);

}  // namespace psflip
