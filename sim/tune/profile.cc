#include "sim/tune/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/int128.h"
#include "sim/faults/plan.h"
#include "sim/faults/registry.h"
#include "sim/kernel/noise.h"
#include "sim/scenario/toml/units.h"

namespace tenure::sim {
namespace {

constexpr Duration kMonth = Duration::hours(24 * 30);
constexpr std::string_view kFalseFailovers = "false_failovers";

// One event in a run in which nothing else breaks. It strikes early enough for the rest of the fault phase to show
// all of its cost, as far as the file's phase is long enough.
ProfilePart one_event(const TuneFile& file, std::vector<Override> overrides, std::string cause,
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

bool is_counted_apart(const FaultSetting& fault) {
  const FaultKind* kind = find_fault_kind(fault.action);
  return kind != nullptr && (kind->family == FaultFamily::process || kind->family == FaultFamily::failover);
}

// A run of the file with some of its faults, or none.
ProfilePart with_faults(const TuneFile& file, const std::vector<Override>& overrides, std::string cause,
                        bool any) {
  ProfilePart part;
  part.cause = std::move(cause);
  MadeSetting made = make_setting(file, overrides);
  if (!made.setting) {
    part.why_not = made.problems.front().message;
    return part;
  }
  std::erase_if(made.setting->scenario.faults,
                [any](const FaultSetting& fault) { return !any || is_counted_apart(fault); });
  part.setting = std::move(made.setting);
  return part;
}

// All runs together; false failovers in billionths.
struct Losses {
  int128 leaderless = 0;
  int128 lost = 0;
};
Losses losses_in(const std::vector<RunNumbers>& runs) {
  Losses losses;
  for (const RunNumbers& run : runs) {
    for (const auto& [cause, length] : run.leaderless_by_cause)
      if (cause != "start") losses.leaderless += length;
    for (const std::int64_t value : run.values.front()) losses.lost += value;
  }
  return losses;
}

// Of events, how many struck in these runs; of time, how many runs there are.
std::uint64_t events_in(const ProfilePart& part, const std::vector<RunNumbers>& runs) {
  if (part.events_micro == 0 || !part.setting || part.setting->moment) return runs.size();
  std::uint64_t strikes = 0;
  for (const RunNumbers& run : runs) strikes += draw_plan(part.setting->scenario, Noise(run.seed)).size();
  return strikes;
}

}  // namespace

TuneQuestions profile_questions() { return {.metrics = {std::string(kFalseFailovers)}, .checkers = {}}; }

std::vector<ProfilePart> profile_parts(const TuneFile& file, const std::vector<Override>& overrides,
                                       const ProfileSetting& profile) {
  std::vector<ProfilePart> parts = {with_faults(file, overrides, std::string(kByItself), false)};
  const auto add = [&](std::string cause, const std::string& fault, std::int64_t micro) {
    if (micro > 0) parts.push_back(one_event(file, overrides, std::move(cause), fault, micro));
  };
  add("crashes",
      fmt::format("action = \"kill\", target = \"one\", duration = \"{}\"",
                  print_duration(profile.crash_downtime)),
      profile.crashes_micro);
  add("deploys", "action = \"rolling-restart\"", profile.deploys_micro);
  add("store failovers", "action = \"store-failover\"", profile.store_failovers_micro);
  // Said to be none, they cost nothing.
  if (profile.disturbances_micro != 0) {
    parts.push_back(with_faults(file, overrides, "the rest", true));
    parts.back().events_micro = profile.disturbances_micro.value_or(0);
  }
  return parts;
}

ProfileCost cost_of(const ProfilePart& part, const std::vector<RunNumbers>& runs,
                    const std::vector<RunNumbers>& quiet) {
  Losses losses = losses_in(runs);
  if (!quiet.empty()) {
    const Losses without = losses_in(quiet);
    const auto share = [&](int128 all) {
      return all * static_cast<int128>(runs.size()) / static_cast<int128>(quiet.size());
    };
    losses.leaderless = std::max<int128>(losses.leaderless - share(without.leaderless), 0);
    losses.lost = std::max<int128>(losses.lost - share(without.lost), 0);
  }
  const auto count = static_cast<int128>(std::max<std::uint64_t>(events_in(part, runs), 1));
  int128 times_micro = part.events_micro;
  int128 of = count * 1'000'000;
  if (part.events_micro == 0) {
    times_micro = kMonth.ns();
    of = count * (part.setting->scenario.duration + part.setting->scenario.tail).ns();
  }
  return {part.cause, Duration::nanos(detail::narrow(losses.leaderless * times_micro / of)),
          detail::narrow(losses.lost / 1'000 * times_micro / of)};
}

}  // namespace tenure::sim
