#include "daemon/service/logger.h"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

namespace tenure::daemon {
namespace {

constexpr std::size_t kLinesKept = 8192;

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::info: return spdlog::level::info;
    case Level::warning: return spdlog::level::warn;
    case Level::error: break;
  }
  return spdlog::level::err;
}

}  // namespace

struct Logger::Sink {
  std::shared_ptr<spdlog::details::thread_pool> thread;
  std::shared_ptr<spdlog::async_logger> logger;
};

Logger::Logger(bool json) : json_(json), sink_(std::make_unique<Sink>()) {
  sink_->thread = std::make_shared<spdlog::details::thread_pool>(kLinesKept, 1);
  sink_->logger =
      std::make_shared<spdlog::async_logger>("tenured", std::make_shared<spdlog::sinks::stderr_sink_mt>(),
                                             sink_->thread, spdlog::async_overflow_policy::overrun_oldest);
  sink_->logger->set_pattern(
      json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})" : "%Y-%m-%dT%H:%M:%S.%eZ %l: %v",
      spdlog::pattern_time_type::utc);
  sink_->logger->flush_on(spdlog::level::info);
}

Logger::~Logger() = default;

void Logger::say(Level level, std::string_view words, const Fields& fields) const {
  std::string line;
  if (json_) {
    nlohmann::ordered_json object = {{"message", words}};
    for (const auto& [name, value] : fields) object[std::string(name)] = value;
    line = object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    line = line.substr(1, line.size() - 2);
  } else {
    line = words;
    for (const auto& [name, value] : fields) line.append(" ").append(name).append("=").append(value);
  }
  sink_->logger->log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
}

TroubleSink Logger::troubles() const {
  return [this](std::string_view said) {
    const std::size_t level_at = said.find(' ');
    const std::size_t colon = said.find(": ");
    if (level_at >= colon || colon == std::string_view::npos) return say(Level::warning, said);
    const std::string_view level = said.substr(level_at + 1, colon - level_at - 1);
    const std::string_view words = said.substr(colon + 2);
    say(level == "error" ? Level::error : level == "warning" ? Level::warning : Level::info, words);
  };
}

}  // namespace tenure::daemon
