#pragma once

namespace psflip {

/// Version of the library, "major.minor.patch".
const char* version();

/// Abbreviated git commit of the sources at configure time, with "-dirty" where they were changed; "unknown"
/// outside git.
const char* git_commit();

/// Raised whenever a bit of a spin or a sum changes. Files of another physics version are refused as inputs.
inline constexpr int physics_version = 2;

/// Raised whenever averages, errors or verdicts change that `measure` and `reduce-disorder` make. Campaigns
/// then repeat these programs, and no sweep. Files that do not tell it have version 1.
inline constexpr int analysis_version = 2;

/// Raised when the layout of the HDF5 files changes. Programs refuse files of another format version.
inline constexpr int format_version = 2;

}  // namespace psflip
