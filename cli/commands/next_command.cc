#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/tzdb/tzdb.h"
#include "cli/arguments/local_time.h"
#include "cli/commands/commands.h"
#include "cli/reports/text/slot_notes.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

constexpr int kJsonFormat = 1;

StoreTime now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return StoreTime::from_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count());
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// Abbreviations like PST and offsets like GMT+1 look like many a zone's name, and are none of them: the closest one
// would be another time. "Rome" and "utc" are names but for the first part, or the case.
std::string zone_hint(const std::string& name, const std::vector<std::string>& known) {
  const std::string wanted = lower(name);
  const bool offset =
      wanted.find_first_of("+-") == 3 && (wanted.starts_with("gmt") || wanted.starts_with("utc"));
  const bool abbreviation =
      (wanted.size() == 3 || wanted.size() == 4) &&
      std::all_of(wanted.begin(), wanted.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  const bool named = std::any_of(known.begin(), known.end(), [&](const std::string& zone) {
    const std::string whole = lower(zone);
    return whole == wanted || whole.substr(whole.rfind('/') + 1) == wanted;
  });
  if (offset || (abbreviation && !named)) return "zones are named like Europe/Berlin (Etc/GMT-1 is UTC+1)";
  return format::zone_suggestion(name, known);
}

// Turns the arguments into a definition; says what is wrong with them, all of it.
class Reader {
 public:
  Reader(const NextOptions& options, const TimeZones& zones) : options_(options), zones_(zones) {
    zone_ = TimeZone::utc();
    if (options.timezone) find_zone(*options.timezone);
    from_ = options.from ? time("--from", *options.from) : now();
    if (options.until) until_ = time("--until", *options.until);
    if (errors_.empty() && until_ && *until_ < from_)
      complain("--until", *options.until, "this is before --from", "nothing can be listed");
    recurrence();
    bounds();
    jitter();
    if (errors_.empty() && !slot_at_or_after(definition_, StoreTime::min()))
      complain(options.end     ? "--end"
               : options.start ? "--start"
                               : "",
               options.end     ? *options.end
               : options.start ? *options.start
                               : expression(),
               "no slot ever comes", "there must be one at --start or after, and before --end");
  }

  const Definition& definition() const { return definition_; }
  const TimeZone& zone() const { return *zone_; }
  StoreTime from() const { return from_; }
  std::optional<StoreTime> until() const { return until_; }
  const std::vector<format::Diagnostic>& errors() const { return errors_; }
  // What was made of local times that a clock change skips or repeats.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::string expression() const { return options_.expression.value_or(""); }

  // `flag` is empty for the expression itself.
  void complain(std::string_view flag, std::string_view value, std::string message, std::string hint,
                std::size_t at = 0, std::size_t length = std::string::npos) {
    format::Diagnostic d;
    const std::string before = flag.empty() ? "" : fmt::format("{} ", flag);
    d.where = flag.empty() ? "the expression" : std::string(flag);
    d.excerpt = before + std::string(value);
    d.column = 1 + static_cast<int>(before.size() + format::character_count(value.substr(0, at)));
    const std::string_view part = value.substr(std::min(at, value.size()), length);
    d.length = std::max(1, static_cast<int>(format::character_count(part)));
    d.message = std::move(message);
    d.hint = std::move(hint);
    errors_.push_back(std::move(d));
  }

  void find_zone(const std::string& name) {
    if (auto zone = zones_.find(name)) {
      zone_ = std::move(zone);
      return;
    }
    complain(
        "--timezone", name, fmt::format("unknown time zone `{}`", format::printable(name, 60)),
        zones_.version() == kNoTzdb ? "there is no time zone database" : zone_hint(name, zones_.names()));
  }

  StoreTime time(std::string_view flag, const std::string& text) {
    if (text == "now") return now();
    const Parsed<StoreTime> parsed = parse_time(text, *zone_);
    if (!parsed.value) complain(flag, text, parsed.problem, parsed.hint);
    if (std::string note = note_on_time(text, *zone_); !note.empty())
      notes_.push_back(fmt::format("{} {}", flag, note));
    return parsed.value.value_or(StoreTime{});
  }

  // A positive duration in whole microseconds.
  Duration period(std::string_view flag, const std::string& text) {
    const Parsed<Duration> parsed = parse_duration(text);
    if (!parsed.value) {
      complain(flag, text, parsed.problem, parsed.hint);
    } else if (*parsed.value <= Duration{} || parsed.value->ns() % 1'000 != 0) {
      complain(flag, text, fmt::format("`{}` must be more than nothing, in whole microseconds", text), {});
    } else {
      return *parsed.value;
    }
    return Duration::seconds(1);
  }

  void recurrence() {
    if (options_.expression) return cron(*options_.expression);
    if (options_.every) {
      definition_.recurrence = Interval{from_, period("--every", *options_.every)};
      return;
    }
    std::vector<StoreTime> times;
    for (const std::string& text : options_.at) times.push_back(time("--at", text));
    if (options_.once) times.push_back(time("--once", *options_.once));
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    definition_.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::move(times))};
  }

  void cron(const std::string& text) {
    const auto refuse = [&](const CronError& error) {
      complain("", text, error.message, error.hint, error.at, error.length);
    };
    if (const auto every = parse_every(text)) {
      if (const auto* error = std::get_if<CronError>(&*every)) return refuse(*error);
      definition_.recurrence = Interval{from_, std::get<Duration>(*every)};
      return;
    }
    auto parsed = Cron::parse(text);
    if (const auto* error = std::get_if<CronError>(&parsed)) return refuse(*error);
    definition_.recurrence = CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed))),
                                      .zone = zone_,
                                      .gap = options_.gap,
                                      .overlap = options_.overlap};
  }

  void bounds() {
    if (options_.end) definition_.until = time("--end", *options_.end);
    if (!options_.start) return;
    const StoreTime start = time("--start", *options_.start);
    if (auto* interval = std::get_if<Interval>(&definition_.recurrence))
      interval->start = start;
    else
      definition_.not_before = start;
  }

  void jitter() {
    if (!options_.jitter) return;
    definition_.jitter = {period("--jitter", *options_.jitter), options_.jitter_per, options_.jitter_seed};
  }

  const NextOptions& options_;
  const TimeZones& zones_;
  std::shared_ptr<const TimeZone> zone_;
  StoreTime from_;
  std::optional<StoreTime> until_;
  Definition definition_ = {.recurrence = Interval{{}, Duration::seconds(1)}};
  std::vector<format::Diagnostic> errors_;
  std::vector<std::string> notes_;
};

struct Listed {
  std::vector<StoreTime> slots;
  bool end = false;  // nothing comes after them
};

Listed list(const Definition& definition, const Reader& reader, const NextOptions& options) {
  Listed listed;
  const bool back = options.previous;
  auto slot = back ? slot_before(definition, reader.from()) : slot_at_or_after(definition, reader.from());
  while (slot && listed.slots.size() < options.count && (!reader.until() || *slot < *reader.until())) {
    listed.slots.push_back(*slot);
    slot = back ? slot_before(definition, *slot) : slot_after(definition, *slot);
  }
  listed.end = !slot;
  return listed;
}

std::string note_of(const Definition& definition, StoreTime slot) {
  const auto* rule = std::get_if<CronRule>(&definition.recurrence);
  return rule == nullptr ? std::string{} : note_on(*rule, slot);
}

void print_text(const Listed& listed, const Reader& reader, const NextOptions& options, Streams& streams) {
  const Definition& definition = reader.definition();
  for (const StoreTime slot : listed.slots) {
    std::string line = print_local(slot, reader.zone()) + "  " + print_rfc3339(slot, *TimeZone::utc());
    if (const std::string note = note_of(definition, slot); !note.empty()) line += "  " + note;
    if (options.jitter) {
      const StoreTime due = due_time(definition, options.schedule, slot);
      line += fmt::format("  jitter +{} due {}", print_duration(due - slot),
                          print_rfc3339(due, *TimeZone::utc()));
    }
    streams.out << line << "\n";
  }
  if (listed.end) streams.out << (options.previous ? "never before\n" : "never again\n");
}

void print_json(const Listed& listed, const Reader& reader, const NextOptions& options,
                const TimeZones& zones, Streams& streams) {
  const Definition& definition = reader.definition();
  lab::JsonWriter json;
  json.begin_object().field("format", kJsonFormat).field("tzdb", zones.version());
  json.key("slots").begin_array();
  for (const StoreTime slot : listed.slots) {
    json.begin_object().field("utc", print_rfc3339(slot, *TimeZone::utc()));
    json.field("local", print_rfc3339(slot, reader.zone())).field("note", note_of(definition, slot));
    if (options.jitter)
      json.field("due", print_rfc3339(due_time(definition, options.schedule, slot), *TimeZone::utc()));
    json.end_object();
  }
  json.end_array().field("end", listed.end).end_object();
  streams.out << json.take() << "\n";
}

}  // namespace

ExitCode next_command(const NextOptions& options, Streams& streams) {
  const Tzdb zones;
  const Reader reader(options, zones);
  for (const format::Diagnostic& error : reader.errors())
    streams.err << format::render(error, streams.paint_err);
  if (!reader.errors().empty()) return ExitCode::bad_scenario;
  for (const std::string& note : reader.notes()) streams.err << "note: " << note << "\n";
  const Listed listed = list(reader.definition(), reader, options);
  if (options.format == Format::json)
    print_json(listed, reader, options, zones, streams);
  else
    print_text(listed, reader, options, streams);
  return ExitCode::pass;
}

}  // namespace tenure::cli
