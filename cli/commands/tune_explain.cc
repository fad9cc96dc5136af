#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/runs_watch.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"
#include "cli/terminal/signals.h"
#include "format/syntax/units.h"
#include "lab/session/explain_session.h"
#include "lab/session/tune_task.h"
#include "lab/tune/explain.h"

namespace tenure::cli {
namespace {

using Kind = lab::Experiment::Kind;

std::string_view words(lab::ExplainFinding finding) {
  switch (finding) {
    case lab::ExplainFinding::confirmed: return "confirmed";
    case lab::ExplainFinding::not_reached: return "bound, not reached";
    case lab::ExplainFinding::refuted: return "NOT confirmed";
    case lab::ExplainFinding::too_few: return "too few runs";
    case lab::ExplainFinding::not_simulated: break;
  }
  return "not simulated";
}

class ExplainRows {
 public:
  ExplainRows(const lab::ClosedForm& form, const lab::ExplainFindings& findings)
      : form_(form), findings_(findings) {
    table_.row({"", "theory", "simulated", "", "formula"});
  }

  std::string text() {
    failover();
    if (form_.failover_alone) return table_.text("");
    belief();
    skew();
    if (form_.failover && form_.delay) delay();
    pause();
    const lab::Shown* crash = findings_.find(Kind::crash);
    count("renewals in a lease", form_.renewals, crash == nullptr ? nullptr : &crash->renewals,
          "committed within W before a crash");
    const lab::Shown* cut = findings_.find(Kind::cut);
    if (form_.attempts)
      count("attempts to renew", *form_.attempts, cut == nullptr ? nullptr : &cut->attempts,
            form_.attempts_formula);
    else
      row("attempts to renew", "-", "-", "no form", form_.attempts_formula);
    return table_.text("");
  }

 private:
  void row(std::string_view name, std::string theory, std::string simulated, std::string_view finding,
           std::string formula) {
    table_.row({std::string(name), std::move(theory), std::move(simulated), std::string(finding),
                std::move(formula)});
  }

  void failover() {
    if (!form_.failover) {
      row("failover", "none", "-", "", "a cluster of one: nobody takes over");
      return;
    }
    const FailoverForm& form = *form_.failover;
    const lab::Shown* shown = findings_.find(Kind::crash);
    const sim::Samples none;
    const sim::Samples& seen = shown == nullptr ? none : shown->failover;
    const auto length = [&](Duration value) { return seen.empty() ? "-" : short_duration(value); };
    row("failover, least", short_duration(form.least), length(seen.min()),
        words(lab::judge_least(form, seen)), form.formula);
    row("failover, mean", form.mean ? short_duration(*form.mean) : "-", length(seen.mean()),
        form.mean ? words(lab::judge_mean(form, seen)) : "no form", "");
    row("failover, most", short_duration(form.most), length(seen.max()), words(lab::judge_most(form, seen)),
        "");
  }

  void belief() {
    const lab::Shown* cut = findings_.find(Kind::cut);
    const bool seen = cut != nullptr && !cut->belief.empty();
    // The cut comes as it begins to lead, so that may be another belief than those after a renewal.
    const bool first = form_.first_belief && *form_.first_belief != form_.belief;
    row(first ? "belief, first" : "belief", short_duration(first ? *form_.first_belief : form_.belief),
        seen ? short_duration(cut->belief.max()) : "-",
        words(seen ? lab::judge_belief(form_, cut->belief) : lab::ExplainFinding::not_simulated),
        first ? fmt::format("{}; {} once renewed", form_.belief_formula, short_duration(form_.belief))
              : form_.belief_formula);
  }

  // A bound with what was tried below and above it.
  void bound(std::string_view name, const std::string& theory, Kind below, Kind above, std::string_view what,
             const std::function<std::string(std::int64_t)>& strength, const std::string& formula) {
    const lab::Shown* under = findings_.find(below);
    const lab::Shown* over = findings_.find(above);
    const auto seen = [&](const lab::Shown& shown) {
      return fmt::format("{}: {} in {} of {}", strength(shown.strength), what, shown.hits, shown.runs);
    };
    const bool both = under != nullptr && over != nullptr;
    row(name, theory, both ? fmt::format("{}; {}", seen(*under), seen(*over)) : "-",
        words(lab::judge_bound(under, over)),
        theory == "none" ? formula + ": nothing is left to try" : formula);
  }

  void skew() {
    const std::optional<lab::Skew> skew = tolerated_skew(form_);
    const std::string trips = fmt::format(" + {}", form_.trips_formula);
    if (!form_.failover)
      row("clocks", "any", "-", "", "nobody else leads");
    else if (form_.theorem == "T3" && !form_.behind)
      row("wall clock behind", "any", "-", "", "belief ends before a wall clock ends it");
    else if (form_.behind)
      bound("wall clock behind", skew ? lasting(skew->largest) : "none", Kind::skew_below, Kind::skew_above,
            "two led", lasting, "T3: theta <= T - B" + trips);
    else
      bound("clock rate tolerated", skew ? ppm(skew->largest) : "none", Kind::skew_below, Kind::skew_above,
            "two led", ppm,
            fmt::format("{}: B/(1-rho) <= W/(1+rho){}; without the trips {}", form_.theorem, trips,
                        form_.rate_ppm ? ppm(*form_.rate_ppm) : "none"));
  }

  void delay() {
    const Duration delay = tolerated_delay(form_).value_or(Duration{});
    std::string formula = "T2: delta + sigma <= L - (R + D) + " + form_.trips_formula;
    if (delay >= form_.latest_answer)
      formula +=
          fmt::format("; an answer later than {} counts for nothing", short_duration(form_.latest_answer));
    bound("answer and stop, late", delay > Duration{} ? short_duration(delay) : "none", Kind::delay_below,
          Kind::delay_above, "two led", lasting, formula);
  }

  void pause() {
    const bool any = form_.pause.longest > Duration{};
    bound("pause tolerated", any ? short_duration(form_.pause.longest) : "none", Kind::pause_below,
          Kind::pause_above, "lost", lasting, form_.pause.formula);
  }

  void count(std::string_view name, const sim::Range<std::int64_t>& theory,
             const std::vector<std::int64_t>* seen, const std::string& formula) {
    const auto range = [](std::int64_t low, std::int64_t high) {
      return low == high ? std::to_string(low) : fmt::format("{} to {}", low, high);
    };
    std::string simulated = "-";
    if (seen != nullptr && !seen->empty()) {
      const auto [least, most] = std::minmax_element(seen->begin(), seen->end());
      simulated = range(*least, *most);
    }
    row(name, range(theory.low, theory.high), simulated,
        words(seen == nullptr ? lab::ExplainFinding::not_simulated : lab::judge_count(theory, *seen)),
        formula);
  }

  static std::string ppm(std::int64_t rate) { return fmt::format("{} ppm", rate); }
  static std::string lasting(std::int64_t ns) { return short_duration(Duration::nanos(ns)); }

  const lab::ClosedForm& form_;
  const lab::ExplainFindings& findings_;
  Table table_{5};
};

// The clocks of the file are not those of the experiments.
bool clocks_differ(const sim::Scenario& scenario) {
  const auto off = [](const sim::ClockSetting& clock) { return !(clock == sim::ClockSetting{}); };
  return off(scenario.store.clock) || std::any_of(scenario.instances.begin(), scenario.instances.end(),
                                                  [&](const auto& instance) { return off(instance.clock); });
}

std::string text_of(const lab::TuneTask& task, const lab::Setting& own, const lab::ClosedForm& form,
                    const lab::ExplainFindings& findings) {
  std::string text = fmt::format("EXPLAIN {}  {}, {}\n", task.name, own.scenario.protocol->name,
                                 counted(own.scenario.instances.size(), "instance"));
  for (const sim::UnsafeNote& note : own.unsafe)
    text += fmt::format("  unsafe      {}: {}\n", note.name, note.text);
  if (clocks_differ(own.scenario))
    text += "  clocks      these rows assume clocks that agree; the file's clocks do not\n";
  text += ExplainRows(form, findings).text();
  for (const std::string& why : findings.not_made) text += fmt::format("  not made    {}\n", why);
  text += fmt::format(
      "  confirmed   means within {} %; least and most if come within {} % of their range; bounds by nothing "
      "{} % below\n"
      "              and something {} % ({} % for rates and late answers) above\n",
      lab::kMeanPercent, lab::kReachPercent, lab::kBesidePercent, lab::kBesidePercent, lab::kQuickPercent);
  return text + "  configuration\n" + configuration_of(own, "    ");
}

}  // namespace

ExitCode explain_setting(const lab::TuneTask& task, const TuneOptions& options, Streams& streams) {
  const lab::MadeSetting own = lab::make_setting(task.file, {});
  const sim::Scenario& scenario = own.setting->scenario;
  const std::optional<lab::ClosedForm> form = lab::closed_form(scenario);
  if (!form) {
    write_results(streams,
                  fmt::format("EXPLAIN {}  {}: there is no closed form for this protocol; `tenure tune` "
                              "without --explain measures it\n",
                              task.name, scenario.protocol->name));
    return ExitCode::inconclusive;
  }
  if (!form->not_for.empty()) {
    write_results(streams,
                  fmt::format("EXPLAIN {}  {}: nothing is predicted for this setting: {}; `tenure tune` "
                              "without --explain measures it\n",
                              task.name, scenario.protocol->name, form->not_for));
    return ExitCode::inconclusive;
  }
  const Interruption interruption;
  RunsWatch watch(task.name, streams);
  watch.begin("; --explain saves no runs, and starts over");
  const lab::ExplainFindings findings = lab::run_experiments(
      lab::experiments(task.file, scenario, *form), options.seeds.value_or(lab::kSeedsOfExperiment),
      options.jobs, watch, lab::WhenInterrupted::leave);
  if (!findings.internal_error.empty()) {
    print_error(streams, "an invariant of tenure broke: " + findings.internal_error);
    return ExitCode::internal_error;
  }
  write_results(streams, text_of(task, *own.setting, *form, findings));
  return ExitCode::pass;
}

}  // namespace tenure::cli
