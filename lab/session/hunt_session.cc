#include "lab/session/hunt_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/hash.h"
#include "format/print/print.h"
#include "lab/session/cancellation.h"
#include "lab/session/jobs.h"
#include "lab/session/replays.h"
#include "lab/session/version.h"

namespace tenure::lab {
namespace {

// One case in this many is run twice and compared.
constexpr std::uint64_t kCompareEvery = 64;

// All that a case depends on besides the program and its seed.
std::string group_of(const format::ScenarioFile& file, const HuntSetup& setup) {
  Hasher hasher;
  hasher.add(format::print_scenario(file)).add(identity_of(file.scenario));
  hasher.add(setup.first_seed).add(setup.guided ? 1 : 0);
  return fmt::format("{:016x}", hasher.value());
}

}  // namespace

HuntSession::HuntSession(HuntSetup setup, const format::ScenarioFile& file, HuntObserver& observer)
    : setup_(std::move(setup)),
      file_(file),
      observer_(observer),
      hunt_(file, {setup_.first_seed, setup_.cases, setup_.guided}),
      saved_as_(setup_.save != nullptr ? group_of(file, setup_) : "") {
  findings_.scenario = file.scenario.name;
  findings_.title = setup_.title.empty() ? file.scenario.name : setup_.title;
  findings_.path = file.scenario.path;
  findings_.first_seed = setup_.first_seed;
  if (!setup_.open_ended) findings_.planned = setup_.cases;
  findings_.not_demanded = not_demanded(file);
}

const HuntFindings& HuntSession::run() {
  if (setup_.replay) replay_regressions();
  bool going_on = findings_.stopped.empty();
  while (going_on && hunt_.begin_generation() > 0) going_on = run_generation(hunt_.next_case());
  finish();
  return findings_;
}

void HuntSession::replay_regressions() {
  std::vector<ReadScenario> read = read_folder(setup_.folder, setup_.reader);
  observer_.regressions_read(read);
  KeptBefore before = regressions_of(file_.scenario, std::move(read));
  findings_.other_regressions = before.others;
  const JobsEnd end = replay_all(
      std::move(before.files), setup_.threads,
      [&](std::size_t, ReplayedFile file) {
        const bool failed = file.replayed.failure.has_value();
        if (failed && !setup_.keep_going) findings_.stopped = kRegressionFails;
        observer_.replayed(file);
        findings_.regressions.push_back(std::move(file));
      },
      setup_.when_interrupted);
  if (end == JobsEnd::interrupted) interrupt_hunt();
}

HuntSession::Entry HuntSession::make_entry(std::uint64_t index) const {
  Entry entry{.made = hunt_.make(index), .outcome = {}};
  entry.compared = setup_.check_determinism || index % kCompareEvery == 0;
  if (setup_.save != nullptr)
    if (const HuntedCase* saved = setup_.save->find(saved_as_, hunt_.seed_of(index))) {
      entry.outcome.result = saved->result;
      entry.is_saved = true;
      return entry;
    }
  entry.outcome = run_case(entry.made.scenario, entry.compared);
  return entry;
}

bool HuntSession::run_generation(std::uint64_t first) {
  const JobsEnd end = make_in_order(
      hunt_.generation_size(), setup_.threads,
      [this, first](std::size_t job) { return make_entry(first + job); },
      [&](std::size_t job, Entry entry) { return take(first + job, std::move(entry)); },
      setup_.when_interrupted);
  if (end == JobsEnd::interrupted) interrupt_hunt();
  report_failures();
  if (is_cancelled()) interrupt_hunt();
  return end == JobsEnd::done && !findings_.interrupted;
}

bool HuntSession::take(std::uint64_t index, Entry entry) {
  const std::uint64_t seed = hunt_.seed_of(index);
  if (entry.compared) ++findings_.compared;
  if (!entry.outcome.difference.empty() && findings_.difference.empty()) {
    findings_.difference = entry.outcome.difference;
    findings_.difference_seed = seed;
    findings_.stopped = "two runs of one case differ";
  }
  if (setup_.save != nullptr && !entry.is_saved && entry.outcome.difference.empty()) {
    setup_.save->put(saved_as_, {seed, entry.outcome.result});
    setup_.save->flush();
  }
  if (!entry.outcome.result.failures.empty()) ++findings_.failures;
  for (const Failure& failure : entry.outcome.result.failures) remember(entry.made.scenario, failure, seed);
  // Of an interrupted hunt, results come after a gap: they count as failures, but not as cases that were done.
  if (index == hunt_.next_case()) hunt_.take(std::move(entry.made), entry.outcome.result);
  observer_.progressed(hunt_.cases(), findings_.failures, hunt_.last_new() + 1);
  if (findings_.failures > 0 && !setup_.keep_going) findings_.stopped = "a violation";
  if (findings_.stopped.empty() && time_is_up()) findings_.stopped = "the time was up";
  return findings_.stopped.empty();
}

// A failure like one that is known is counted, and no more.
void HuntSession::remember(const sim::Scenario& scenario, const Failure& failure, std::uint64_t seed) {
  for (std::vector<Finding>* known : {&findings_.findings, &pending_})
    for (Finding& each : *known)
      if (each.saved.failure.same_as(failure)) {
        ++each.times;
        return;
      }
  pending_.push_back({seed, save_regression(scenario, failure, place_of(seed)), 1});
  observer_.saved(pending_.back().saved);
}

bool HuntSession::time_is_up() const {
  return setup_.time && Clock::now() - began_ >= std::chrono::nanoseconds(setup_.time->ns());
}

RegressionPlace HuntSession::place_of(std::uint64_t seed) const {
  return {.folder = setup_.folder,
          .origin = {file_.scenario.path, seed, std::string(version()), file_.plans.regression},
          .zones = setup_.reader.zones};
}

void HuntSession::report_failures() {
  for (Finding& finding : pending_) {
    observer_.finishing(finding);
    if (setup_.shrink && !findings_.interrupted && !is_cancelled() &&
        shrink_saved(finding.saved, place_of(finding.seed), setup_.shrink_time))
      observer_.saved(finding.saved);
    findings_.findings.push_back(std::move(finding));
    observer_.found(findings_, findings_.findings.back());
  }
  pending_.clear();
}

void HuntSession::interrupt_hunt() {
  findings_.interrupted = true;
  findings_.stopped = "interrupted";
}

void HuntSession::finish() {
  if (hunt_.cases() > 0) observer_.cases_are_over(hunt_.cases());
  totals_are(findings_, hunt_.totals(), file_);
}

}  // namespace tenure::lab
