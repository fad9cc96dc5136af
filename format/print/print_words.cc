#include "format/print/print_words.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "format/syntax/units.h"

namespace tenure::format {
bool same(const Parameters& a, const Parameters& b) {
  for (std::size_t i = 0; i < a.specs().size(); ++i)
    if (a.value(static_cast<int>(i)) != b.value(static_cast<int>(i))) return false;
  return true;
}

bool same(const sim::InstanceSetting& a, const sim::InstanceSetting& b) {
  return a.clock == b.clock && same(a.election, b.election);
}

std::string_view value_of(sim::ChangeAction action) {
  switch (action) {
    case sim::ChangeAction::create: return "create";
    case sim::ChangeAction::update: return "update";
    case sim::ChangeAction::remove: return "delete";
    case sim::ChangeAction::pause: return "pause";
    case sim::ChangeAction::resume: return "resume";
    case sim::ChangeAction::trigger: return "trigger";
    case sim::ChangeAction::backfill: return "backfill";
    case sim::ChangeAction::replay: return "replay";
  }
  CHECK(false, "every change has a name");
}

std::string lines_of(const sim::ProgramSetting& program) {
  std::string lines;
  const auto line = [&lines](std::string_view key, const std::string& value) {
    lines += fmt::format("{} = {}\n", key, quoted(value));
  };
  if (program.warmup != Duration{}) line("warmup", print_duration(program.warmup));
  if (program.startup != Duration{}) line("startup", print_duration(program.startup));
  if (!program.exits_on_loss) return lines;
  line("on_loss", "exit");
  line("restart_backoff", print_duration(program.restart_backoff));
  line("restart_backoff_max", print_duration(program.longest_backoff));
  return lines;
}

std::string lines_of(const sim::PayloadSetting& payload) {
  std::string lines;
  if (!payload.topic.empty()) lines += fmt::format("topic = {}\n", quoted(payload.topic));
  if (!payload.type.empty()) lines += fmt::format("type = {}\n", quoted(payload.type));
  if (payload.data_bytes != 0) lines += fmt::format("payload_bytes = {}\n", payload.data_bytes);
  return lines;
}

std::string lines_of(const sim::DestinationSetting& destination, std::string_view latency) {
  std::string lines = fmt::format(
      "name = {}\nlatency = {}\nconcurrent = {}\ntimeout = {}\nfailing = {}\nanswers_lost = {}\n",
      quoted(destination.name), latency, destination.concurrent, quoted(print_duration(destination.timeout)),
      print_decimal(destination.failing_ppm, 6), print_decimal(destination.answers_lost_ppm, 6));
  if (destination.retry_after != Duration{})
    lines += fmt::format("retry_after = {}\n", quoted(print_duration(destination.retry_after)));
  return lines;
}

std::string lines_of(const sim::WorkerSetting& worker, std::string_view duration) {
  const std::string topic = worker.topic.empty() ? "" : fmt::format("topic = {}\n", quoted(worker.topic));
  return fmt::format(
      "name = {}\n{}count = {}\nconcurrent = {}\nclaim = {}\nheartbeat = {}\npoll = {}\ntimeout = {}\n"
      "duration = {}\nfailing = {}\n",
      quoted(worker.name), topic, worker.count, worker.concurrent, quoted(print_duration(worker.claim)),
      quoted(print_duration(worker.heartbeat)), quoted(print_duration(worker.poll)),
      quoted(print_duration(worker.timeout)), duration, print_decimal(worker.failing_ppm, 6));
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result.append({'\\', c});
    } else if (static_cast<unsigned char>(c) < 0x20U || c == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace tenure::format
