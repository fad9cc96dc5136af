#include "cli/next_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "sim/scenario/toml/suggest.h"
#include "sim/scenario/toml/units.h"

namespace tenure::cli {
namespace {

constexpr std::uint32_t kMaxCount = 100'000;

constexpr std::string_view kGaps[] = {"gap_end", "shift", "skip"};
constexpr std::string_view kOverlaps[] = {"first", "second", "both"};
constexpr std::string_view kPer[] = {"slot", "schedule"};

// The place of a name among those that a flag takes.
std::size_t choice(std::string_view flag, std::string_view name, std::span<const std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(fmt::format("unknown {} `{}`: {}", flag, name, sim::suggestion(name, names)));
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

CLI::App* declare_next(CLI::App& app, RawNext& raw, std::optional<std::string>& format) {
  CLI::App* next = app.add_subcommand("next", "print when a schedule is due");
  const auto text = [next](const char* flags, std::string& into, const char* doc, const char* type) {
    next->add_option(flags, into, doc)->type_name(type);
  };
  text("EXPR", raw.expression, "a cron expression, in quotes", "");
  text("--every", raw.every, "instead: this period, counted from --start, or from --from", "DURATION");
  next->add_option("--at", raw.at, "instead: this time; may be repeated")
      ->type_name("TIME")
      ->allow_extra_args(false);
  text("--once", raw.once, "instead: this time alone", "TIME");
  text("--timezone", raw.timezone, "the zone that fields and times are read in (UTC)", "ZONE");
  text("--dst-gap", raw.dst_gap, "a fixed time that the clock jumps over: gap_end, shift or skip", "POLICY");
  text("--dst-overlap", raw.dst_overlap, "one that it shows twice: first, second or both", "POLICY");
  text("--from", raw.from, "from here on: a date, a date and time, or an instant (now)", "TIME");
  text("--until", raw.until, "list none at this time or after", "TIME");
  next->add_option("--count", raw.count, "how many (10)")->type_name("N");
  next->add_flag("--previous", raw.previous, "those before --from, the latest first");
  text("--start", raw.start, "the schedule has no slot before this", "TIME");
  text("--end", raw.end, "nor at this or after", "TIME");
  text("--jitter", raw.jitter, "up to how much later they are due", "DURATION");
  text("--jitter-per", raw.jitter_per, "drawn for each slot, or once for the schedule", "WHAT");
  next->add_option("--jitter-seed", raw.jitter_seed, "what it is drawn from")->type_name("N");
  next->add_option("--schedule-id", raw.schedule_id, "and for which schedule")->type_name("N");
  next->add_option("--format", format, "text or json")->type_name("FORMAT");
  return next;
}

NextOptions next_options(const RawNext& raw, Format format) {
  const int ways = (raw.expression.empty() ? 0 : 1) + (raw.every.empty() ? 0 : 1) + (raw.at.empty() ? 0 : 1) +
                   (raw.once.empty() ? 0 : 1);
  if (ways != 1) throw UsageError("`next` takes a cron expression, or one of --every, --at, --once");
  if (raw.count < 1 || raw.count > kMaxCount)
    throw UsageError(fmt::format("--count is from 1 to {}", sim::print_thousands(kMaxCount)));
  if (raw.previous && !raw.until.empty())
    throw UsageError("--until is for slots to come, not for --previous");
  if (raw.jitter.empty() && (!raw.jitter_per.empty() || raw.jitter_seed || raw.schedule_id))
    throw UsageError("--jitter-per, --jitter-seed and --schedule-id need --jitter");
  NextOptions options;
  options.expression = given(raw.expression);
  options.every = given(raw.every);
  options.at = raw.at;
  options.once = given(raw.once);
  options.start = given(raw.start);
  options.end = given(raw.end);
  options.timezone = given(raw.timezone);
  options.gap = static_cast<DstGap>(choice("--dst-gap", raw.dst_gap, kGaps));
  options.overlap = static_cast<DstOverlap>(choice("--dst-overlap", raw.dst_overlap, kOverlaps));
  options.from = given(raw.from);
  options.until = given(raw.until);
  options.count = raw.count;
  options.previous = raw.previous;
  options.jitter = given(raw.jitter);
  options.jitter_per = static_cast<Jitter::Per>(
      choice("--jitter-per", raw.jitter_per.empty() ? kPer[0] : raw.jitter_per, kPer));
  options.jitter_seed = raw.jitter_seed.value_or(0);
  options.schedule = ScheduleId{raw.schedule_id.value_or(0)};
  options.format = format;
  return options;
}

}  // namespace tenure::cli
