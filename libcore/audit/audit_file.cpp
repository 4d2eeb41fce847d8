#include "audit/audit_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/provenance.hpp"

namespace psflip {
namespace {

/// A JSON text.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<int>(c));
        else
            out += c;
    }
    return out + '"';
}

std::string object(const std::map<std::string, std::string>& texts) {
    std::string out;
    for (const auto& [name, text] : texts)
        out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", quoted(name), quoted(text));
    return "{" + out + "}";
}

std::string file_objects(const AuditResult& r) {
    std::string out;
    const auto add = [&](const char* name, const std::string& path) {
        if (path.empty()) return;
        const auto hash = r.hashes.find(path);
        out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", name,
                           object({{"path", path}, {"hash", hash == r.hashes.end() ? "" : hash->second}}));
    };
    add("run", r.files.run);
    add("state", r.files.state);
    add("disorder", r.files.disorder);
    add("end_state", r.files.end_state);
    return "{" + out + "}";
}

std::string difference_object(const AuditResult& r) {
    if (!r.first_difference) return "null";
    const AuditDifference& d = *r.first_difference;
    return fmt::format(
        "{{\"file\": {}, \"dataset\": {}, \"index\": [{}], \"realization\": {}, \"in_file\": {}, "
        "\"in_rerun\": {}}}",
        quoted(d.file), quoted(d.dataset), fmt::join(d.index, ", "),
        d.realization ? std::to_string(*d.realization) : "null", quoted(d.in_file), quoted(d.in_rerun));
}

}  // namespace

std::string audit_first_line(const AuditResult& r) {
    return fmt::format(
        R"({{"format": "psflip audit", "L": {}, "first_realization": {}, "realizations": {}, "sweeps": [{}, {}],)",
        r.L, r.first_realization, r.realizations, r.first_sweep, r.last_sweep);
}

std::string audit_json(const AuditResult& r) {
    return fmt::format(
        "{}\n \"equal\": {},\n \"batch\": {{\"first_realization\": {}, \"realizations\": {}}},\n"
        " \"files\": {},\n \"original\": {},\n \"rerun\": {},\n"
        " \"hash_in_files\": \"{}\",\n \"hash_in_rerun\": \"{}\",\n \"values\": {},\n \"differences\": {},\n"
        " \"flips\": {:.17g},\n \"seconds\": {:.3f},\n \"first_difference\": {},\n \"time\": \"{}\"}}\n",
        audit_first_line(r), r.differences == 0, r.batch_first, r.batch_realizations, file_objects(r),
        object(r.provenance), object(r.rerun), r.hash_in_files, r.hash_in_rerun, r.values, r.differences,
        r.flips, r.seconds, difference_object(r), utc_now());
}

std::string difference_text(const AuditResult& r) {
    if (!r.first_difference) return r.files.run + " and its rerun are equal";
    const AuditDifference& d = *r.first_difference;
    return fmt::format(
        "{} and its rerun on {} differ: {} [{}]{} is {} in the file, {} rerun; {} of {} values differ",
        d.file, r.rerun.at("backend"), d.dataset, fmt::join(d.index, ", "),
        d.realization ? fmt::format(" (realization {})", *d.realization) : "", d.in_file, d.in_rerun,
        r.differences, r.values);
}

}  // namespace psflip
