#pragma once

#include <string>

#include "audit/audit.hpp"

namespace psflip {

/// The result as JSON; the fields are those of AuditResult:
///
///     {"format": "psflip audit", "L": 8, "first_realization": 128, "realizations": 128, "sweeps": [0, 8192],
///      "equal": true, "batch": {"first_realization": 0, "realizations": 512},
///      "files": {"run": {"path": "run.h5", "hash": "..."}, "state": {...}, "disorder": {...}, "end_state":
///      {...}}, "original": {"backend": "...", "device": "...", "host": "...", "git_commit": "...",
///      "version": "..."}, "rerun": {the same}, "hash_in_files": "...", "hash_in_rerun": "...", "values":
///      123, "differences": 0, "flips": 1e12, "seconds": 10.5, "first_difference": null, "time":
///      "2026-11-21T08:15:00Z"}
///
/// end_state is missing where none was compared. first_difference otherwise {"file": "...", "dataset": "...",
/// "index": [0, 1, 2, 3], "realization": 131, "in_file": "4", "in_rerun": "8"}; realization is null where the
/// dataset has no such axis.
std::string audit_json(const AuditResult& result);

/// The first line of audit_json, which identifies the part of the batch that is audited.
std::string audit_first_line(const AuditResult& result);

}  // namespace psflip
