#include "base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>

#include "base/error.hpp"

namespace psflip {

void start_log(const std::string& level) {
    const auto parsed = spdlog::level::from_str(level);
    if (parsed == spdlog::level::off && level != "off")
        throw InputError("--log-level '" + level +
                         "' is unknown; use trace, debug, info, warn, error or off");
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("psflip", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()));
    spdlog::set_pattern("%Y-%m-%d %H:%M:%S %^%l%$ %v");
    spdlog::set_level(parsed);
}

}  // namespace psflip
