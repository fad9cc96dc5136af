#include "sim/tune/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/check.h"
#include "sim/scenario/toml/units.h"

namespace tenure::sim {
namespace {

using Kind = Experiment::Kind;

constexpr Duration kWindow = Duration::seconds(60);  // in which the moment is drawn
constexpr Duration kSpread = Duration::seconds(20);

std::string quoted(Duration duration) { return fmt::format("\"{}\"", print_duration(duration)); }

class Maker {
 public:
  Maker(const TuneFile& file, const Scenario& own, const ClosedForm& form)
      : file_(file),
        instances_(own.instances.size()),
        settle_(std::max(kWindow, form.failover.most * 3)),
        after_(form.failover.most * 4) {}

  // The file's cluster, store and network, with this one fault at a drawn moment, and whatever comes on top of it.
  Experiment make(Kind kind, std::int64_t strength, const std::string& fault,
                  std::vector<Override> more = {}) const {
    Experiment experiment;
    experiment.kind = kind;
    experiment.strength = strength;
    std::vector<Override> overrides = {{"sim.duration", quoted(settle_ + kWindow + after_)},
                                       {"sim.tail", quoted(after_ + kWindow * 2)},
                                       {"change", "[]"},
                                       {"cluster.start_spread", quoted(kSpread)},
                                       {"fault", fmt::format("[{{ at = \"1s\", {} }}]", fault)}};
    overrides.insert(overrides.end(), more.begin(), more.end());
    MadeSetting made = make_setting(file_, std::move(overrides));
    if (!made.setting) {
      experiment.why_not = made.problems.front().message;
      return experiment;
    }
    Scenario& scenario = made.setting->scenario;
    scenario.scheduler = nullptr;
    scenario.schedules.clear();
    scenario.expect = {};
    made.setting->moment = DrawnMoment{settle_, settle_ + kWindow};
    experiment.setting = std::move(made.setting);
    return experiment;
  }

  Experiment pause(Kind kind, Duration length) const {
    return make(kind, length.ns(),
                fmt::format("action = \"pause\", target = \"leader\", duration = {}", quoted(length)));
  }

  // The first instance is slow, and leads, because the others are away at first; then it is cut off.
  Experiment rate(Kind kind, std::int64_t ppm) const {
    std::string others;
    for (std::size_t i = 2; i <= instances_; ++i) others += fmt::format("{}\"n{}\"", i == 2 ? "" : ", ", i);
    const std::string cut = fmt::format(
        "action = \"partition\", target = \"n1\", peers = \"store\", duration = {}", quoted(after_));
    const std::string away =
        fmt::format("{{ at = \"1ms\", action = \"kill\", target = [{}], duration = {} }}", others,
                    quoted(settle_ * 3 / 4));
    return make(kind, ppm, cut,
                {{"fault", fmt::format("[{{ at = \"1s\", {} }}, {}]", cut, away)},
                 {"cluster.start_spread", "\"0s\""},
                 {"cluster.clock.rate_ppm", std::to_string(ppm)},
                 {"store.clock.rate_ppm", std::to_string(ppm)},
                 {"instance", fmt::format("[{{ names = [\"n1\"], clock = {{ rate_ppm = {} }} }}]", -ppm)}});
  }

 private:
  const TuneFile& file_;
  const std::size_t instances_;
  const Duration settle_;
  const Duration after_;
};

}  // namespace

std::vector<Experiment> experiments(const TuneFile& file, const Scenario& own, const ClosedForm& form) {
  constexpr std::int64_t kBelowPercent = 95;
  constexpr std::int64_t kAbovePercent = 115;
  const Maker maker(file, own, form);
  std::vector<Experiment> all;
  all.push_back(maker.make(Kind::failover, 0, "action = \"kill\", target = \"leader\""));
  if (form.pause > Duration{}) {
    all.push_back(maker.pause(Kind::pause_below, form.pause / 100 * kBelowPercent));
    all.push_back(maker.pause(Kind::pause_above, form.failover.most));
  }
  if (form.rate_ppm && *form.rate_ppm > 0 && own.instances.size() > 1) {
    all.push_back(maker.rate(Kind::rate_below, *form.rate_ppm * kBelowPercent / 100));
    all.push_back(maker.rate(Kind::rate_above, *form.rate_ppm * kAbovePercent / 100));
  }
  return all;
}

TuneQuestions explain_questions() {
  return {.metrics = {"failover_seconds", "failovers"}, .checkers = {"one-believer"}};
}

Shown shown_by(const Experiment& experiment, const std::vector<RunNumbers>& runs) {
  constexpr std::int64_t kBillion = 1'000'000'000;
  Shown shown;
  shown.kind = experiment.kind;
  shown.strength = experiment.strength;
  shown.runs = runs.size();
  Samples samples;
  const bool rate = experiment.kind == Kind::rate_below || experiment.kind == Kind::rate_above;
  for (const RunNumbers& run : runs) {
    for (const std::int64_t value : run.values.front()) samples.add(Duration::nanos(value));
    const bool two = std::find(run.broken.begin(), run.broken.end(), "one-believer") != run.broken.end();
    const bool lost = run.values.back().front() >= kBillion;
    shown.hits += (rate ? two : lost) ? 1 : 0;
  }
  shown.least = samples.min();
  shown.mean = samples.mean();
  shown.most = samples.max();
  return shown;
}

bool mean_confirmed(const ClosedForm& form, const Shown& failover) {
  constexpr std::int64_t kWithin = 50;  // 2 %
  return std::abs((failover.mean - form.failover.mean).ns()) <= form.failover.mean.ns() / kWithin;
}

bool range_confirmed(const ClosedForm& form, const Shown& failover) {
  return failover.least >= form.failover.least && failover.most <= form.failover.most;
}

}  // namespace tenure::sim
