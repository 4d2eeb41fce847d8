#include "base/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace psflip {
namespace {

/// Makes messages printable, because they may quote files and names.
class PrintableMessage : public spdlog::custom_flag_formatter {
  public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
        const std::string text = printable({message.payload.data(), message.payload.size()});
        out.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<PrintableMessage>();
    }
};

}  // namespace

void start_log(const std::string& level) {
    const auto parsed = spdlog::level::from_str(level);
    if (parsed == spdlog::level::off && level != "off")
        throw InputError("--log-level '" + level +
                         "' is unknown; use trace, debug, info, warn, error or off");
    const auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    const char* no_color = std::getenv("NO_COLOR");
    if (no_color && *no_color) sink->set_color_mode(spdlog::color_mode::never);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("psflip", sink));
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PrintableMessage>('v').set_pattern("%Y-%m-%d %H:%M:%S %^%l%$ %v");
    spdlog::set_formatter(std::move(formatter));
    spdlog::set_level(parsed);
}

}  // namespace psflip
