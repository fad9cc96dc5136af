#include "lab/hunt/shrink.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "format/parse/parse.h"
#include "format/print/print.h"
#include "lab/hunt/shrinker.h"
#include "sim/checkers/checker.h"
#include "sim/faults/plan.h"

namespace tenure::lab {
namespace {

// Whether the checker asks for something that the tail is there for.
bool is_owed_in_the_tail(std::string_view checker) {
  const sim::CheckerKind* kind = sim::find_checker_kind(checker);
  if (kind == nullptr) return false;
  return kind->when == sim::CheckerKind::When::eventually || checker == "no-lost-fire";
}

// Keeps what fails in the same way.
class FailureShrinker final : public Shrinker {
 public:
  FailureShrinker(const sim::Scenario& failing, const Failure& failure, const ShrinkSetup& setup)
      : Shrinker(failing), failure_(failure), last_failure_(failure), setup_(setup) {
    const SeedRun first = setup.try_case(failing);
    for (const Failure& each : first.failures) failing_.insert(each.checker);
    see_strikes(first);
  }

  sim::TrueTime failed_at() const override { return last_failure_.at; }
  bool may_shorten_tail() const override { return !is_owed_in_the_tail(failure_.checker); }
  std::optional<sim::TrueTime> struck_at(std::size_t place) const override {
    const auto last = std::find_if(strikes_.rbegin(), strikes_.rend(), [place](const sim::FaultRun& strike) {
      return strike.entry == place + 1 && strike.skipped.empty();
    });
    return last == strikes_.rend() ? std::nullopt : std::optional(last->at);
  }
  // What the best one says; may differ from the first failure in names and numbers.
  const Failure& failure() const { return last_failure_; }
  std::uint64_t tries() const { return tries_; }
  Shrunk::End end() const { return end_; }

  bool accept(const sim::Scenario& candidate) override {
    if (end_ == Shrunk::End::finished && tries_ >= setup_.most_tries) end_ = Shrunk::End::tries_up;
    if (end_ == Shrunk::End::finished && !setup_.go_on()) end_ = Shrunk::End::time_up;
    if (end_ != Shrunk::End::finished) return false;
    std::optional<sim::Scenario> read = as_its_file_says(candidate, setup_.zones);
    if (!read) return false;
    ++tries_;
    const SeedRun run = setup_.try_case(*read);
    const Failure* same = find_same(run.failures, failure_);
    const bool fails_otherwise =
        std::any_of(run.failures.begin(), run.failures.end(),
                    [&](const Failure& each) { return !failing_.contains(each.checker); });
    if (same == nullptr || fails_otherwise) return false;
    best_ = *std::move(read);
    last_failure_ = *same;
    see_strikes(run);
    return true;
  }

 private:
  void see_strikes(const SeedRun& run) {
    strikes_ = run.run ? run.run->faults : std::vector<sim::FaultRun>{};
  }

  const Failure failure_;
  std::set<std::string> failing_;  // the checkers that failed in the first run
  Failure last_failure_;
  std::vector<sim::FaultRun> strikes_;  // of the best one
  const ShrinkSetup& setup_;
  std::uint64_t tries_ = 0;
  Shrunk::End end_ = Shrunk::End::finished;
};

// Keeps none, and so is shown every one.
class Lister final : public Shrinker {
 public:
  explicit Lister(const sim::Scenario& start) : Shrinker(start) {}
  sim::TrueTime failed_at() const override { return sim::TrueTime{} + best_.duration + best_.tail; }
  bool may_shorten_tail() const override { return false; }
  std::optional<sim::TrueTime> struck_at(std::size_t) const override { return std::nullopt; }
  bool accept(const sim::Scenario& candidate) override {
    shown_.push_back(candidate);
    return false;
  }
  std::vector<sim::Scenario> take() { return std::move(shown_); }

 private:
  std::vector<sim::Scenario> shown_;
};

struct Pass {
  bool (*run)(Shrinker&);
  ScenarioPart part;
};
constexpr Pass kPasses[] = {
    {drop_faults, ScenarioPart::faults},           {shorten_run, ScenarioPart::length},
    {advance_faults, ScenarioPart::length},        {drop_schedules, ScenarioPart::schedules},
    {drop_receivers, ScenarioPart::schedules},     {drop_instances, ScenarioPart::cluster},
    {drop_noise, ScenarioPart::cluster},           {simplify_faults, ScenarioPart::faults},
    {simplify_schedules, ScenarioPart::schedules},
};

}  // namespace

std::optional<format::ScenarioFile> as_its_file_says(const format::ScenarioFile& file,
                                                     const TimeZones& zones) {
  const StoreKind* engine = file.scenario.store.engine;
  const sim::DesignOf design(file.scenario);
  const format::ParseResult read = format::parse_scenario(
      file.scenario.path, format::print_scenario(file), {}, zones, file.scenario.protocol,
      {engine, engine == nullptr ? 0U : 1U}, nullptr, format::Unsafe::must_be_accepted, &design);
  if (!read.scenario) return std::nullopt;
  return read.file();
}

std::optional<sim::Scenario> as_its_file_says(const sim::Scenario& scenario, const TimeZones& zones) {
  std::optional<format::ScenarioFile> read = as_its_file_says(format::ScenarioFile{scenario, {}}, zones);
  if (!read) return std::nullopt;
  return std::move(read->scenario);
}

std::vector<sim::Scenario> simpler(const sim::Scenario& scenario, const std::set<ScenarioPart>& parts) {
  Lister lister(scenario);
  for (const Pass& pass : kPasses)
    if (parts.contains(pass.part)) pass.run(lister);
  return lister.take();
}

Shrunk shrink(const sim::Scenario& failing, const Failure& failure, const ShrinkSetup& setup) {
  FailureShrinker shrinker(failing, failure, setup);
  shrinker.try_change([](sim::Scenario& scenario) {
    scenario.faults = sim::draw_plan(scenario, sim::KeyedRng(*scenario.seed));
    scenario.thresholds.clear();
    scenario.expect.sometimes.clear();
  });
  bool smaller = true;
  while (smaller && shrinker.end() == Shrunk::End::finished) {
    smaller = false;
    for (const Pass& pass : kPasses) smaller |= pass.run(shrinker);
  }
  return {shrinker.best(), shrinker.failure(), shrinker.tries(), shrinker.end()};
}

}  // namespace tenure::lab
