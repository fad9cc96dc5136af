// Any text as a cron expression: it is one, and then it is the same one when it is printed and parsed again, or it is
// an error with a place in the text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/time.h"
#include "core/schedule/cron.h"
#include "tests/fuzz/fuzz.h"

namespace tenure {
namespace {

using testing::demand;

void check_error(const CronError& error, const std::string& text) {
  demand(!error.message.empty(), "an error says what is wrong", text);
  demand(error.length >= 1 && error.at <= text.size() &&
             error.length <= std::max<std::size_t>(text.size() - error.at, 1),
         "an error has its place in the text", text);
}

// The search from a few times on, both ways.
void check_matches(const Cron& cron, const std::string& text) {
  for (const std::int64_t from :
       {std::int64_t{0}, std::int64_t{1'774'746'000}, std::int64_t{-9'000'000'000}}) {
    const auto next = cron.at_or_after(from);
    demand(next.has_value() && *next >= from, "an expression that is accepted has a match", text);
    demand(cron.at_or_before(*next) == next, "a match is found from both sides", text);
    demand(cron.count(from, *next) == 0 && cron.count(*next, *next + 1) == 1, "matches are counted", text);
  }
}

void check(const std::string& text) {
  if (const auto every = parse_every(text)) {
    if (const auto* error = std::get_if<CronError>(&*every)) return check_error(*error, text);
    const Duration period = std::get<Duration>(*every);
    return demand(period > Duration{} && period.ns() % 1'000 == 0, "a period is positive, in microseconds",
                  text);
  }
  const auto parsed = Cron::parse(text);
  if (const auto* error = std::get_if<CronError>(&parsed)) return check_error(*error, text);
  const Cron& cron = std::get<Cron>(parsed);
  const auto again = Cron::parse(cron.text());
  const auto* same = std::get_if<Cron>(&again);
  demand(same != nullptr && same->text() == cron.text() && same->interval_type() == cron.interval_type(),
         "an expression parses to the same again", text + "\n" + cron.text());
  demand(same->at_or_after(1'774'746'001) == cron.at_or_after(1'774'746'001), "and has the same matches",
         text);
  check_matches(cron, text);
}

}  // namespace
}  // namespace tenure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (!text.empty() && text.back() == '\n') text.pop_back();  // as the seeds end
  tenure::check(text);
  return 0;
}
