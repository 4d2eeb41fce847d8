#pragma once

#include <string>

#include "sweep/batch_setup.hpp"

namespace psflip {

// Stores the fastest measured plans of CUDA kernels, in one text file for each device model. A line holds the
// key of a batch and, after a tab, a plan in the form of KernelRequest. The environment variable
// PSFLIP_PLAN_CACHE names the folder; the default is $XDG_CACHE_HOME/psflip or ~/.cache/psflip. With
// PSFLIP_PLAN_CACHE=off, plans are neither measured nor stored.

/// Returns whether PSFLIP_PLAN_CACHE is off.
bool plan_cache_is_off();

/// Returns the path of the file for a device model (`device` is its name). The path is empty if the cache is
/// off or no folder is known.
std::string plan_cache_path(const std::string& device);

/// Returns everything that the best plan depends on, in one line: versions of psflip and of the driver,
/// multiprocessors of the device, rule, and sizes of the batch.
std::string plan_key(const BatchSetup& setup, int driver, int multiprocessors);

/// Returns the plan of the key, or an empty text if the file is missing, is damaged or does not have the key.
std::string stored_plan(const std::string& path, const std::string& key);

/// Stores the plan of the key. The file is replaced as a whole, so processes that store plans at once may
/// lose plans of each other, but never damage the file. If the file cannot be written, nothing is stored.
void store_plan(const std::string& path, const std::string& key, const std::string& plan);

}  // namespace psflip
