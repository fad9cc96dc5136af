// The arguments of `tenure next`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>
#include <variant>

#include "cli/arguments/command.h"
#include "cli/commands/commands.h"
#include "core/schedule/cron.h"
#include "core/schedule/schedule_fields.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

constexpr std::uint32_t kMaxCount = 100'000;

std::string not_empty(const std::string& value) { return value.empty() ? "is empty" : ""; }

void take(Command& command, const char* flag, const char* type, const char* doc,
          std::optional<std::string>& into) {
  command.option(flag, type, doc, [&into](const std::string& text) { into = text; })->check(not_empty);
}

// One of the names that the field of a schedule has, in their order.
template <class Choice>
void take_choice(Command& command, const char* flag, const char* type, const char* doc,
                 std::string_view field, Choice& into) {
  CLI::Option* option = command.option(flag, type, doc, [flag, field, &into](const std::string& name) {
    const std::span<const std::string_view> names = schedule_field(field).words;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw UsageError(fmt::format("unknown {} `{}`: {}", flag, name, format::suggestion(name, names)));
    into = static_cast<Choice>(found - names.begin());
  });
  option->check(not_empty);
  const std::span<const std::string_view> words = schedule_field(field).words;
  command.offers(option, {words.begin(), words.end()});
}

// The shell has split the expression, and has put file names in place of a `*`: only whole ones are shown as meant.
std::string unquoted(const std::vector<std::string>& pieces) {
  const std::string joined = fmt::format("{}", fmt::join(pieces, " "));
  const bool whole = std::holds_alternative<Cron>(Cron::parse(joined));
  return fmt::format("put the expression in quotes: tenure next '{}'", whole ? joined : "0 3 * * *");
}

// As CLI11 leaves them.
struct RawNext {
  NextOptions options;
  std::vector<std::string> expression;  // one, unless the quotes were forgotten
  std::uint32_t count = 10;
};

void check_next(const Command& command, RawNext& raw) {
  NextOptions& options = raw.options;
  if (raw.expression.size() > 1) throw UsageError(unquoted(raw.expression));
  if (!raw.expression.empty()) options.expression = raw.expression.front();
  const std::string_view other = command.first_given({"--every", "--at", "--once"});
  const int ways = (raw.expression.empty() ? 0 : 1) + (options.every ? 1 : 0) + (options.at.empty() ? 0 : 1) +
                   (options.once ? 1 : 0);
  if (ways != 1) throw UsageError("`next` takes a cron expression, or one of --every, --at, --once");
  if (raw.count < 1 || raw.count > kMaxCount)
    throw UsageError(fmt::format("--count is from 1 to {}", format::print_thousands(kMaxCount)));
  options.count = raw.count;
  if (options.previous && options.until) throw UsageError("--until is for slots to come, not for --previous");
  if (!options.jitter && !command.first_given({"--jitter-per", "--jitter-seed", "--schedule-id"}).empty())
    throw UsageError("--jitter-per, --jitter-seed and --schedule-id need --jitter");
  // The policies for clock changes are for calendar fields, as in scenario files.
  const bool period = options.expression && parse_every(*options.expression);
  const std::string what(period ? "`@every`" : other);
  const std::string_view policy = command.first_given({"--dst-gap", "--dst-overlap"});
  if (!what.empty() && !policy.empty())
    throw UsageError(fmt::format("{} means nothing to {}: it is for calendar fields", policy, what));
}

}  // namespace

void declare_next(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "next", "print when a schedule is due");
  const auto raw = std::make_shared<RawNext>();
  NextOptions& options = raw->options;
  command.texts("EXPR", "", "a cron expression, in quotes", raw->expression);
  take(command, "--every", "DURATION", "instead: this period, counted from --start, or from --from",
       options.every);
  command.texts("--at", "TIME", "instead: this time; may be repeated", options.at)->allow_extra_args(false);
  take(command, "--once", "TIME", "instead: this time alone", options.once);
  take(command, "--timezone", "ZONE", "the zone that fields and times are read in (UTC)", options.timezone);
  take_choice(command, "--dst-gap", "POLICY",
              "a fixed time that the clock jumps over: gap_end, shift or skip", "dst_gap", options.gap);
  take_choice(command, "--dst-overlap", "POLICY", "one that it shows twice: first, second or both",
              "dst_overlap", options.overlap);
  take(command, "--from", "TIME", "from here on: a date, a date and time, or an instant (now)", options.from);
  take(command, "--until", "TIME", "list none at this time or after", options.until);
  command.app().add_option("--count", raw->count, "how many (10)")->type_name("N");
  command.flag("--previous", "those before --from, the latest first", options.previous);
  take(command, "--start", "TIME", "the schedule has no slot before this", options.start);
  take(command, "--end", "TIME", "nor at this or after", options.end);
  take(command, "--jitter", "DURATION", "up to how much later they are due", options.jitter);
  take_choice(command, "--jitter-per", "WHAT", "drawn for each slot, or once for the schedule", "jitter_per",
              options.jitter_per);
  command.app().add_option("--jitter-seed", options.jitter_seed, "what it is drawn from")->type_name("N");
  command.app().add_option("--schedule-id", options.schedule.value, "and for which schedule")->type_name("N");
  command.takes_format(options.format, "text or json");
  command.check([raw, &command] { check_next(command, *raw); });
  command.does_at_once([raw](Streams& streams) { return next_command(raw->options, streams); });
}

}  // namespace tenure::cli
