#include "cli/tune_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/table.h"
#include "cli/text_format.h"
#include "cli/tune_apply.h"
#include "cli/tune_runs.h"
#include "sim/scenario/toml/units.h"
#include "sim/tune/explain.h"

namespace tenure::cli {
namespace {

using Kind = sim::Experiment::Kind;

constexpr std::uint64_t kSeeds = 1'000;  // of each experiment, when nothing else is asked for

struct Findings {
  std::vector<sim::Shown> shown;
  std::vector<std::string> not_made;
  const sim::Shown* find(Kind kind) const {
    const auto found =
        std::find_if(shown.begin(), shown.end(), [&](const sim::Shown& s) { return s.kind == kind; });
    return found == shown.end() ? nullptr : &*found;
  }
};

std::optional<Findings> simulate(const std::vector<sim::Experiment>& experiments, const TuneTask& task,
                                 const TuneOptions& options, Streams& streams) {
  Findings findings;
  std::vector<TuneJob> jobs;
  std::vector<std::size_t> made_by;
  const std::uint64_t seeds = options.seeds.value_or(kSeeds);
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    if (!experiments[i].setting) {
      findings.not_made.push_back(experiments[i].why_not);
      continue;
    }
    for (std::uint64_t done = 0; done < seeds; done += kRunsOfJob) {
      jobs.push_back({fmt::format("explain {}", i), &*experiments[i].setting, done + 1,
                      std::min(kRunsOfJob, seeds - done)});
      made_by.push_back(i);
    }
  }
  std::vector<std::vector<sim::RunNumbers>> all(experiments.size());
  TuneSave none;
  TuneRuns runs(task.name, options.jobs, none, streams);
  runs.expect(experiments.size() * seeds);
  const bool done =
      runs.run(jobs, sim::explain_questions(), [&](std::size_t job, std::vector<sim::RunNumbers> numbers) {
        auto& into = all[made_by[job]];
        into.insert(into.end(), numbers.begin(), numbers.end());
      });
  if (!done) {
    runs.interrupted("; --explain keeps none, and begins anew");
    return std::nullopt;
  }
  runs.finish();
  for (std::size_t i = 0; i < experiments.size(); ++i)
    if (experiments[i].setting) findings.shown.push_back(sim::shown_by(experiments[i], all[i]));
  return findings;
}

std::string verdict(bool confirmed) { return confirmed ? "confirmed" : "NOT confirmed"; }

void failover_rows(const sim::ClosedForm& form, const Findings& findings, Table& table) {
  const sim::Shown* shown = findings.find(Kind::failover);
  const auto row = [&](std::string_view name, Duration theory, Duration simulated, bool confirmed,
                       std::string formula) {
    table.row({std::string(name), short_duration(theory), shown == nullptr ? "-" : short_duration(simulated),
               shown == nullptr ? "not simulated" : verdict(confirmed), std::move(formula)});
  };
  const sim::Shown nothing;
  const sim::Shown& s = shown == nullptr ? nothing : *shown;
  row("failover, least", form.failover.least, s.least, s.least >= form.failover.least, form.failover.formula);
  row("failover, mean", form.failover.mean, s.mean, sim::mean_confirmed(form, s), "");
  row("failover, most", form.failover.most, s.most, s.most <= form.failover.most, "");
}

void pause_row(const sim::ClosedForm& form, const Findings& findings, Table& table) {
  if (form.pause <= Duration{}) {
    table.row({"pause tolerated", "none", "-", "not simulated", form.pause_formula});
    return;
  }
  const sim::Shown* below = findings.find(Kind::pause_below);
  const sim::Shown* above = findings.find(Kind::pause_above);
  const auto lost = [](const sim::Shown* shown) {
    return fmt::format("{}: {} of {} lost", short_duration(Duration::nanos(shown->strength)), shown->hits,
                       shown->runs);
  };
  if (below == nullptr || above == nullptr)
    table.row({"pause tolerated", short_duration(form.pause), "-", "not simulated", form.pause_formula});
  else
    table.row({"pause tolerated", short_duration(form.pause), fmt::format("{}; {}", lost(below), lost(above)),
               verdict(below->hits == 0 && above->hits > 0), form.pause_formula});
}

void rate_row(const sim::ClosedForm& form, const Findings& findings, Table& table) {
  if (form.theorem == "T3") {
    table.row({"wall clock behind", short_duration(*form.behind), "-", "not simulated",
               "T3: B + sigma <= T - theta"});
    return;
  }
  const std::string formula = fmt::format("{}: B/(1-rho) <= W/(1+rho)", form.theorem);
  const sim::Shown* below = findings.find(Kind::rate_below);
  const sim::Shown* above = findings.find(Kind::rate_above);
  const std::string theory = form.rate_ppm ? fmt::format("{} ppm", *form.rate_ppm) : "none";
  if (below == nullptr || above == nullptr) {
    table.row({"clock rate tolerated", theory, "-", "not simulated", formula});
    return;
  }
  const auto two = [](const sim::Shown* shown) {
    return fmt::format("{} ppm: two led in {} of {}", shown->strength, shown->hits, shown->runs);
  };
  table.row({"clock rate tolerated", theory, fmt::format("{}; {}", two(below), two(above)),
             verdict(below->hits == 0 && above->hits > 0), formula});
}

std::string text_of(const TuneTask& task, const sim::Setting& own, const sim::ClosedForm& form,
                    const Findings& findings) {
  std::string text = fmt::format("EXPLAIN {}  {}, {}\n", task.name, own.scenario.protocol->name,
                                 counted(own.scenario.instances.size(), "instance"));
  for (const sim::UnsafeNote& note : own.unsafe)
    text += fmt::format("  unsafe      {}: {}\n", note.name, note.text);
  Table table(5);
  table.row({"", "theory", "simulated", "", "formula"});
  failover_rows(form, findings, table);
  table.row({"belief", short_duration(form.belief), "-", "not simulated", form.belief_formula});
  rate_row(form, findings, table);
  if (form.delay)
    table.row({"answer and stop, late", short_duration(*form.delay), "-", "not simulated",
               "T2: delta + sigma <= L - (R + D)"});
  pause_row(form, findings, table);
  table.row({"renewals in a lease", std::to_string(form.renewals), "-", "not simulated", "T / H"});
  table.row(
      {"attempts to renew", std::to_string(form.attempts), "-", "not simulated", form.attempts_formula});
  text += table.text("");
  for (const std::string& why : findings.not_made) text += fmt::format("  not made    {}\n", why);
  return text + "  configuration\n" + configuration_of(own, "    ");
}

}  // namespace

ExitCode explain_setting(const TuneTask& task, const TuneOptions& options, Streams& streams) {
  const sim::MadeSetting own = sim::make_setting(task.file, {});
  const sim::Scenario& scenario = own.setting->scenario;
  const std::optional<sim::ClosedForm> form = sim::closed_form(scenario);
  if (!form) {
    write_results(streams,
                  fmt::format("EXPLAIN {}  {}: there is no closed form for this protocol; `tenure tune` "
                              "without --explain measures it\n",
                              task.name, scenario.protocol->name));
    return ExitCode::inconclusive;
  }
  const Interruption interruption;
  const std::optional<Findings> findings =
      simulate(sim::experiments(task.file, scenario, *form), task, options, streams);
  if (!findings) leave_interrupted(streams);
  write_results(streams, text_of(task, *own.setting, *form, *findings));
  return ExitCode::pass;
}

}  // namespace tenure::cli
