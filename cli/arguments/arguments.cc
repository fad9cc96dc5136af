#include "cli/arguments/arguments.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

constexpr std::uint64_t kMaxSeeds = 10'000'000;
constexpr std::int64_t kMaxJobs = 256;

constexpr Named<Format> kFormats[] = {
    {"text", Format::text}, {"json", Format::json}, {"jsonl", Format::jsonl}, {"github", Format::github}};

// "5-10" as "5..10"; empty for anything else.
std::string dotted(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const auto is_number = [](std::string_view part) {
    return format::parse_decimal(part, 0).value.has_value();
  };
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = text.substr(dash + 1);
  return is_number(first) && is_number(last) ? fmt::format("{}..{}", first, last) : "";
}

}  // namespace

std::uint64_t parse_seed(std::string_view text) {
  const Parsed<std::int64_t> seed = format::parse_decimal(text, 0);
  if (!seed.value || *seed.value < 0)
    throw UsageError(fmt::format("`{}` is not a seed: a whole number from 0 to {}", text, INT64_MAX));
  return static_cast<std::uint64_t>(*seed.value);
}

SeedRange parse_seeds(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    if (const std::string meant = dotted(text); !meant.empty())
      throw UsageError(fmt::format("`{}` is not a range of seeds; did you mean {}?", text, meant));
    if (!format::parse_decimal(text, 0).value)
      throw UsageError(fmt::format("`{}` is not a range of seeds, like 1..100, or how many, like 100", text));
    const std::uint64_t count = parse_seed(text);
    if (count == 0) throw UsageError("--seeds 0: no seed at all");
    return parse_seeds(fmt::format("1..{}", count));
  }
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = text.substr(dots + 2);
  if (first.empty() || last.empty())
    throw UsageError(fmt::format("the range of seeds `{}` has no {}; both ends are needed, like 1..100", text,
                                 first.empty() ? "first seed" : "last seed"));
  const SeedRange range{parse_seed(first), parse_seed(last)};
  if (range.last < range.first) throw UsageError(fmt::format("the range of seeds {} is upside down", text));
  if (range.last - range.first >= kMaxSeeds)
    throw UsageError(fmt::format("{} is more than {} seeds", text, format::print_thousands(kMaxSeeds)));
  return range;
}

std::uint64_t parse_run_count(std::string_view text) {
  if (text.find_first_not_of("0123456789") != std::string_view::npos)
    throw UsageError(fmt::format("--seeds takes a number of runs, and not `{}`", text));
  const std::uint64_t count = parse_seed(text);
  if (count == 0) throw UsageError("--seeds 0: no seed at all");
  if (count > 1'000'000) throw UsageError("--seeds takes at most 1000000");
  return count;
}

unsigned parse_jobs(std::string_view text) {
  const Parsed<std::int64_t> jobs = format::parse_decimal(text, 0);
  if (!jobs.value || *jobs.value < 1 || *jobs.value > kMaxJobs)
    throw UsageError(
        fmt::format("-j {}: how many runs at once is a whole number from 1 to {}", text, kMaxJobs));
  return static_cast<unsigned>(*jobs.value);
}

format::Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("`--set {}` is not key=value, like election.lease_duration=20s", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Duration parse_time(std::string_view flag, std::string_view text) {
  const Parsed<Duration> time = parse_duration(text);
  if (!time.value) throw UsageError(fmt::format("{} {}: {}", flag, text, time.problem));
  if (*time.value <= Duration{}) throw UsageError(fmt::format("{} {} is no time at all", flag, text));
  return *time.value;
}

TimeRange parse_time_range(std::string_view flag, std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos)
    throw UsageError(fmt::format("{} {}: it takes two times of the run, like 1m..1m30s", flag, text));
  const Parsed<Duration> from = parse_duration(text.substr(0, dots));
  const Parsed<Duration> to = parse_duration(text.substr(dots + 2));
  if (!from.value) throw UsageError(fmt::format("{} {}: {}", flag, text, from.problem));
  if (!to.value) throw UsageError(fmt::format("{} {}: {}", flag, text, to.problem));
  if (*to.value <= *from.value) throw UsageError(fmt::format("{} {} is upside down", flag, text));
  return {*from.value, *to.value};
}

Format parse_format(std::string_view name) { return find_format(name, std::span(kFormats).first(2)); }
Format parse_report_format(std::string_view name) { return find_format(name, kFormats); }

EventList parse_event_list(std::string_view name) {
  if (name == "matters") return EventList::what_matters;
  if (name == "all") return EventList::all;
  throw UsageError(fmt::format("--events={}: it is --events, or --events=all", name));
}

lab::TraceLevel parse_trace_level(std::string_view name) {
  const std::vector<std::string_view> names = {name_of(lab::TraceLevel::story),
                                               name_of(lab::TraceLevel::full)};
  if (name == names[0]) return lab::TraceLevel::story;
  if (name == names[1]) return lab::TraceLevel::full;
  throw UsageError(fmt::format("unknown level `{}`: {}", name, format::suggestion(std::string(name), names)));
}

}  // namespace tenure::cli
