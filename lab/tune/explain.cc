#include "lab/tune/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "format/syntax/units.h"

namespace tenure::lab {
namespace {

using Kind = Experiment::Kind;

constexpr std::int64_t kWindow = 8;  // cycles, in which the moment is drawn
// Starts are spread over so many cycles. Where everybody keeps a phase for good, the first to start leads and the
// others are a little nearer than evenly: by 1/(6 kSpread) of a cycle, far below what a mean is judged by.
constexpr std::int64_t kSpread = 12;

std::string quoted(Duration duration) { return fmt::format("\"{}\"", print_duration(duration)); }

Duration percent(Duration of, std::int64_t much) {
  return Duration::nanos(mul_div_floor(of.ns(), much, 100));
}

// Half of the mean's interval of 95 %; each run gives one sample, and there are two at least.
Duration error_of_mean(const sim::Samples& samples) {
  const Duration mean = samples.mean();
  int128 squares = 0;
  const std::vector<Duration> values = samples.values();
  for (const Duration value : values) squares += int128{(value - mean).ns()} * (value - mean).ns();
  const auto n = static_cast<int128>(values.size());
  const std::int64_t deviation = integer_root(squares / ((n - 1) * n));
  return Duration::nanos(mul_div_ceil(deviation, reach_micro(values.size()), 1'000'000));
}

class Maker {
 public:
  Maker(const TuneFile& file, const sim::Scenario& own, const ClosedForm& form)
      : file_(file),
        form_(form),
        instances_(own.instances.size()),
        spread_(form.cycle * kSpread),
        most_(form.failover ? form.failover->most : form.wait),
        window_(form.cycle * kWindow),
        settle_(spread_ + most_ * 2) {}

  Experiment crash() const {
    return whenever(Kind::crash, 0, {"action = \"kill\", target = \"leader\""}, most_ * 2);
  }

  // Before the first renewal is answered, so that it is known which answer was the last.
  Experiment cut() const {
    const Duration until_over = form_.wait + form_.belief + form_.cycle * 2;
    return at_first_lead(Kind::cut, 0,
                         fmt::format("action = \"partition\", target = \"leader\", peers = \"store\", "
                                     "duration = {}",
                                     quoted(until_over)),
                         {{}, form_.first_belief ? form_.first_answer / 2 : form_.first_attempt.low / 2},
                         until_over);
  }

  void pauses(Kind kind, Duration length, std::vector<Experiment>& all) const {
    const std::string fault =
        fmt::format("action = \"pause\", target = \"leader\", duration = {}", quoted(length));
    all.push_back(whenever(kind, length.ns(), {fault}, length + most_));
    all.push_back(at_first_lead(kind, length.ns(), fault, {form_.first_attempt.low, form_.first_attempt.high},
                                length + most_));
  }

  // The first instance leads, because the others are away at first; then it is cut off.
  Experiment first_leads(Kind kind, std::int64_t strength, const std::string& more = {}) const {
    const Duration after = most_ * 2;
    std::vector<std::string> faults = {fmt::format(
        "action = \"partition\", target = \"n1\", peers = \"store\", duration = {}", quoted(after))};
    // One by one, so that none is on the same phase as another.
    for (std::size_t i = 2; i <= instances_; ++i)
      faults.push_back(fmt::format("action = \"kill\", target = \"n{}\", duration = \"{}..{}\"", i,
                                   print_duration(settle_), print_duration(settle_ + spread_)));
    if (!more.empty()) faults.push_back(more);
    Experiment made = make(kind, strength, faults, settle_ * 2 + spread_, after);
    if (made.setting)
      made.setting->moment = DrawnMoment{settle_ * 2 + spread_, settle_ * 2 + spread_ + window_};
    return made;
  }

  Experiment rate(Kind kind, std::int64_t ppm) const {
    Experiment made = first_leads(kind, ppm);
    if (!made.setting) return made;
    sim::Scenario& scenario = made.setting->scenario;
    for (sim::InstanceSetting& instance : scenario.instances) instance.clock.rate_ppm = {ppm, ppm};
    scenario.store.clock.rate_ppm = {ppm, ppm};
    scenario.instances.front().clock.rate_ppm = {-ppm, -ppm};
    return made;
  }

  Experiment behind(Kind kind, Duration by) const {
    Experiment made = first_leads(kind, by.ns());
    if (made.setting) made.setting->scenario.instances.front().clock.offset = {-by, -by};
    return made;
  }

  Experiment delay(Kind kind, Duration by) const {
    return first_leads(
        kind, by.ns(),
        fmt::format("action = \"delay\", target = \"n1\", peers = \"store\", direction = \"to\", "
                    "latency = {}",
                    quoted(by)));
  }

 private:
  Experiment whenever(Kind kind, std::int64_t strength, const std::vector<std::string>& faults,
                      Duration after) const {
    Experiment made = make(kind, strength, faults, settle_, after);
    if (!made.setting) return made;
    made.setting->scenario.start_spread = {Duration{}, spread_};
    made.setting->moment = DrawnMoment{settle_, settle_ + window_};
    return made;
  }

  Experiment at_first_lead(Kind kind, std::int64_t strength, const std::string& fault,
                           sim::Range<Duration> since, Duration after) const {
    Experiment made = make(kind, strength, {fault}, form_.wait * 2, after);
    if (!made.setting) return made;
    made.setting->scenario.faults.front().when = sim::FaultSetting::On{"leads", 1, {}};
    made.setting->moment = DrawnMoment{std::max(since.low, Duration::nanos(1)), since.high};
    return made;
  }

  // The file's cluster, store and network, and these faults alone, the first at a moment to be drawn, the others from
  // the beginning.
  Experiment make(Kind kind, std::int64_t strength, const std::vector<std::string>& faults, Duration before,
                  Duration after) const {
    Experiment experiment;
    experiment.kind = kind;
    experiment.strength = strength;
    std::string list;
    for (const std::string& fault : faults)
      list += fmt::format("{}{{ at = \"1ms\", {} }}", list.empty() ? "" : ", ", fault);
    MadeSetting made = make_setting(file_, {{"sim.duration", quoted(before + window_ + after)},
                                            {"sim.tail", quoted(Duration::minutes(1) + after * 4)},
                                            {"change", "[]"},
                                            {"cluster.start_spread", "\"0s\""},
                                            {"fault", fmt::format("[{}]", list)}});
    if (!made.setting) {
      experiment.why_not = made.problems.front().message;
      return experiment;
    }
    sim::Scenario& scenario = made.setting->scenario;
    scenario.scheduler = nullptr;
    scenario.schedules.clear();
    scenario.expect = {};
    scenario.tail = Duration::seconds(1);  // what is looked at is over; whether all elect again is not asked
    for (sim::InstanceSetting& instance : scenario.instances) instance.clock = {};
    scenario.store.clock = {};
    if (!form_.failover_alone) made.setting->watched = LeaseTerms{form_.from, form_.wait, form_.reads_first};
    experiment.setting = std::move(made.setting);
    return experiment;
  }

  const TuneFile& file_;
  const ClosedForm& form_;
  const std::size_t instances_;
  const Duration spread_;
  const Duration most_;
  const Duration window_;
  const Duration settle_;
};

}  // namespace

std::optional<Skew> tolerated_skew(const ClosedForm& form) {
  if (!form.failover) return std::nullopt;
  if (form.behind) {
    const Duration behind = *form.behind + form.trips;
    return behind > Duration{} ? std::optional(Skew{false, behind.ns()}) : std::nullopt;
  }
  if (form.theorem == "T3") return std::nullopt;
  const std::optional<std::int64_t> rate = tolerated_rate_ppm(form.belief, form.wait, -form.trips);
  return rate && *rate > 0 ? std::optional(Skew{true, *rate}) : std::nullopt;
}

std::optional<Duration> tolerated_delay(const ClosedForm& form) {
  if (!form.failover || !form.delay) return std::nullopt;
  return *form.delay + form.trips;
}

std::vector<Experiment> experiments(const TuneFile& file, const sim::Scenario& own, const ClosedForm& form) {
  constexpr std::int64_t kBelow = 100 - kBesidePercent;
  constexpr std::int64_t kAbove = 100 + kBesidePercent;
  const Maker maker(file, own, form);
  if (form.failover_alone) return {maker.crash()};
  std::vector<Experiment> all = {maker.crash(), maker.cut()};
  if (form.pause.longest > Duration{}) {
    maker.pauses(Kind::pause_below, percent(form.pause.longest, kBelow), all);
    maker.pauses(Kind::pause_above, percent(form.pause.longest, kAbove), all);
  }
  if (const std::optional<Skew> skew = tolerated_skew(form); skew && skew->of_rate) {
    all.push_back(maker.rate(Kind::skew_below, skew->largest * kBelow / 100));
    all.push_back(maker.rate(Kind::skew_above, skew->largest * (100 + kQuickPercent) / 100));
  } else if (skew) {
    const Duration beside = percent(form.wait, kBesidePercent);
    const Duration bound = Duration::nanos(skew->largest);
    all.push_back(maker.behind(Kind::skew_below, std::max(bound - beside, Duration{})));
    all.push_back(maker.behind(Kind::skew_above, bound + beside));
  }
  const Duration delay = tolerated_delay(form).value_or(Duration{});
  if (const Duration above = percent(delay, 100 + kQuickPercent);
      delay > Duration{} && above < form.latest_answer) {
    all.push_back(maker.delay(Kind::delay_below, percent(delay, kBelow)));
    all.push_back(maker.delay(Kind::delay_above, above));
  }
  return all;
}

TuneQuestions explain_questions() {
  return {.metrics = {"failover_seconds", "failovers"}, .checkers = {"one-believer"}};
}

Shown shown_by(const Experiment& experiment, const std::vector<RunNumbers>& runs) {
  Shown shown;
  shown.kind = experiment.kind;
  shown.strength = experiment.strength;
  shown.runs = runs.size();
  const bool pause = experiment.kind == Kind::pause_below || experiment.kind == Kind::pause_above;
  for (const RunNumbers& run : runs) {
    for (const std::int64_t value : run.values[0]) shown.failover.add(Duration::nanos(value));
    const bool two = std::find(run.broken.begin(), run.broken.end(), "one-believer") != run.broken.end();
    const bool lost = run.values[1].front() > 0;
    shown.hits += (pause ? lost : two) ? 1 : 0;
    if (!experiment.setting->watched) continue;
    for (const std::int64_t value : run.values[2]) shown.belief.add(Duration::nanos(value));
    std::copy(run.values[3].begin(), run.values[3].end(), std::back_inserter(shown.attempts));
    std::copy(run.values[4].begin(), run.values[4].end(), std::back_inserter(shown.renewals));
  }
  return shown;
}

void join(Shown& shown, const Shown& other) {
  shown.runs += other.runs;
  shown.hits += other.hits;
}

ExplainFinding judge_mean(const FailoverForm& form, const sim::Samples& failover) {
  if (!form.mean || failover.empty()) return ExplainFinding::not_simulated;
  if (failover.count() < 2) return ExplainFinding::too_few;
  const std::int64_t off = std::abs((failover.mean() - *form.mean).ns());
  const std::int64_t near = percent(*form.mean, kMeanPercent).ns();
  const std::int64_t error = error_of_mean(failover).ns();
  if (off > near + error) return ExplainFinding::refuted;
  return off <= near && error <= near ? ExplainFinding::confirmed : ExplainFinding::too_few;
}

ExplainFinding judge_least(const FailoverForm& form, const sim::Samples& failover) {
  if (failover.empty()) return ExplainFinding::not_simulated;
  if (failover.min() < form.least) return ExplainFinding::refuted;
  const Duration near = form.least + percent(form.most - form.least, kReachPercent);
  return failover.min() <= near ? ExplainFinding::confirmed : ExplainFinding::not_reached;
}

ExplainFinding judge_most(const FailoverForm& form, const sim::Samples& failover) {
  if (failover.empty()) return ExplainFinding::not_simulated;
  if (failover.max() > form.most) return ExplainFinding::refuted;
  const Duration near = form.most - percent(form.most - form.least, kReachPercent);
  return failover.max() >= near ? ExplainFinding::confirmed : ExplainFinding::not_reached;
}

ExplainFinding judge_belief(const ClosedForm& form, const sim::Samples& belief) {
  if (belief.empty()) return ExplainFinding::not_simulated;
  constexpr Duration kExactly = Duration::millis(1);
  const Duration predicted = form.first_belief.value_or(form.belief);  // the cut comes as it begins to lead
  if (belief.max() > predicted + kExactly) return ExplainFinding::refuted;
  return belief.min() >= predicted - kExactly ? ExplainFinding::confirmed : ExplainFinding::not_reached;
}

ExplainFinding judge_count(const sim::Range<std::int64_t>& theory, const std::vector<std::int64_t>& seen) {
  if (seen.empty()) return ExplainFinding::not_simulated;
  const auto [least, most] = std::minmax_element(seen.begin(), seen.end());
  if (*least < theory.low || *most > theory.high) return ExplainFinding::refuted;
  return *least == theory.low && *most == theory.high ? ExplainFinding::confirmed
                                                      : ExplainFinding::not_reached;
}

ExplainFinding judge_bound(const Shown* below, const Shown* above) {
  if (below == nullptr || above == nullptr) return ExplainFinding::not_simulated;
  if (below->hits > 0) return ExplainFinding::refuted;
  return above->hits > 0 ? ExplainFinding::confirmed : ExplainFinding::not_reached;
}

}  // namespace tenure::lab
