#include "lab/compare/situation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/int128.h"
#include "format/parse/parse.h"
#include "format/parse/tail.h"
#include "format/print/print.h"
#include "format/syntax/units.h"

namespace tenure::lab {
namespace {

// Long enough for any design; it is cut to what the design needs.
constexpr std::string_view kAnyTail = "8000h";
constexpr Duration kTried = Duration::seconds(10);  // a length that any fault may have
// What a file says of its own design, and what it demands of it.
constexpr std::string_view kOfItsOwnDesign[] = {"election",     "scheduling", "instance.*.election",
                                                "fault.*.with", "expect",     "thresholds",
                                                "hunt",         "tune",       "profile"};
constexpr std::int64_t kOwnTimes = 3;  // in how many of its failover times a design shows what it does
// When a fault strikes is not how long it lasts.
constexpr std::string_view kTimes[] = {"at", "after", "every"};

format::ParseResult parse(const TuneFile& file, const std::vector<format::Override>& overrides) {
  std::vector<format::Override> sets = file.sets;
  sets.insert(sets.end(), overrides.begin(), overrides.end());
  return format::parse_scenario(file.path, file.text, sets, *file.zones, file.own_protocol, file.engines,
                                file.data_files, format::Unsafe::is_taken, file.designs);
}

// A design's path is given from the folder that we are in, and a scenario takes it from its own.
std::string from_folder_of(const Situation& situation, const std::string& design) {
  const sim::DesignFiles* const designs = situation.file.designs;
  const bool is_path = designs != nullptr && designs->names_one(design);
  return is_path && !design.starts_with('/') ? situation.way_back + design : design;
}

// It runs in the folder that we are in.
void start_program(std::vector<format::Override>& sets, const std::string& role, const Situation& situation,
                   const Candidate& candidate) {
  std::string words;
  for (const std::string& word : candidate.command)
    words += (words.empty() ? "" : ", ") + format::quoted(word);
  sets.push_back({role + ".command", "[" + words + "]"});
  if (!situation.way_back.empty()) sets.push_back({role + ".folder", format::quoted(situation.way_back)});
}

// Who acts for an election that does nothing by itself.
enum class Acting : std::uint8_t { itself, loop };

std::vector<format::Override> overrides_of(const Situation& situation, const Candidate& candidate,
                                           const CaseOptions& options, Acting acting) {
  const auto named = [&](const std::string& design) {
    return format::quoted(from_folder_of(situation, design));
  };
  std::vector<format::Override> sets = {{"sim.tail", format::quoted(kAnyTail)}};
  if (candidate.command.empty()) {
    sets.push_back({"cluster.protocol", named(candidate.protocol)});
  } else {
    sets.push_back({"cluster.protocol", {}, true});
    start_program(sets, "cluster.node", situation, candidate);
  }
  // A program that is its own scheduler has both roles.
  if (candidate.scheduler.empty() && candidate.scheduler_kind != nullptr) {
    sets.push_back({"cluster.scheduler", {}, true});
    start_program(sets, "cluster.scheduler_node", situation, candidate);
  } else if (acting == Acting::loop) {
    sets.push_back({"cluster.scheduler", format::quoted(kActingLoop)});
  } else {
    sets.push_back({"cluster.scheduler",
                    candidate.scheduler.empty() ? format::quoted("none") : named(candidate.scheduler)});
  }
  for (const std::string_view key : kOfItsOwnDesign) sets.push_back({std::string(key), {}, true});
  if (acting == Acting::loop || candidate.scheduler_kind == nullptr || !candidate.scheduler_kind->fires()) {
    sets.push_back({"schedule", "[]"});
    sets.push_back({"change", "[]"});
  }
  if (options.instances) sets.push_back({"cluster.instances", fmt::format("{}", *options.instances)});
  sets.insert(sets.end(), candidate.settings.begin(), candidate.settings.end());
  return sets;
}

// What nobody does in an election without a scheduler, and the loop does.
bool waits_for_acts(const sim::Scenario& scenario) {
  return std::any_of(scenario.faults.begin(), scenario.faults.end(), [](const sim::FaultSetting& fault) {
    const auto* on = std::get_if<sim::FaultSetting::On>(&fault.when);
    return on != nullptr && (on->event == "leadership-checked" || on->event == "acts");
  });
}

// "-{}" with 90 s is "-1m30s".
std::string written(const format::CompareSetting& stretch, Duration length) {
  const std::string text = print_duration(length);
  const std::size_t at = stretch.write.find("{}");
  return stretch.write.substr(0, at) + text + stretch.write.substr(at + 2);
}

bool is_of_a_fault(std::string_view key) {
  const std::string_view what = key.substr(key.rfind('.') + 1);
  return key.starts_with("fault.") &&
         std::find(std::begin(kTimes), std::end(kTimes), what) == std::end(kTimes);
}

// What cannot be stretched for the file's own design can be stretched for none.
std::vector<format::Diagnostic> judge_stretch(const TuneFile& file, const format::CompareSetting& compare) {
  const format::Override tried = {compare.stretch, format::quoted(written(compare, kTried))};
  const format::ParseResult parsed = parse(file, {tried, {"sim.tail", format::quoted(kAnyTail)}});
  std::string why;
  if (!parsed.scenario)
    why = parsed.diagnostics.front().message;
  else if (!is_of_a_fault(compare.stretch))
    why = "only what a fault does is stretched to a design's own time";
  else
    return {};
  format::Diagnostics diagnostics(file.path, file.text, file.sets);
  const format::FilePlace& place = compare.place;
  diagnostics.add({place.line, place.column, place.length, place.override_index},
                  fmt::format("nothing that can be stretched: {}", why),
                  "the key of a duration, as in --set: fault.1.duration");
  return diagnostics.take();
}

MadeCase make_case(const Situation& situation, const Candidate& candidate, const CaseOptions& options,
                   Acting acting) {
  std::vector<format::Override> sets = overrides_of(situation, candidate, options, acting);
  Duration longer;
  if (options.stretched) {
    CHECK(situation.stretch.has_value() && options.own_time.has_value(),
          "there is something to stretch it to");
    longer = stretched(*situation.stretch, *options.own_time);
    sets.push_back({situation.stretch->stretch, format::quoted(written(*situation.stretch, longer))});
  }
  format::ParseResult parsed = parse(situation.file, sets);
  if (!parsed.scenario) {
    // What is wrong with the design is wrong without the faults as well.
    std::vector<format::Override> without = overrides_of(situation, candidate, options, acting);
    without.push_back({"fault", "[]"});
    const format::ParseResult quiet = parse(situation.file, without);
    if (!quiet.scenario) return {std::nullopt, false, {}, quiet.diagnostics};
    return {std::nullopt, false, parsed.diagnostics.front().message, {}};
  }
  sim::Scenario scenario = std::move(*parsed.scenario);
  const format::ParseResult own = parse(situation.file, {});
  // What lasts longer needs more room; and so do faults that wait for the next leader.
  const Duration room = options.own_time.value_or(Duration{}) * kOwnTimes;
  scenario.duration = std::max(own.scenario->duration + longer, room);
  scenario.tail = std::max(own.scenario->tail, format::needed_tail(scenario));
  return {std::move(scenario), acting == Acting::loop, {}, {}};
}

}  // namespace

ReadSituation read_situation(TuneFile file, std::string way_back) {
  format::ParseResult parsed = parse(file, {});
  if (!parsed.scenario) return {std::nullopt, std::move(parsed.diagnostics)};
  if (parsed.plans.compare) {
    std::vector<format::Diagnostic> problems = judge_stretch(file, *parsed.plans.compare);
    if (!problems.empty()) return {std::nullopt, std::move(problems)};
  }
  Situation situation{parsed.scenario->name, std::move(file),         std::move(way_back),
                      parsed.plans.compare,  parsed.plans.exhaustive, waits_for_acts(*parsed.scenario)};
  return {std::move(situation), {}};
}

Duration stretched(const format::CompareSetting& stretch, Duration own_time) {
  // To whole milliseconds, so that people can read it.
  const Duration exact = Duration::nanos(mul_div_ceil(own_time.ns(), stretch.percent, 100));
  return Duration::nanos((exact.ns() + 999'999) / 1'000'000 * 1'000'000);
}

MadeCase make_case(const Situation& situation, const Candidate& candidate, const CaseOptions& options) {
  const bool does_nothing = candidate.scheduler_kind == nullptr && !candidate.kind->writes;
  return make_case(situation, candidate, options,
                   situation.waits_for_acts && does_nothing ? Acting::loop : Acting::itself);
}

}  // namespace tenure::lab
