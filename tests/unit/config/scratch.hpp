#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"

namespace psflip::test {

/// Makes a folder with one configuration file, and removes it in the destructor.
class ScratchConfig {
  public:
    explicit ScratchConfig(const std::string& text) {
        std::string pattern = (std::filesystem::temp_directory_path() / "psflip-config-XXXXXX").string();
        if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make " + pattern);
        folder_ = pattern;
        std::ofstream(path()) << text;
    }
    ~ScratchConfig() { std::filesystem::remove_all(folder_); }
    ScratchConfig(const ScratchConfig&) = delete;
    ScratchConfig& operator=(const ScratchConfig&) = delete;

    std::string path() const { return (folder_ / "study.yaml").string(); }

  private:
    std::filesystem::path folder_;
};

inline Config load_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const ScratchConfig scratch(text);
    return load_config(scratch.path(), overrides);
}

/// Returns the message of the refusal without the folder of the file, or "accepted" without a refusal.
inline std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const ScratchConfig scratch(text);
    try {
        load_config(scratch.path(), overrides);
    } catch (const InputError& error) {
        std::string message = error.what();
        const std::string folder = scratch.path().substr(0, scratch.path().size() - 10);
        for (std::size_t at; (at = message.find(folder)) != std::string::npos;)
            message.erase(at, folder.size());
        return message;
    }
    return "accepted";
}

}  // namespace psflip::test
