#include "lab/session/compare_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/hunt/throwing_checks.h"
#include "lab/session/cancellation.h"
#include "lab/session/equal_price.h"
#include "lab/session/explored_whole.h"
#include "lab/session/jobs.h"
#include "lab/session/version.h"
#include "sim/runner/run.h"

namespace tenure::lab {
namespace {

// Of a crowded column: it is there for the requests in an hour, which are much the same with each seed, and a run with
// so many instances costs the most.
constexpr std::uint64_t kMostSeedsOfCrowd = 20;

std::vector<Column> columns_of(const CompareTask& task) {
  std::vector<Column> columns;
  const auto in_matrix = [&task](std::size_t situation) {
    return std::find(task.matrix.begin(), task.matrix.end(), situation) != task.matrix.end();
  };
  for (std::size_t i = 0; i < task.situations.size(); ++i) {
    columns.push_back({.situation = i, .in_matrix = in_matrix(i)});
    if (task.situations[i].stretch)
      columns.push_back({.situation = i, .stretched = true, .in_matrix = in_matrix(i)});
  }
  const std::size_t quiet = task.measured.quiet;
  columns.push_back({.situation = quiet, .crowded = true, .in_matrix = in_matrix(quiet)});
  return columns;
}

Comparison comparison_of(CompareTask task) {
  std::vector<Column> columns = columns_of(task);
  return {std::move(task.candidates), std::move(task.situations), std::move(columns), task.measured};
}

class Session {
 public:
  Session(CompareTask task, RunsObserver& observer)
      : seeds_(task.seeds),
        keep_(task.keep),
        zones_(task.zones),
        observer_(observer),
        runs_(task.threads, task.save != nullptr ? *task.save : unsaved_, observer),
        findings_{comparison_of(std::move(task)), {}, false, 0, {}} {}

  // A crash comes first: it tells a design's own time.
  CompareFindings run() {
    observer_.begins({});
    for (const bool crash : {true, false}) {
      make_cases(crash);
      if (!findings_.bad.empty() || !run_cases()) break;
      leave_out_unread_clocks();
      if (runs_.is_part()) continue;  // the rest is for the report
      explore_all();
      if (!keep_all()) break;
    }
    return std::move(findings_);
  }

 private:
  struct Made {
    std::size_t candidate;
    std::size_t column;
    sim::Scenario scenario;
  };

  std::uint64_t seeds_of(const Column& column) const {
    return column.crowded ? std::min(seeds_, kMostSeedsOfCrowd) : seeds_;
  }

  void make_cases(bool crash) {
    made_.clear();
    const Comparison& comparison = findings_.comparison;
    for (std::size_t candidate = 0; candidate < comparison.candidates().size(); ++candidate)
      for (std::size_t column = 0; column < comparison.columns().size(); ++column)
        if ((column == comparison.column_of_crash()) == crash) make_one(candidate, column);
  }

  void make_one(std::size_t candidate, std::size_t column) {
    Comparison& comparison = findings_.comparison;
    const Column& of = comparison.columns()[column];
    ComparedCell& cell = comparison.at(candidate, column);
    if (of.crowded && !of.in_matrix && comparison.candidates()[candidate].kind->store == nullptr) {
      cell.not_applicable = "the design asks no store";
      return;
    }
    if (of.stretched) {
      const std::optional<Duration> own_time = comparison.own_time(candidate);
      if (!own_time) {
        cell.not_applicable = "nobody takes over after a crash, so there is no time to stretch it to";
        return;
      }
      cell.length = stretched(*comparison.situations()[of.situation].stretch, *own_time);
    }
    MadeCase made = comparison.make_case_of(candidate, column);
    if (made.scenario) {
      cell.acts_through_loop = made.acts_through_loop;
      cell.cell.emplace(!made.scenario->faults.empty());
      cell.proof = why_two_never_lead(*made.scenario);
      made_.push_back({candidate, column, *std::move(made.scenario)});
      return;
    }
    cell.not_applicable = std::move(made.not_applicable);
    const bool known = !findings_.bad.empty() && findings_.bad.back().candidate == candidate;
    if (!made.problems.empty() && !known) findings_.bad.push_back({candidate, std::move(made.problems)});
  }

  // False: it was interrupted.
  bool run_cases() {
    std::vector<RunGroup<CaseNumbers>> groups;
    for (const Made& each : made_)
      groups.push_back({.name = identity_of(each.scenario),
                        .title = each.scenario.name,
                        .first_seed = 1,
                        .count = seeds_of(findings_.comparison.columns()[each.column]),
                        .make = [&each](std::uint64_t seed) {
                          return numbers_of_case(each.scenario, sim::run(each.scenario, seed,
                                                                         {.trace = nullptr, .story = false}));
                        }});
    findings_.interrupted = !runs_.run(groups, [this](std::size_t i, const std::vector<CaseNumbers>& runs) {
      for (const CaseNumbers& run : runs)
        findings_.comparison.at(made_[i].candidate, made_[i].column).cell->add(run);
    });
    findings_.runs = runs_.progress();
    findings_.missing = runs_.missing();
    findings_.internal_error = runs_.internal_error();
    return !findings_.interrupted;
  }

  // A fault that moves a clock which a design does not read says nothing of the design.
  void leave_out_unread_clocks() {
    Comparison& comparison = findings_.comparison;
    for (const Made& each : made_) {
      ComparedCell& cell = comparison.at(each.candidate, each.column);
      const std::string fault = cell.cell->moved_unread_clock();
      // What another fault of the situation did to it stays.
      if (fault.empty() || !cell.cell->damages().empty() || !cell.cell->broken().empty()) continue;
      cell.not_applicable = fmt::format("`{}` moves a clock that {} does not read", fault,
                                        comparison.candidates()[each.candidate].name);
      cell.cell.reset();
    }
    std::erase_if(made_, [&](const Made& each) { return !comparison.at(each.candidate, each.column).cell; });
  }

  // Of those that were just run, where nothing went wrong. An interruption leaves the rest unexplored.
  void explore_all() {
    Comparison& comparison = findings_.comparison;
    for (const Made& each : made_) {
      if (is_cancelled()) return;
      const Column& column = comparison.columns()[each.column];
      const std::optional<format::ExhaustiveSetting>& bounds =
          comparison.situations()[column.situation].exhaustive;
      ComparedCell& cell = comparison.at(each.candidate, each.column);
      if (!column.in_matrix || column.crowded || !bounds || !cell.cell->damages().empty()) continue;
      cell.explored = explored_whole(each.scenario, *bounds, comparison.own_time(each.candidate));
    }
  }

  // Of those that were just run. False: it was interrupted.
  bool keep_all() {
    if (!keep_) return true;
    for (const Made& each : made_) {
      if (is_cancelled()) return !(findings_.interrupted = true);
      const Column& column = findings_.comparison.columns()[each.column];
      const std::vector<Cell::Seen> damages =
          findings_.comparison.at(each.candidate, each.column).cell->damages();
      if (!column.in_matrix || damages.empty()) continue;
      const RegressionPlace place{.folder = keep_->folder,
                                  .origin = {findings_.comparison.situations()[column.situation].file.path,
                                             damages.front().seed, std::string(version())},
                                  .zones = zones_};
      findings_.kept.push_back(
          {each.candidate, each.column,
           keep_counterexample(
               each.scenario, damages.front().checker, place, *keep_, observer_,
               [worst = damages.front()](const sim::Scenario& scenario, const sim::RunResult& run) {
                 return shows_as_much(numbers_of_case(scenario, run), worst);
               })});
    }
    return true;
  }

  const std::uint64_t seeds_;
  const std::optional<CounterexampleSetup> keep_;
  const TimeZones* const zones_;
  RunsObserver& observer_;
  CompareSave unsaved_;
  ManyRuns<CaseNumbers> runs_;
  const ThrowingChecks checks_;
  CompareFindings findings_;
  std::vector<Made> made_;
};

// Takes them out of the task.
std::vector<CompareFindings::LeftOut> leave_out(CompareTask& task,
                                                const std::vector<CompareFindings::Unpriced>& unpriced) {
  std::vector<CompareFindings::LeftOut> left_out;
  for (const CompareFindings::Unpriced& each : unpriced)
    left_out.push_back({task.candidates[each.candidate].name, each.why});
  std::erase_if(task.candidates, [&left_out](const Candidate& candidate) {
    return std::any_of(left_out.begin(), left_out.end(),
                       [&candidate](const auto& each) { return each.design == candidate.name; });
  });
  return left_out;
}

// What the refusal of a statement says if a Postgres would take it (adapters/sql).
constexpr std::string_view kAdvice = "engine = \"postgres\"";

bool is_in_a_file(const sim::Scenario& scenario) {
  return scenario.protocol->design != nullptr ||
         (scenario.scheduler != nullptr && scenario.scheduler->design != nullptr);
}

// The first line of what its program fails with, if it would not on Postgres; else empty.
std::string what_it_lacks(const sim::Scenario& scenario) {
  if (scenario.store.engine != nullptr || !is_in_a_file(scenario)) return {};
  const ThrowingChecks checks;
  std::string error;
  static_cast<void>(broken_invariant_in([&] {  // its runs will say it
    error = numbers_of_case(scenario, sim::run(scenario, 1, {.trace = nullptr, .story = false})).error;
  }));
  return error.find(kAdvice) != std::string::npos ? error.substr(0, error.find('\n')) : std::string{};
}

// Designs whose statements need a real Postgres, and that are to be compared without one: that nobody ever led would
// say nothing about them. Each design in a file is tried once, in the situation in which nothing happens.
std::vector<CompareFindings::BadCandidate> which_need_postgres(const CompareTask& task) {
  std::vector<CompareFindings::BadCandidate> bad;
  for (std::size_t i = 0; i < task.candidates.size(); ++i) {
    const Candidate& candidate = task.candidates[i];
    const MadeCase made = make_case(task.situations[task.measured.quiet], candidate);
    std::string lacks = made.scenario ? what_it_lacks(*made.scenario) : std::string{};
    if (lacks.empty()) continue;
    format::Diagnostic problem;
    problem.where = candidate.name;
    problem.message = std::move(lacks);
    problem.hint = fmt::format("name the engine: {}{}engine=postgres", candidate.name,
                               candidate.name.find(':') == std::string::npos ? ':' : ',');
    bad.push_back({i, {std::move(problem)}});
  }
  return bad;
}

}  // namespace

CompareFindings compare(CompareTask task, RunsObserver& observer) {
  if (auto bad = which_need_postgres(task); !bad.empty()) {
    CompareFindings refused{comparison_of(std::move(task)), {}, false, 0, {}};
    refused.bad = std::move(bad);
    return refused;
  }
  const std::optional<Price> price = task.price;
  EqualPrice equal;
  if (price) equal = bring_to_price(task, observer);
  std::vector<CompareFindings::LeftOut> left_out;
  if (task.leaves_out_unpriced && equal.unpriced.size() < task.candidates.size())
    left_out = leave_out(task, std::exchange(equal.unpriced, {}));
  const bool goes_on = equal.unpriced.empty() && !equal.interrupted && equal.internal_error.empty();
  CompareFindings findings = goes_on ? Session(std::move(task), observer).run()
                                     : CompareFindings{comparison_of(std::move(task)), {}, false, 0, {}};
  findings.price = price;
  findings.left_out = std::move(left_out);
  if (goes_on) return findings;
  findings.unpriced = std::move(equal.unpriced);
  findings.interrupted = equal.interrupted;
  findings.internal_error = std::move(equal.internal_error);
  return findings;
}

}  // namespace tenure::lab
