#include <fmt/format.h>

#include <string>

#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/reports/json/json_run.h"
#include "cli/reports/text/text_report.h"
#include "cli/reports/text/text_run.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/signals.h"
#include "format/syntax/units.h"
#include "lab/explore/explore.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

namespace explore = lab::explore;

// What the file says that an exploration leaves out; empty: nothing.
std::string left_out(const sim::Scenario& scenario) {
  const auto is_drawn = [](const sim::ClockSetting& clock) { return clock.offset.low != clock.offset.high; };
  const auto drifts = [](const sim::ClockSetting& clock) {
    return clock.rate_ppm.low != 0 || clock.rate_ppm.high != 0;
  };
  bool drawn = is_drawn(scenario.store.clock);
  bool drift = drifts(scenario.store.clock);
  for (const sim::InstanceSetting& instance : scenario.instances) {
    drawn = drawn || is_drawn(instance.clock);
    drift = drift || drifts(instance.clock);
  }
  std::vector<std::string_view> all;
  if (drawn)
    all.emplace_back("offsets of clocks that are ranges: the middle of each was taken, and no other");
  if (drift) all.emplace_back("rates of clocks: all ran at one rate");
  if (scenario.start_spread.high > Duration{}) all.emplace_back("start_spread: all started at once");
  return fmt::format("{}", fmt::join(all, "; "));
}

sim::Verdict verdict_of(const lab::explore::ExploreSettings& settings,
                        const lab::explore::ExploreResult& result) {
  if (result.violation) return sim::Verdict::fail;
  return result.finished && lab::explore::why_it_shows_nothing(settings, result).empty()
             ? sim::Verdict::pass
             : sim::Verdict::inconclusive;
}

std::string json_of(const sim::Scenario& scenario, const lab::explore::ExploreSettings& settings,
                    const lab::explore::ExploreResult& result, sim::Verdict verdict,
                    const std::string& left_out) {
  lab::JsonWriter json;
  json.begin_object().field("format", kJsonFormat).field("exhaustive", scenario.name);
  json.field("path", scenario.path).field("verdict", sim::name_of(verdict));
  if (!left_out.empty()) json.field("not_explored", left_out);
  json.field("finished", result.finished)
      .field("endless", result.endless)
      .field("why_not",
             result.finished ? lab::explore::why_it_shows_nothing(settings, result) : result.why_not);
  json.field("states", result.states).field("transitions", result.transitions).field("depth", result.depth);
  json.field("reached_seconds", result.reached - sim::TrueTime{}).field("core_steps", result.steps);
  if (result.violation) {
    json.field("check", result.violation->check).field("message", result.violation->what);
    json.field("at_seconds", result.violation->at - sim::TrueTime{}).list("trace", result.violation->trace);
  }
  return json.end_object().take() + "\n";
}

// What to do where there were too many states; empty when there were not.
std::string advice_on(const sim::Scenario& scenario, const lab::explore::ExploreSettings& settings,
                      const lab::explore::ExploreResult& result) {
  if (!result.out_of_states) return {};
  const std::string less = settings.instances.size() > 2 ? "--set exhaustive.instances=2, " : "";
  return fmt::format(
      "{}: the bound was reached; try less of something: {}--set exhaustive.horizon=20s, or fewer {}",
      scenario.path, less, "crashes, pauses, losses or delays (docs/exhaustive.md)");
}

lab::explore::ExploreResult explore_one(const sim::Scenario& scenario,
                                        const lab::explore::ExploreSettings& settings, Streams& streams) {
  ProgressLine line(streams);
  return explore::explore(settings, [&](std::uint64_t states) {
    if (line.is_due())
      line.show(fmt::format("{}: {} states  {}/s", scenario.name, format::print_thousands(states),
                            format::print_thousands(static_cast<std::uint64_t>(line.rate(states)))));
    return !Interruption::came();
  });
}

}  // namespace

ExitCode exhaustive_command(const HuntOptions& options, Streams& streams) {
  const Format format = options.report.format;
  if (format != Format::text && format != Format::json) throw UsageError("--exhaustive prints text or json");
  if (!options.report.junit.empty() || !options.report.summary.empty())
    throw UsageError("--junit and --summary are for seeds, and not for --exhaustive");
  const Loaded loaded = load(options.paths, options.sets, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.files.empty()) {
    print_error(streams, fmt::format("no scenario in {}; nothing was run", fmt::join(options.paths, ", ")));
    return ExitCode::nothing_ran;
  }
  ExitCode code = ExitCode::pass;
  std::size_t done = 0;
  const Interruption interruption;  // ends the exploring, not the program
  for (const format::ScenarioFile& file : loaded.files) {
    const sim::Scenario& scenario = file.scenario;
    const lab::explore::ExploreSettings settings =
        lab::explore::settings_of(scenario, file.plans.exhaustive.value_or(format::ExhaustiveSetting{}));
    if (const std::string why = lab::explore::why_not_explorable(settings); !why.empty()) {
      print_error(streams, fmt::format("{} cannot be explored: {}", scenario.path, why));
      code = worse(code, ExitCode::bad_scenario);
      continue;
    }
    const lab::explore::ExploreResult result = explore_one(scenario, settings, streams);
    sim::Verdict verdict = verdict_of(settings, result);
    const std::string out = left_out(scenario);
    if (verdict == sim::Verdict::pass && !out.empty()) verdict = sim::Verdict::inconclusive;
    const std::string more = out.empty() ? std::string{} : fmt::format("  not explored: {}\n", out);
    write_results(streams, format == Format::json
                               ? json_of(scenario, settings, result, verdict, out)
                               : fmt::format("{} {}  {}{}", verdict_word(verdict, streams.paint_out),
                                             scenario.name, lab::explore::report(settings, result), more));
    code = worse(code, exit_code_of(verdict));
    if (const std::string advice = advice_on(scenario, settings, result); !advice.empty())
      streams.err << advice << "\n";
    if (Interruption::came()) {
      if (loaded.files.size() > 1)
        streams.err << text_of_interruption(
            {.unit = "scenario", .planned = loaded.files.size(), .done = done, .interrupted = true});
      return ExitCode::interrupted;
    }
    ++done;
  }
  return code;
}

}  // namespace tenure::cli
