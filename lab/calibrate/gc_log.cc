#include "lab/calibrate/gc_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "lab/calibrate/amount.h"
#include "lab/calibrate/readers.h"
#include "lab/calibrate/reduce.h"

namespace tenure::lab {
namespace {

// Logs are to the millisecond, and no gap between two strikes is shorter.
constexpr Duration kShortestGap = Duration::millis(1);

bool digit(char c) { return '0' <= c && c <= '9'; }

// Some countries write 0,241ms.
std::string with_point(std::string_view amount) {
  std::string text(amount);
  for (std::size_t at = 1; at + 1 < text.size(); ++at)
    if (text[at] == ',' && digit(text[at - 1]) && digit(text[at + 1])) text[at] = '.';
  return text;
}

// "12.345s", "12345ms" or "2026-01-01T10:00:00.123+0000"; the last as nanoseconds since the epoch.
std::optional<std::int64_t> stamp_of(std::string_view decoration) {
  if (decoration.empty() || !digit(decoration.front())) return std::nullopt;
  if (decoration.find('T') == std::string_view::npos) {
    const Amount uptime = parse_amount(with_point(decoration), std::nullopt);
    return uptime.problem.empty() && !uptime.without_unit ? std::optional(uptime.length.ns()) : std::nullopt;
  }
  std::string instant(decoration);
  const std::size_t sign = instant.find_last_of("+-");
  if (instant.size() >= 5 && sign == instant.size() - 5) instant.insert(sign + 3, ":");  // JVMs leave it out
  return format::parse_instant(instant).value;
}

// What follows `mark` in the text; nullopt when it is not there.
std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::nullopt : std::optional(text.substr(at + mark.size()));
}

// "GC(7) Pause …", and with generations "GC(7) Y: Pause …": from "Pause" on.
std::optional<std::string_view> pause_in(std::string_view message) {
  if (!message.starts_with("GC(")) return std::nullopt;
  std::optional<std::string_view> rest = after(message, ") ");
  if (!rest) return std::nullopt;
  std::string_view text = trimmed(*rest);
  if (text.size() > 3 && text[1] == ':') text = trimmed(text.substr(2));
  return text.starts_with("Pause ") && text.ends_with("ms") ? std::optional(text) : std::nullopt;
}

GcLine with_length(GcLine line, GcLine::Kind kind, std::string_view text) {
  const Amount amount = parse_amount(with_point(text), std::nullopt);
  line.kind = amount.problem.empty() ? kind : GcLine::Kind::broken;
  line.length = amount.length;
  line.problem = amount.problem;
  return line;
}

// Takes "2026-10-25T22:49:14.690+0000: " and "16443.462: " off the front of a line of JDK 8.
std::optional<std::int64_t> take_stamps(std::string_view& line) {
  std::optional<std::int64_t> stamp;
  while (!line.empty() && digit(line.front())) {
    const std::size_t end = line.find(": ");
    if (end == std::string_view::npos) break;
    const std::string_view text = line.substr(0, end);
    const bool is_date = text.find('T') != std::string_view::npos;
    const auto found = stamp_of(is_date ? std::string(text) : std::string(text) + "s");
    if (!found) break;
    if (!stamp) stamp = found;
    line = trimmed(line.substr(end + 2));
  }
  return stamp;
}

// The "0.0819531 secs" of a pause in JDK 8; not of what runs beside the program.
std::optional<std::string_view> pause_of_jdk8(std::string_view message) {
  const bool pauses = message.starts_with("[Full GC") ||
                      (message.starts_with("[GC ") && !message.starts_with("[GC concurrent"));
  message = message.substr(0, message.find(" [Times:"));
  const std::size_t end = message.rfind(" secs]");
  if (!pauses || end == std::string_view::npos) return std::nullopt;
  const std::size_t begin = message.rfind(' ', end - 1) + 1;
  return message.substr(begin, end + std::string_view(" secs").size() - begin);
}

// "gc 7 @0.412s 1%: 0.018+1.2+0.003 ms clock, …": the numbers before the first comma, and the time; nullopt: it is
// another line.
struct GoTrace {
  std::string_view began;
  std::string_view clock;
};
std::optional<GoTrace> go_trace_in(std::string_view text) {
  const std::size_t begin = text.find("gc ");
  const std::size_t end = text.find(" ms clock,");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  if (begin > 0 && text[begin - 1] != ' ') return std::nullopt;
  const auto at = after(text.substr(begin, end - begin), " @");
  const auto clock = at ? after(*at, "%: ") : std::nullopt;
  if (!clock) return std::nullopt;
  return GoTrace{at->substr(0, at->find(' ')), *clock};
}

GcLine pauses_of(const GoTrace& trace) {
  GcLine line;
  Duration phases[3] = {};
  std::string_view rest = trace.clock;
  for (Duration& phase : phases) {
    const std::size_t end = std::min(rest.find('+'), rest.size());
    const Amount amount = parse_amount(std::string(rest.substr(0, end)) + "ms", std::nullopt);
    if (!amount.problem.empty()) {
      line.kind = GcLine::Kind::broken;
      line.problem = amount.problem;
      return line;
    }
    phase = amount.length;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  line.kind = GcLine::Kind::pause;
  line.length = phases[0];
  line.second = GcLine::Second{.length = phases[2], .stamp_ns = std::nullopt};
  if (const auto began = stamp_of(trace.began)) {
    line.stamp_ns = *began + phases[0].ns();
    line.second->stamp_ns = *line.stamp_ns + phases[1].ns() + phases[2].ns();
  }
  return line;
}

// The pauses of one kind, in the order of the log.
struct Pauses {
  std::vector<Duration> lengths;
  std::vector<Duration> gaps;
  std::uint64_t unstamped = 0;
  std::uint64_t restarts = 0;
  std::optional<std::int64_t> last_end;

  void add(Duration length, std::optional<std::int64_t> stamp_ns) {
    lengths.push_back(length);
    if (!stamp_ns) {
      ++unstamped;
      return;
    }
    if (last_end && *stamp_ns < *last_end)
      ++restarts;  // another program's log begins
    else if (last_end)
      gaps.push_back(std::max(Duration::nanos(*stamp_ns - *last_end) - length, kShortestGap));
    last_end = stamp_ns;
  }
};

}  // namespace

GcLine read_gc_line(std::string_view text) {
  if (const auto trace = go_trace_in(text)) return pauses_of(*trace);
  GcLine line;
  std::string_view rest = trimmed(text);
  const auto began = take_stamps(rest);
  if (const auto pause = pause_of_jdk8(rest)) {
    line = with_length(std::move(line), GcLine::Kind::pause, *pause);
    if (began) line.stamp_ns = *began + line.length.ns();
    return line;
  }
  line.stamp_ns = began;
  while (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) break;
    if (!line.stamp_ns) line.stamp_ns = stamp_of(trimmed(rest.substr(1, end - 1)));
    rest = rest.substr(end + 1);
  }
  const std::string_view message = trimmed(rest);
  if (const auto pause = pause_in(message))
    return with_length(std::move(line), GcLine::Kind::pause, pause->substr(pause->find_last_of(' ') + 1));
  if (message.starts_with("Safepoint ")) {
    const auto total = after(message, ", Total: ");
    if (total && total->ends_with("ns")) return with_length(std::move(line), GcLine::Kind::safepoint, *total);
  }
  if (const auto stopped = after(message, "application threads were stopped: ")) {
    constexpr std::string_view kUnit = " seconds";
    const std::size_t end = stopped->find(kUnit);
    if (end != std::string_view::npos)
      return with_length(std::move(line), GcLine::Kind::safepoint, stopped->substr(0, end + kUnit.size()));
  }
  return line;
}

bool looks_like_gc(std::string_view line) {
  constexpr std::string_view kMarks[] = {" GC(", "[gc", "[safepoint", "] Safepoint \""};
  const auto has = [line](std::string_view mark) { return line.find(mark) != std::string_view::npos; };
  if (line.starts_with('[') && std::any_of(std::begin(kMarks), std::end(kMarks), has)) return true;
  if (go_trace_in(line)) return true;
  take_stamps(line);
  return pause_of_jdk8(line).has_value() ||
         line.find("application threads were stopped: ") != std::string_view::npos;
}

ReadResult read_gc_log(const DataText& text, const sim::DataSource& source) {
  Pauses pauses;
  Pauses safepoints;
  std::uint64_t others = 0;
  LineReader lines(text.bytes);
  while (const auto next = lines.next()) {
    const GcLine line = read_gc_line(*next);
    switch (line.kind) {
      case GcLine::Kind::other: ++others; break;
      case GcLine::Kind::pause:
        pauses.add(line.length, line.stamp_ns);
        if (line.second) pauses.add(line.second->length, line.second->stamp_ns);
        break;
      case GcLine::Kind::safepoint: safepoints.add(line.length, line.stamp_ns); break;
      case GcLine::Kind::broken: return problem_at(text, lines.number(), line.problem);
    }
  }
  // A safepoint is the whole of a stop: the collector's pause, the way to it, and stops for other reasons.
  const bool whole = !safepoints.lengths.empty();
  Pauses& taken = whole ? safepoints : pauses;
  const bool gaps = source.take == "gaps";
  if (taken.lengths.empty()) return no_sample(text, "there is no pause in it");
  if (gaps && taken.gaps.empty())
    return sim::DataProblem{sim::DataProblem::Of::take,
                            fmt::format("{}: {}", text.name,
                                        taken.unstamped > 0 ? "its lines do not say when they were written"
                                                            : "a gap takes two pauses"),
                            taken.unstamped > 0 ? "-Xlog:gc:file=gc.log:uptime,level,tags" : ""};
  std::vector<Duration>& samples = gaps ? taken.gaps : taken.lengths;
  MeasuredReading reading;
  reading.what =
      fmt::format("gc, {}", whole ? count_of(samples.size(), gaps ? "gap between safepoints" : "safepoint",
                                             gaps ? "gaps between safepoints" : "safepoints")
                                  : count_of(samples.size(), gaps ? "gap between pauses" : "pause",
                                             gaps ? "gaps between pauses" : "pauses"));
  if (whole && !pauses.lengths.empty())
    reading.skipped.push_back(
        count_of(pauses.lengths.size(), "pause that a safepoint contains", "pauses that safepoints contain"));
  if (gaps && taken.restarts > 0) reading.skipped.push_back(count_of(taken.restarts, "restart", "restarts"));
  if (others > 0) reading.skipped.push_back(count_of(others, "other line", "other lines"));
  reading.quantiles = reduce_samples(std::move(samples));
  return reading;
}

}  // namespace tenure::lab
