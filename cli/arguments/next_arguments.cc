#include "cli/arguments/next_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "core/schedule/cron.h"
#include "core/schedule/schedule_fields.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

constexpr std::uint32_t kMaxCount = 100'000;

// The place of a name among those that the field of a schedule has; the first where there is none.
std::size_t choice(std::string_view flag, std::string_view name, std::string_view field) {
  const std::span<const std::string_view> names = schedule_field(field).words;
  if (name.empty()) return 0;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(fmt::format("unknown {} `{}`: {}", flag, name, sim::suggestion(name, names)));
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// The shell has split the expression, and has put file names in place of a `*`: only whole ones are shown as meant.
std::string unquoted(const std::vector<std::string>& pieces) {
  const std::string joined = fmt::format("{}", fmt::join(pieces, " "));
  const bool whole = std::holds_alternative<Cron>(Cron::parse(joined));
  return fmt::format("put the expression in quotes: tenure next '{}'", whole ? joined : "0 3 * * *");
}

// The policies for clock changes are for calendar fields, as in scenario files.
void refuse_policies(const RawNext& raw) {
  const bool period = !raw.expression.empty() && parse_every(raw.expression.front());
  const std::string_view what = period               ? "`@every`"
                                : !raw.every.empty() ? "--every"
                                : !raw.at.empty()    ? "--at"
                                : !raw.once.empty()  ? "--once"
                                                     : "";
  if (what.empty()) return;
  for (const auto& [flag, value] :
       {std::pair("--dst-gap", &raw.dst_gap), std::pair("--dst-overlap", &raw.dst_overlap)})
    if (!value->empty())
      throw UsageError(fmt::format("{} means nothing to {}: it is for calendar fields", flag, what));
}

}  // namespace

CLI::App* declare_next(CLI::App& app, RawNext& raw, std::optional<std::string>& format) {
  CLI::App* next = app.add_subcommand("next", "print when a schedule is due");
  const auto text = [next](const char* flags, std::string& into, const char* doc, const char* type) {
    next->add_option(flags, into, doc)->type_name(type)->check([](const std::string& value) {
      return value.empty() ? std::string("is empty") : std::string{};
    });
  };
  next->add_option("EXPR", raw.expression, "a cron expression, in quotes")->type_name("");
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
  if (raw.expression.size() > 1) throw UsageError(unquoted(raw.expression));
  if (ways != 1) throw UsageError("`next` takes a cron expression, or one of --every, --at, --once");
  if (raw.count < 1 || raw.count > kMaxCount)
    throw UsageError(fmt::format("--count is from 1 to {}", sim::print_thousands(kMaxCount)));
  if (raw.previous && !raw.until.empty())
    throw UsageError("--until is for slots to come, not for --previous");
  if (raw.jitter.empty() && (!raw.jitter_per.empty() || raw.jitter_seed || raw.schedule_id))
    throw UsageError("--jitter-per, --jitter-seed and --schedule-id need --jitter");
  refuse_policies(raw);
  NextOptions options;
  if (!raw.expression.empty()) options.expression = raw.expression.front();
  options.every = given(raw.every);
  options.at = raw.at;
  options.once = given(raw.once);
  options.start = given(raw.start);
  options.end = given(raw.end);
  options.timezone = given(raw.timezone);
  options.gap = static_cast<DstGap>(choice("--dst-gap", raw.dst_gap, "dst_gap"));
  options.overlap = static_cast<DstOverlap>(choice("--dst-overlap", raw.dst_overlap, "dst_overlap"));
  options.from = given(raw.from);
  options.until = given(raw.until);
  options.count = raw.count;
  options.previous = raw.previous;
  options.jitter = given(raw.jitter);
  options.jitter_per = static_cast<Jitter::Per>(choice("--jitter-per", raw.jitter_per, "jitter_per"));
  options.jitter_seed = raw.jitter_seed.value_or(0);
  options.schedule = ScheduleId{raw.schedule_id.value_or(0)};
  options.format = format;
  return options;
}

}  // namespace tenure::cli
