#pragma once

namespace psflip {

/// Version of the library, "major.minor.patch".
const char* version();

/// Abbreviated git commit of the sources at configure time, with "-dirty" where they were changed; "unknown"
/// outside git.
const char* git_commit();

/// Raised whenever any bit of a result changes. Files of another physics version are refused as inputs.
inline constexpr int physics_version = 2;

/// Layout version of the HDF5 files.
inline constexpr int format_version = 1;

}  // namespace psflip
