// [[fault]]: when, what, whom, for how long.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "format/syntax/targets.h"
#include "format/syntax/units.h"
#include "sim/faults/settings.h"

namespace tenure::format {
namespace {

// The one action that can bring new settings.
constexpr std::string_view kTakesSettings = "rolling-restart";

sim::Quantiles evenly_between(const sim::Range<Duration>& gap) {
  if (gap.low == gap.high) return sim::Quantiles::constant(gap.low);
  const Duration half = gap.low + (gap.high - gap.low) / 2;
  return sim::Quantiles::table(
      {{0, gap.low}, {sim::Quantiles::kOne / 2, half}, {sim::Quantiles::kOne, gap.high}});
}

std::optional<decltype(sim::FaultSetting::when)> build_when(const Section& section, std::string_view which,
                                                            Build& build) {
  constexpr std::array<std::string_view, 3> kWays = {"at", "on", "every"};
  std::vector<std::string_view> given;
  for (const std::string_view way : kWays)
    if (section.given(way)) given.push_back(way);
  if (given.empty()) {
    build.diagnostics.add(section.place(), "a [[fault]] needs one of `at`, `on`, `every`");
    return std::nullopt;
  }
  if (given.size() > 1) {
    build.diagnostics.add(section.key_place(given[1]),
                          fmt::format("`{}` and `{}` in one [[fault]]", given[0], given[1]),
                          "one of `at`, `on`, `every`");
    return std::nullopt;
  }
  for (const std::string_view key : {"nth", "after"})
    if (section.given(key) && !section.given("on"))
      build.diagnostics.add(section.key_place(key), fmt::format("`{}` means nothing without `on`", key));
  if (!section.good(given[0])) return std::nullopt;

  if (section.given("at")) {
    const sim::Range<Duration> at = section.durations("at");
    if (build.duration_known && at.high >= build.scenario.duration)
      build.diagnostics.add(section.place("at"),
                            fmt::format("a fault at {}, after the fault phase", print_duration(at.high)),
                            fmt::format("[sim] duration is {}", print_duration(build.scenario.duration)));
    sim::FaultSetting::At when{at.low};
    if (at.low != at.high) when.latest = at.high;
    return when;
  }
  if (section.given("on")) {
    const std::int64_t nth = section.number("nth");
    return sim::FaultSetting::On{section.text("on"), std::max<std::int64_t>(nth, 1),
                                 section.duration("after"), section.good("nth") && nth == 0};
  }
  if (std::holds_alternative<sim::Range<Duration>>(section.value("every")))
    return sim::FaultSetting::Every{evenly_between(section.durations("every"))};
  return sim::FaultSetting::Every{quantiles_of(section, "every", build, which)};
}

// It can strike more than once.
bool comes_again(const sim::FaultSetting& fault) {
  const auto* on = std::get_if<sim::FaultSetting::On>(&fault.when);
  return std::holds_alternative<sim::FaultSetting::Every>(fault.when) || (on != nullptr && on->every_time);
}

sim::Target build_target(const Section& section, const sim::FaultKind& kind, Build& build) {
  if (!section.given("target")) {
    if (sim::strikes_nodes(kind) && kind.needs_target)
      build.diagnostics.add(section.place(), fmt::format("`{}` needs a target", kind.name),
                            "like \"leader\", \"one\", \"n2\"");
    return {};
  }
  const std::vector<Word> words = section.words("target");
  if (kind.acts == sim::FaultKind::Acts::on_destinations) {
    build.diagnostics.add(section.key_place("target"), fmt::format("`{}` has no target", kind.name),
                          "`destination` says which one it strikes");
    return {};
  }
  if (kind.acts == sim::FaultKind::Acts::on_workers) {
    build.diagnostics.add(section.key_place("target"), fmt::format("`{}` has no target", kind.name),
                          "`worker` says which one it strikes");
    return {};
  }
  if (kind.acts == sim::FaultKind::Acts::on_store) {
    const std::string_view word = words.size() == 1 ? words.front().text : std::string_view{};
    const std::optional<sim::Target::Kind> target = find_target(word);
    using enum sim::Target::Kind;
    if (target == all || target == one || target == minority || target == majority) return {*target, {}};
    build.diagnostics.add(section.place("target"),
                          fmt::format("`{}` acts on stores, and takes no such target", kind.name),
                          "`all`, `one`, `minority` or `majority`, where there are several");
    return {};
  }
  if (words.size() == 1)
    if (const auto target = find_target(words.front().text)) return {*target, {}};
  sim::Target target;
  target.kind = sim::Target::Kind::named;
  if (words.empty() && section.good("target"))
    build.diagnostics.add(section.place("target"), "an empty target");
  for (const Word& word : words) {
    if (find_target(word.text)) {
      build.diagnostics.add(word.place, fmt::format("`{}` cannot be in a list", word.text),
                            "a list names instances");
      continue;
    }
    if (!looks_like_instance(word.text)) {
      build.diagnostics.add(word.place, fmt::format("unknown target `{}`", printable(word.text, 60)),
                            suggestion(word.text, target_names()));
      continue;
    }
    const std::optional<NodeId> node = find_instance(word, build);
    if (!node) continue;
    if (std::find(target.nodes.begin(), target.nodes.end(), *node) != target.nodes.end())
      build.diagnostics.add(word.place, fmt::format("`{}` is named twice", word.text));
    target.nodes.push_back(*node);
  }
  return target;
}

// What the store has not got cannot fail.
void judge_strike_at_store(const Section& section, const sim::FaultKind& kind, Build& build) {
  const sim::Scenario& scenario = build.scenario;
  const StoreKind* const engine = scenario.store.engine;
  const StoreKind* const store =
      scenario.protocol->store != nullptr ? scenario.protocol->store : scenario.scheduler->store;
  if (kind.family == sim::FaultFamily::failover && !sim::has_replica(scenario))
    build.diagnostics.add(
        section.place("action"),
        fmt::format("`{}` takes back commits, and {} has no copy without them", kind.name,
                    engine != nullptr ? engine->name : store->name),
        engine != nullptr
            ? "without `engine`, the schema runs on SQLite, which has"
            : "a majority of its servers has what it answers: a new leader of theirs is `store-down`");
  if (kind.needs_redelivery && !sim::delivers_again(scenario))
    build.diagnostics.add(section.place("action"),
                          fmt::format("`{}` delivers again, and {} delivers nothing", kind.name,
                                      engine != nullptr ? engine->name : store->name),
                          "it is for queues");
  if (kind.needs_cluster && !sim::can_part(scenario))
    build.diagnostics.add(section.place("action"),
                          fmt::format("`{}` parts the servers of a store, and {} has no such servers",
                                      kind.name, engine != nullptr ? engine->name : store->name),
                          "it is for etcd");
  if (kind.family == sim::FaultFamily::store_clock && !sim::reads_wall_clock(scenario))
    build.diagnostics.add(section.place("action"),
                          fmt::format("`{}` moves a clock that {} does not read", kind.name, store->name),
                          "what it measures goes on, whatever the wall clock shows");
}

// A store is there because somebody uses it.
void judge_store(const Section& section, const sim::FaultKind& kind, Build& build) {
  if (!build.cluster_known) return;
  const sim::Scenario& scenario = build.scenario;
  if (sim::uses_store(scenario)) return judge_strike_at_store(section, kind, build);
  const std::string why =
      fmt::format("{}{} uses no store", scenario.protocol->name,
                  scenario.scheduler == nullptr ? " without a scheduler"
                                                : fmt::format(" with {}", scenario.scheduler->name));
  const bool peers = std::any_of(kind.parameters.begin(), kind.parameters.end(),
                                 [](const sim::FaultParameterSpec& spec) { return spec.name == "peers"; });
  if (kind.acts == sim::FaultKind::Acts::on_store || kind.needs_store)
    build.diagnostics.add(section.place("action"),
                          fmt::format("`{}` acts on the store, and {}", kind.name, why),
                          scenario.protocol->design != nullptr ? "the design has no `schema`" : "");
  else if (peers && section.given("peers") && section.text("peers") == "store")
    build.diagnostics.add(section.place("peers"), why, "`instances` are the peers that there are");
}

// A destination is there because somebody sends something to it.
void judge_destination(const Section& section, const sim::FaultKind& kind, Build& build) {
  if (kind.acts != sim::FaultKind::Acts::on_destinations) return;
  if (build.scenario.destinations.empty())
    return build.diagnostics.add(section.place("action"),
                                 fmt::format("`{}` acts on destinations, and there is none", kind.name),
                                 "a [[destination]] makes one");
  if (section.given("destination") && section.good("destination") &&
      section.text("destination") != sim::kAllDestinations)
    find_destination(section, section.text("destination"), build);
}

// A worker is there because somebody has work for it.
void judge_worker(const Section& section, const sim::FaultKind& kind, Build& build) {
  if (kind.acts != sim::FaultKind::Acts::on_workers) return;
  if (build.scenario.workers.empty())
    return build.diagnostics.add(section.place("action"),
                                 fmt::format("`{}` acts on workers, and there is none", kind.name),
                                 "a [[worker]] makes one");
  if (section.given("worker") && section.good("worker")) find_worker(section, section.text("worker"), build);
}

void build_duration(const Section& section, const sim::FaultKind& kind, std::string_view which,
                    sim::FaultSetting& fault, Build& build) {
  if (!section.given("duration")) {
    if (kind.lasts && comes_again(fault))
      build.diagnostics.add(section.place(), fmt::format("`{}` needs a `duration`", kind.name),
                            "without one it lasts until the heal, and cannot come again");
    return;
  }
  if (!kind.lasts) {
    build.diagnostics.add(section.key_place("duration"),
                          fmt::format("`{}` is over at once, and takes no duration", kind.name));
    return;
  }
  if (!section.good("duration")) return;
  if (std::holds_alternative<sim::Range<Duration>>(section.value("duration"))) {
    fault.duration = section.durations("duration");
    return;
  }
  const sim::Quantiles lengths = quantiles_of(section, "duration", build, which);
  fault.duration = sim::Range<Duration>{lengths.min(), lengths.max()};
  if (!lengths.is_constant()) fault.duration_spread = lengths;
}

std::vector<sim::FaultParameter> build_parameters(const Section& section, const sim::FaultKind& kind) {
  std::vector<sim::FaultParameter> parameters;
  for (const sim::FaultParameterSpec& spec : kind.parameters) {
    if (!section.good(spec.name)) continue;
    sim::FaultParameter parameter;
    parameter.name = std::string(spec.name);
    switch (spec.type) {
      case sim::FaultParameterSpec::Type::duration: parameter.value = section.durations(spec.name); break;
      case sim::FaultParameterSpec::Type::ppm: parameter.value = section.numbers(spec.name); break;
      case sim::FaultParameterSpec::Type::fraction: parameter.value = section.number(spec.name); break;
      case sim::FaultParameterSpec::Type::choice:
      case sim::FaultParameterSpec::Type::destination:
      case sim::FaultParameterSpec::Type::worker: parameter.value = section.text(spec.name); break;
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

void build_with(const Section& section, const sim::FaultKind& kind, sim::FaultSetting& fault, Build& build) {
  if (!section.given("with")) return;
  if (kind.name != kTakesSettings) {
    build.diagnostics.add(section.key_place("with"), fmt::format("`with` means nothing to `{}`", kind.name),
                          fmt::format("it is for {}", kTakesSettings));
    return;
  }
  const Section with =
      read_section(section.item("with"), *section.spec("with").section, {}, build.diagnostics);
  const Item* election = with.item("election");
  if (election == nullptr) return;
  const SectionSpec& spec = *with.spec("election").section;
  if (build.election)
    fault.with_election = election_over(*build.election, election, spec, build).parameters;
  else
    read_section(election, spec, all_keys(OpenKeys::protocol), build.diagnostics);
}

// The action, read before the rest, because the rest depends on it; its errors are reported with the section.
const sim::FaultKind* kind_of(const Item& item) {
  const Entry* action = item.find("action");
  return action != nullptr && action->item.kind == Item::Kind::text ? sim::find_fault_kind(action->item.text)
                                                                    : nullptr;
}

void build_fault(const Item& item, std::uint64_t ordinal, Build& build) {
  const sim::FaultKind* kind = kind_of(item);
  const std::vector<KeySpec> keys = kind == nullptr ? all_keys(OpenKeys::fault) : keys_of(kind->parameters);
  // Parameters of an unknown action are not demanded.
  std::vector<KeySpec> demanded = keys;
  if (kind == nullptr)
    for (KeySpec& key : demanded) key.required = false;
  const Section section = read_section(&item, *build.file.spec("fault").section, demanded, build.diagnostics);
  sim::FaultSetting fault;
  fault.id = section.given("id") ? section.id("id") : ordinal;
  fault.line = item.place.line;
  fault.entry = ordinal;
  fault.action = section.text("action");
  const std::string which = fmt::format("{} ", ordinal);
  const auto when = build_when(section, which, build);
  if (when) fault.when = *when;
  if (kind == nullptr) {
    if (section.given("action") && section.good("action")) {
      std::vector<std::string_view> names;
      for (const sim::FaultKind& known : sim::fault_kinds()) names.push_back(known.name);
      build.diagnostics.add(section.place("action"), fmt::format("unknown action `{}`", fault.action),
                            format::closest(fault.action, names) ? suggestion(fault.action, names)
                                                                 : "`tenure list faults` lists them");
    }
    return;
  }
  judge_store(section, *kind, build);
  judge_destination(section, *kind, build);
  judge_worker(section, *kind, build);
  fault.target = build_target(section, *kind, build);
  build_duration(section, *kind, which, fault, build);
  fault.optional = section.flag("optional");
  fault.parameters = build_parameters(section, *kind);
  if (fault.parameters.size() < kind->parameters.size()) build.faults_known = false;
  build_with(section, *kind, fault, build);
  build.scenario.faults.push_back(std::move(fault));
}

}  // namespace

void build_faults(Build& build) {
  std::uint64_t ordinal = 0;
  for (const Item& item : build.tables("fault")) {
    if (build.diagnostics.full()) return;
    build_fault(item, ++ordinal, build);
  }

  std::set<std::uint64_t> ids;
  for (const sim::FaultSetting& fault : build.scenario.faults) {
    Place place;
    place.line = fault.line;
    place.column = 1;
    if (!ids.insert(fault.id).second)
      build.diagnostics.add(place, fmt::format("two faults have the id {}", print_permanent_id(fault.id)),
                            "without an `id`, a fault's is its place in the file");
  }
}

}  // namespace tenure::format
