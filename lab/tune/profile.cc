#include "lab/tune/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/int128.h"
#include "format/syntax/units.h"
#include "sim/faults/registry.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kMicros = 1'000'000;     // in one event
constexpr std::int64_t kNanos = 1'000'000'000;  // in one leadership that was lost
// A load of one: for each time that somebody leads, as long again in which nobody does.
constexpr std::int64_t kOne = 1'000'000'000'000;
constexpr std::int64_t kMost = kOne * 1'000'000;  // no load is larger
constexpr std::int64_t kNoEnd = kMost + 1;        // of an interval
constexpr std::string_view kFalseFailovers = "false_failovers";

// One event in a run in which nothing else breaks. It strikes early enough for the rest of the fault phase to show
// all of its cost, as far as the file's phase is long enough.
ProfilePart one_event(const TuneFile& file, std::vector<format::Override> overrides, std::string cause,
                      const std::string& fault, std::int64_t events_micro) {
  ProfilePart part;
  part.cause = std::move(cause);
  part.events_micro = events_micro;
  overrides.push_back({"fault", fmt::format("[{{ at = \"1s\", {} }}]", fault)});
  MadeSetting made = make_setting(file, std::move(overrides));
  if (!made.setting) {
    part.why_not = made.problems.front().message;
    return part;
  }
  const Duration phase = made.setting->scenario.duration;
  made.setting->moment = DrawnMoment{phase / 4, phase / 2};
  part.setting = std::move(made.setting);
  return part;
}

// A deploy as the file has it, with its graces, gaps and settings; as the defaults are, where it has none.
ProfilePart one_deploy(const TuneFile& file, const std::vector<format::Override>& overrides,
                       std::int64_t events_micro) {
  ProfilePart part = one_event(file, overrides, "deploys", "action = \"rolling-restart\"", events_micro);
  if (!part.setting) return part;
  const MadeSetting own = make_setting(file, overrides);
  if (!own.setting) return part;
  for (const sim::FaultSetting& fault : own.setting->scenario.faults) {
    if (fault.action != "rolling-restart") continue;
    sim::FaultSetting& deploy = part.setting->scenario.faults.front();
    deploy.target = fault.target;
    deploy.duration = fault.duration;
    deploy.duration_spread = fault.duration_spread;
    deploy.parameters = fault.parameters;
    deploy.with_election = fault.with_election;
    break;
  }
  return part;
}

bool is_counted_apart(const sim::FaultSetting& fault) {
  const sim::FaultKind* kind = sim::find_fault_kind(fault.action);
  return kind != nullptr &&
         (kind->family == sim::FaultFamily::process || kind->family == sim::FaultFamily::failover);
}

// A run of the file with some of its faults, or none.
ProfilePart with_faults(const TuneFile& file, const std::vector<format::Override>& overrides,
                        std::string cause, bool any) {
  ProfilePart part;
  part.cause = std::move(cause);
  MadeSetting made = make_setting(file, overrides);
  if (!made.setting) {
    part.why_not = made.problems.front().message;
    return part;
  }
  std::erase_if(made.setting->scenario.faults,
                [any](const sim::FaultSetting& fault) { return !any || is_counted_apart(fault); });
  part.setting = std::move(made.setting);
  return part;
}

// What a run lost: time, and leaderships in billionths.
struct Loss {
  int128 leaderless = 0;
  int128 lost = 0;
};
Loss loss_in(const RunNumbers& run) {
  Loss loss;
  for (const auto& [cause, length] : run.leaderless_by_cause)
    if (cause != "start") loss.leaderless += length;
  for (const std::int64_t value : run.values.front()) loss.lost += value;
  return loss;
}

// Of a setting's part: what its runs lost beyond the quiet ones, one by one, and in how many events or how long a time.
struct CauseRuns {
  const ProfilePart* part = nullptr;
  std::vector<int128> leaderless;
  std::vector<int128> lost;
  std::vector<int128> events;  // of each run; one where it goes by time
  int128 simulated = 0;        // all runs together, in ns
  Loss quiet;                  // all of them
  bool all_have_one_event() const {
    return std::all_of(events.begin(), events.end(), [](int128 count) { return count == 1; });
  }
};

// Of all runs together, with its interval.
struct Total {
  int128 value = 0;
  int128 low = 0;
  std::optional<int128> high;
};

// A sum over runs as the events that they have in common would make it (the ratio estimator of outcome.h). `most` is
// what a run might have lost where none did.
Total total_of(const std::vector<int128>& values, const std::vector<int128>& events, int128 most) {
  Total total;
  int128 all_events = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    total.value += values[i];
    all_events += events[i];
  }
  const bool nothing = std::all_of(values.begin(), values.end(), [](int128 value) { return value == 0; });
  // Where no event is known, nobody can say how dear one would be.
  if (nothing) return {0, 0, most > 0 ? std::optional(kMostOfNone * most) : std::nullopt};
  const int128 sum = std::exchange(total.value, std::max<int128>(total.value, 0));
  if (values.size() < 2) return total;
  int128 squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int128 off = values[i] - sum * events[i] / std::max<int128>(all_events, 1);
    squares += off * off;
  }
  const auto runs = static_cast<int128>(values.size());
  const int128 half =
      int128{integer_root(squares / (runs - 1) * runs)} * reach_micro(values.size()) / kMicros;
  total.low = std::max<int128>(sum - half, 0);
  // One that was dear may stand for several.
  total.high =
      std::max<int128>(sum + half, *std::max_element(values.begin(), values.end()) * kMostOfOneCenti / 100);
  return total;
}

// Of events, how many struck in a run; of time, the run.
std::int64_t events_in(const ProfilePart& part, const RunNumbers& run) {
  if (part.events_micro == 0 || !part.setting || part.setting->moment) return 1;
  return static_cast<std::int64_t>(run.strikes);
}

CauseRuns measured_of(const ProfilePart& part, const std::vector<RunNumbers>& runs,
                      const std::vector<RunNumbers>& quiet) {
  const bool by_itself = part.cause == kByItself;
  CHECK(by_itself || runs.size() == quiet.size(), "a run stands beside the quiet one of its own seed");
  CauseRuns measured{.part = &part, .leaderless = {}, .lost = {}, .events = {}, .quiet = {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Loss loss = loss_in(runs[i]);
    const Loss without = by_itself ? Loss{} : loss_in(quiet[i]);
    measured.leaderless.push_back(loss.leaderless - without.leaderless);
    measured.lost.push_back(loss.lost - without.lost);
    measured.events.push_back(events_in(part, runs[i]));
    measured.simulated += runs[i].simulated_ns;
    measured.quiet.leaderless += without.leaderless;
    measured.quiet.lost += without.lost;
  }
  return measured;
}

// What is left of all time when nobody leads for so long.
int128 led_time(const CauseRuns& measured, int128 leaderless) {
  return std::max(measured.simulated - leaderless, std::max<int128>(measured.simulated / kMicros, 1));
}

int128 events_of(const CauseRuns& measured) {
  int128 events = 0;
  for (const int128 each : measured.events) events += each;
  return std::max<int128>(events, 1);
}

// As a load, of which one is kOne. What happens so many times a month is a load by the month's length.
int128 load_of(const CauseRuns& measured, int128 leaderless) {
  const int128 quiet = measured.quiet.leaderless;
  if (measured.part->events_micro == 0)
    return (quiet + leaderless) * kOne / led_time(measured, quiet + leaderless) -
           quiet * kOne / led_time(measured, quiet);
  // An event costs nothing where nobody led anyway.
  const int128 each = leaderless / events_of(measured) * measured.simulated / led_time(measured, quiet);
  return each * measured.part->events_micro / kMicros * (kOne / kMicros) / (kMonth.ns() / kMicros);
}

// Leaderships lost in a month in which somebody leads all the time, in millionths; from billionths in all runs.
int128 losses_a_month(const CauseRuns& measured, int128 lost, int128 leaderless) {
  const int128 quiet = measured.quiet.leaderless;
  const auto by_time = [&](int128 billionths, int128 without_leader) {
    return billionths / 1'000 * kMonth.ns() / led_time(measured, without_leader);
  };
  if (measured.part->events_micro == 0)
    return by_time(measured.quiet.lost + lost, quiet + leaderless) - by_time(measured.quiet.lost, quiet);
  const int128 each = lost / events_of(measured) * measured.simulated / led_time(measured, quiet);
  return each * measured.part->events_micro / kMicros / 1'000;
}

template <class Scale>
ProfileAmount scaled(const Total& total, Scale scale) {
  const auto amount = [&](int128 value) {
    return static_cast<std::int64_t>(std::clamp<int128>(scale(value), 0, kMost));
  };
  return {amount(total.value), amount(total.low), total.high ? amount(*total.high) : kNoEnd};
}

// A cause as if there were no other: its load, and the leaderships that it ends in a month that is led.
struct Alone {
  ProfileAmount load;
  ProfileAmount lost_micro;
};

Alone alone(const CauseRuns& measured, int128 dearest) {
  const Total leaderless = total_of(measured.leaderless, measured.events, dearest);
  const Total lost = total_of(measured.lost, measured.events, kNanos);
  return {scaled(leaderless, [&](int128 value) { return load_of(measured, value); }),
          scaled(lost, [&](int128 value) { return losses_a_month(measured, value, leaderless.value); })};
}

// Independent amounts together: what each is off by adds up as squares do.
ProfileAmount sum_of(const std::vector<ProfileAmount>& amounts) {
  int128 value = 0;
  int128 below = 0;
  int128 above = 0;
  for (const ProfileAmount& amount : amounts) {
    value += amount.value;
    below += int128{amount.value - amount.low} * (amount.value - amount.low);
    above += int128{*amount.high - amount.value} * (*amount.high - amount.value);
  }
  const auto in_range = [](int128 sum) {
    return static_cast<std::int64_t>(std::clamp<int128>(sum, 0, kMost));
  };
  const bool ends = std::all_of(amounts.begin(), amounts.end(),
                                [](const ProfileAmount& amount) { return *amount.high < kNoEnd; });
  return {in_range(value), in_range(value - integer_root(below)),
          ends ? in_range(value + integer_root(above)) : kNoEnd};
}

// The part of `whole` that a load takes beside others.
std::int64_t share_of(std::int64_t whole, std::int64_t load, std::int64_t others) {
  return static_cast<std::int64_t>(int128{whole} * load / (int128{kOne} + load + others));
}

ProfileAmount leaderless_of(const ProfileAmount& load, std::int64_t others) {
  const auto of = [&](std::int64_t value) { return share_of(kMonth.ns(), value, others); };
  ProfileAmount amount{of(load.value), of(load.low), std::nullopt};
  if (*load.high < kNoEnd) amount.high = of(*load.high);
  return amount;
}

ProfileAmount lost_of(const ProfileAmount& lost, std::int64_t load) {
  const auto of = [&](std::int64_t value) {
    return static_cast<std::int64_t>(int128{value} * kOne / (int128{kOne} + load));
  };
  ProfileAmount amount{of(lost.value), of(lost.low), std::nullopt};
  if (*lost.high < kNoEnd) amount.high = of(*lost.high);
  return amount;
}

// The most that one event has cost; where none is measured by itself, the most that a run has.
int128 dearest_event(const std::vector<CauseRuns>& causes) {
  int128 of_events = 0;
  int128 of_runs = 0;
  for (const CauseRuns& each : causes)
    for (const int128 loss : each.leaderless) {
      of_runs = std::max(of_runs, loss);
      if (each.part->events_micro > 0 && each.all_have_one_event()) of_events = std::max(of_events, loss);
    }
  return of_events > 0 ? of_events : of_runs;
}

}  // namespace

TuneQuestions profile_questions() { return {.metrics = {std::string(kFalseFailovers)}, .checkers = {}}; }

std::vector<ProfilePart> profile_parts(const TuneFile& file, const std::vector<format::Override>& overrides,
                                       const format::ProfileSetting& profile) {
  std::vector<ProfilePart> parts = {with_faults(file, overrides, std::string(kByItself), false)};
  const auto add = [&](std::string cause, const std::string& fault, std::int64_t micro) {
    if (micro > 0) parts.push_back(one_event(file, overrides, std::move(cause), fault, micro));
  };
  add("crashes",
      fmt::format("action = \"kill\", target = \"one\", duration = \"{}\"",
                  print_duration(profile.crash_downtime)),
      profile.crashes_micro);
  if (profile.deploys_micro > 0) parts.push_back(one_deploy(file, overrides, profile.deploys_micro));
  add("store failovers", "action = \"store-failover\"", profile.store_failovers_micro);
  // Said to be none, they cost nothing.
  if (profile.disturbances_micro != 0) {
    ProfilePart rest = with_faults(file, overrides, "the rest", true);
    rest.events_micro = profile.disturbances_micro.value_or(0);
    // Without other faults there is nothing to be measured: those runs are the quiet ones.
    if (!rest.setting || !rest.setting->scenario.faults.empty()) parts.push_back(std::move(rest));
  }
  return parts;
}

ProfileMonth month_of(const std::vector<ProfilePart>& parts,
                      const std::vector<std::vector<RunNumbers>>& runs) {
  CHECK(!parts.empty() && parts.front().cause == kByItself && parts.size() == runs.size(),
        "what is lost without any event comes first");
  std::vector<CauseRuns> measured;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!runs[i].empty()) measured.push_back(measured_of(parts[i], runs[i], runs.front()));
  const int128 dearest = dearest_event(measured);
  ProfileMonth month;
  std::vector<ProfileAmount> loads;
  std::vector<ProfileAmount> lost;
  for (const CauseRuns& each : measured) {
    Alone cost = alone(each, dearest);
    loads.push_back(cost.load);
    lost.push_back(cost.lost_micro);
  }
  const ProfileAmount load = sum_of(loads);
  month.leaderless_ns = leaderless_of(load, 0);
  month.false_failovers_micro = lost_of(sum_of(lost), load.value);
  for (std::size_t i = 0; i < measured.size(); ++i)
    month.causes.push_back({measured[i].part->cause, leaderless_of(loads[i], load.value - loads[i].value),
                            lost_of(lost[i], load.value)});
  return month;
}

}  // namespace tenure::lab
