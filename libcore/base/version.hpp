#pragma once

// Names the version of the library, and the versions of results that files store.

namespace psflip {

/// Returns the version of the library, "major.minor.patch".
const char* version();

/// Returns the abbreviated git commit of the sources, with "-dirty" if they were changed, or "unknown"
/// outside git.
const char* git_commit();

/// Increases with each change of psflip that changes any bit of spins or sums. Programs refuse input files of
/// another physics version.
inline constexpr int physics_version = 2;

/// Increases with each change of psflip that changes averages, errors or verdicts of `measure` or
/// `reduce-disorder`. Studies then repeat these programs, but no sweeps. Files without this number have
/// version 1.
inline constexpr int analysis_version = 2;

/// Increases with each change of the layout of the HDF5 files. Programs refuse files of another format
/// version.
inline constexpr int format_version = 2;

}  // namespace psflip
