#include "lab/hunt/swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/base/int128.h"
#include "format/parse/tail.h"
#include "lab/hunt/envelope.h"
#include "lab/hunt/strikes.h"
#include "sim/faults/plan.h"
#include "sim/runner/claims.h"
#include "sim/scenario/names.h"

namespace tenure::lab {
namespace {

constexpr std::uint64_t kDraws = 16;  // to draw a fault that breaks no claim, or one that does

bool half(sim::KeyedRng rng) { return rng.below(2) == 0; }

using Families = std::array<bool, sim::kFaultFamilies>;

Families allowed_families(const format::ScenarioFile& hunted) {
  Families allowed{};
  const std::vector<std::string>& names =
      hunted.plans.hunt ? hunted.plans.hunt->families : std::vector<std::string>{};
  for (std::size_t i = 0; i < sim::kFaultFamilies; ++i)
    allowed[i] = names.empty() || std::find(names.begin(), names.end(),
                                            name_of(static_cast<sim::FaultFamily>(i))) != names.end();
  return allowed;
}

Families drawn_families(sim::KeyedRng rng) {
  Families on{};
  for (std::size_t i = 0; i < sim::kFaultFamilies; ++i) on[i] = half(rng.of(i));
  return on;
}

sim::Quantiles stretched(const sim::Quantiles& latency, Duration largest) {
  const std::int64_t before = latency.max().ns();
  if (before == 0) return sim::Quantiles::constant(largest);
  std::vector<sim::Quantiles::Point> points = latency.points();
  for (sim::Quantiles::Point& point : points)
    point.value = Duration::nanos(mul_div_floor(point.value.ns(), largest.ns(), before));
  return sim::Quantiles::table(std::move(points));
}

// More of the first instance, or fewer of the last ones. Those that the file names one by one stay.
void draw_cluster(sim::Scenario& scenario, const format::HuntSetting& setting, sim::KeyedRng rng) {
  if (setting.instances) {
    const auto count = static_cast<std::size_t>(
        rng.of("instances").between(setting.instances->low, setting.instances->high));
    scenario.instances.resize(count, scenario.instances.front());
  }
  if (setting.store_latency)
    scenario.store.latency =
        stretched(scenario.store.latency,
                  draw_magnitude(rng.of("store"), setting.store_latency->low, setting.store_latency->high));
  if (setting.network_latency)
    scenario.network.latency = stretched(
        scenario.network.latency,
        draw_magnitude(rng.of("network"), setting.network_latency->low, setting.network_latency->high));
}

// The file's own faults, those of the families that are on. If the hunt goes beyond the file, what comes again and
// again does so more or less often.
std::vector<sim::FaultSetting> own_faults(const sim::Scenario& scenario, bool beyond, const Families& on,
                                          sim::KeyedRng rng) {
  std::vector<sim::FaultSetting> kept;
  for (sim::FaultSetting fault : scenario.faults) {
    const sim::FaultKind* kind = sim::find_fault_kind(fault.action);
    if (!on[static_cast<std::size_t>(kind->family)] || names_nobody(fault, scenario.instances.size()))
      continue;
    auto* every = std::get_if<sim::FaultSetting::Every>(&fault.when);
    if (every != nullptr && beyond) {
      constexpr std::int64_t kPercent[] = {25, 50, 100, 200, 400};
      const std::int64_t percent = kPercent[rng.of(fault.id).below(std::size(kPercent))];
      every->gap = stretched(
          every->gap,
          std::max(Duration::nanos(mul_div_floor(every->gap.max().ns(), percent, 100)), Duration::millis(1)));
    }
    kept.push_back(std::move(fault));
  }
  return kept;
}

// Of what comes again and again, all of its strikes, or half of them, or a quarter.
void thin_out(std::vector<sim::FaultSetting>& faults, sim::KeyedRng rng) {
  constexpr std::uint64_t kOneOf[] = {1, 1, 2, 4};
  std::erase_if(faults, [&](const sim::FaultSetting& fault) {
    const std::uint64_t one_of = kOneOf[rng.of(fault.entry).below(std::size(kOneOf))];
    return fault.strike > 0 && rng.of("left out").of(fault.id).below(one_of) != 0;
  });
}

enum class Wanted : std::uint8_t { anything, inside, beyond };

// Adds a strike that leaves the scenario inside the claims, or takes it beyond them; none if none turns up.
void add_strike(sim::Scenario& scenario, const format::ScenarioFile& hunted,
                const std::vector<const sim::FaultKind*>& kinds, Wanted wanted, sim::KeyedRng rng) {
  for (std::uint64_t attempt = 0; attempt < kDraws; ++attempt) {
    const sim::KeyedRng each = rng.of(attempt);
    sim::FaultSetting drawn = draw_strike(*kinds[each.of("kind").below(kinds.size())], scenario, each);
    if (is_stated(drawn, hunted) &&
        !draw_as_stated(drawn, hunted, scenario.instances.size(), each.of("as stated")))
      continue;
    scenario.faults.push_back(std::move(drawn));
    if (wanted == Wanted::anything || inside_claims(scenario) == (wanted == Wanted::inside)) return;
    scenario.faults.pop_back();
  }
}

// A file with neither faults nor [hunt].
bool leaves_claims_alone(const format::ScenarioFile& file) {
  return !file.plans.hunt && file.scenario.faults.empty();
}

}  // namespace

bool rests_on(const sim::Scenario& scenario, Assumption assumption) {
  const auto any_of = [assumption](const std::vector<Claim>& claims) {
    return std::any_of(claims.begin(), claims.end(), [assumption](const Claim& claim) {
      return std::count(claim.assumptions.begin(), claim.assumptions.end(), assumption) > 0;
    });
  };
  return any_of(scenario.protocol->claims()) ||
         (scenario.scheduler != nullptr && any_of(scenario.scheduler->claims()));
}

bool inside_claims(const sim::Scenario& scenario) {
  const std::vector<sim::Broken> broken = sim::may_break(scenario);
  return std::none_of(broken.begin(), broken.end(), [&](const sim::Broken& b) {
    return b.assumption != Assumption::steady_leader &&
           rests_on(scenario, b.assumption);  // no draw can change that
  });
}

std::string not_demanded(const format::ScenarioFile& file) {
  std::vector<std::string> said;
  std::vector<std::string_view> keys;
  const auto say = [&](std::string_view why) {
    if (!keys.empty())
      said.push_back(fmt::format("{} {} not demanded: {}", fmt::join(keys, " and "),
                                 keys.size() == 1 ? "was" : "were", why));
    keys.clear();
  };
  const sim::Expectation& expect = file.scenario.expect;
  if (leaves_claims_alone(file)) {
    if (expect.always && !expect.always->empty()) keys.emplace_back("always");
    if (expect.eventually && !expect.eventually->empty()) keys.emplace_back("eventually");
    say("the file leaves no faults to the hunt, so claims alone decide; add [hunt]");
  }
  if (expect.fails) keys.emplace_back("fails");
  if (!file.scenario.thresholds.empty()) keys.emplace_back("[thresholds]");
  say("a hunt's cases have other faults than the file's; `tenure run` judges it");
  return fmt::format("{}", fmt::join(said, "; "));
}

format::ScenarioFile as_hunted(const format::ScenarioFile& file) {
  format::ScenarioFile hunted;
  hunted.scenario = file.scenario;
  hunted.plans.hunt = file.plans.hunt;
  hunted.plans.regression = file.plans.regression;
  hunted.scenario.thresholds.clear();
  sim::Expectation& expect = hunted.scenario.expect;
  expect.minimum =
      !expect.fails && !expect.believer_overlap_said && (!expect.always || leaves_claims_alone(file));
  if (leaves_claims_alone(file)) {
    hunted.plans.hunt = format::HuntSetting{};
    expect.always = std::nullopt;
    expect.eventually.emplace();
  }
  if (expect.fails) {
    if (!expect.always) expect.always.emplace();
    expect.always->push_back(*std::exchange(expect.fails, std::nullopt));
  }
  // A hunt goes beyond the claims on purpose, and reports what it sees there.
  expect.believer_overlap_said = true;
  if (!expect.always) expect.always.emplace();
  expect.sometimes.clear();
  for (const sim::SometimesName& name : sim::kSometimesNames) expect.sometimes.emplace_back(name.name);
  return hunted;
}

std::vector<const sim::FaultKind*> drawable(const format::ScenarioFile& hunted) {
  std::vector<const sim::FaultKind*> kinds;
  if (!hunted.plans.hunt) return kinds;
  const Families allowed = allowed_families(hunted);
  for (const sim::FaultKind& kind : sim::fault_kinds())
    if (allowed[static_cast<std::size_t>(kind.family)] && can_strike(kind, hunted.scenario))
      kinds.push_back(&kind);
  return kinds;
}

Case draw_case(const format::ScenarioFile& hunted, std::uint64_t seed) {
  const sim::KeyedRng rng = sim::KeyedRng(seed).of("hunt");
  const std::optional<format::HuntSetting>& setting = hunted.plans.hunt;
  Case drawn{.scenario = hunted.scenario, .inside = half(rng.of("inside"))};
  sim::Scenario& scenario = drawn.scenario;
  scenario.seed = seed;
  const Families on = drawn_families(rng.of("families"));
  if (setting) draw_cluster(scenario, *setting, rng.of("cluster"));
  scenario.faults = own_faults(scenario, setting && setting->beyond, on, rng.of("own"));
  scenario.faults = sim::draw_plan(scenario, sim::KeyedRng(seed));
  thin_out(scenario.faults, rng.of("thin out"));
  const std::size_t own = scenario.faults.size();

  const std::vector<const sim::FaultKind*> all = drawable(hunted);
  std::vector<const sim::FaultKind*> kinds = all;
  std::erase_if(kinds,
                [&](const sim::FaultKind* kind) { return !on[static_cast<std::size_t>(kind->family)]; });
  // What settings and the file's own faults break already, no choice of strikes mends.
  const Wanted wanted = drawn.inside && inside_claims(scenario) ? Wanted::inside : Wanted::anything;
  if (!kinds.empty()) {
    const std::int64_t count = rng.of("count").between(setting->faults.low, setting->faults.high);
    for (std::int64_t i = 0; i < count; ++i)
      add_strike(scenario, hunted, kinds, wanted, rng.of("fault").of(static_cast<std::uint64_t>(i)));
  }
  // One that was to go beyond the claims and does not gets a fault that does, of whatever family; if there is no room
  // for one more, instead of the last.
  if (!drawn.inside && !all.empty() && setting->faults.high > 0 && inside_claims(scenario)) {
    const auto most = own + static_cast<std::size_t>(setting->faults.high);
    if (scenario.faults.size() >= most) scenario.faults.pop_back();
    add_strike(scenario, hunted, all, Wanted::beyond, rng.of("beyond"));
  }
  // A drawn one may find nobody.
  for (sim::FaultSetting& fault : scenario.faults) fault.optional = true;
  drawn.inside = inside_claims(scenario);
  scenario.tail = std::max(scenario.tail, format::needed_tail(scenario));
  return drawn;
}

}  // namespace tenure::lab
