// [sim], [cluster], [[instance]], [election], [scheduling], [store], [network], [work].

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/journal/kinds.h"
#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

// "commit_fires" as journals have it.
std::string with_hyphens(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

void lay_over(const Item* item, const SectionSpec& spec, sim::ClockSetting& clock, Diagnostics& diagnostics) {
  const Section section = read_section(item, spec, {}, diagnostics);
  if (section.given("offset")) clock.offset = section.durations("offset");
  if (section.given("rate_ppm")) clock.rate_ppm = section.numbers("rate_ppm");
}

// What the section gives, into `source`.
void take_parameters(const Section& section, Build::ParameterSource& source) {
  const std::span<const ParameterSpec> specs = source.parameters.specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string_view name = specs[i].name;
    if (!section.given(name)) continue;
    source.places.insert_or_assign(std::string(name), section.place(name));
    if (!section.good(name)) {
      source.good = false;
      continue;
    }
    std::int64_t value = 0;
    switch (specs[i].type) {
      case ParameterSpec::Type::duration: value = section.duration(name).ns(); break;
      case ParameterSpec::Type::count:
      case ParameterSpec::Type::ppm: value = section.number(name); break;
      case ParameterSpec::Type::boolean: value = section.flag(name) ? 1 : 0; break;
      case ParameterSpec::Type::choice: {
        const auto names = specs[i].choices;
        value = std::find(names.begin(), names.end(), section.text(name)) - names.begin();
        break;
      }
    }
    source.parameters.set(static_cast<int>(i), value);
  }
}

// Ill-formed settings are errors at once; unsafe ones wait for judge_unsafe.
template <class Kind>
void validate(const Kind& kind, const Build::ParameterSource& source, Build::UnsafePart& part, Build& build) {
  if (!source.good) {
    build.parameters_known = false;
    return;
  }
  const std::vector<Complaint> complaints = kind.validate(source.parameters);
  for (const Complaint& complaint : complaints) {
    const auto place = source.places.find(complaint.parameter);
    const Place at = place == source.places.end() ? source.otherwise : place->second;
    if (complaint.accept.empty())
      build.diagnostics.add(at, complaint.text);
    else
      part.settings.push_back({at, std::string(complaint.accept), complaint.text, complaint.warning});
  }
}

void build_election(const Place& protocol_place, Build& build) {
  const std::vector<KeySpec> keys = keys_of(build.scenario.protocol->parameters());
  const Section section = build.section("election", keys);
  Build::ParameterSource source{Parameters(build.scenario.protocol->parameters()), {}, protocol_place, true};
  if (build.file.given("election")) source.otherwise = section.place();
  take_parameters(section, source);
  validate(*build.scenario.protocol, source, build.unsafe_election, build);
  build.unsafe_election.accepted = section.words("accept");
  build.election = std::move(source);
}

void build_scheduling(const Place& scheduler_place, Build& build) {
  const SchedulerKind* kind = build.scenario.scheduler;
  if (kind == nullptr) {
    const Item* given = build.file.item("scheduling");
    if (given != nullptr && !given->entries.empty())
      build.diagnostics.add(build.file.place("scheduling"), "there is no scheduler to give parameters to",
                            "the scheduler is `none`");
    return;
  }
  const std::vector<KeySpec> keys = keys_of(kind->parameters());
  const Section section = build.section("scheduling", keys);
  Build::ParameterSource source{Parameters(kind->parameters()), {}, scheduler_place, true};
  if (build.file.given("scheduling")) source.otherwise = section.place();
  take_parameters(section, source);
  validate(*kind, source, build.unsafe_scheduling, build);
  build.unsafe_scheduling.accepted = section.words("accept");
  build.scenario.scheduling = source.parameters;
  build.scheduling = std::move(source);
}

}  // namespace

void build_sim(Build& build) {
  const Section sim = build.section("sim");
  sim::Scenario& scenario = build.scenario;
  if (sim.given("seed") && sim.good("seed")) scenario.seed = static_cast<std::uint64_t>(sim.number("seed"));
  scenario.start_ns = sim.number("start");
  scenario.duration = sim.duration("duration");
  scenario.tail = sim.duration("tail");
  build.duration_known = sim.good("duration") && sim.good("tail");
  build.tail_place = sim.place("tail");
  build.start_known = sim.good("start");
  scenario.tzdb = sim.text("tzdb");
  if (sim.good("tzdb") && scenario.tzdb != build.zones.version())
    build.diagnostics.add(sim.place("tzdb"),
                          fmt::format("the time zone database here is {}, and the scenario needs {}",
                                      build.zones.version(), scenario.tzdb),
                          "another version may have other slots");
}

void build_cluster(Build& build) {
  const Section cluster = build.section("cluster");
  sim::Scenario& scenario = build.scenario;
  build_protocol(cluster, build);
  scenario.start_spread = cluster.durations("start_spread");
  if (scenario.start_spread.low == scenario.start_spread.high) scenario.start_spread.low = {};
  if (build.duration_known && scenario.start_spread.high > scenario.duration)
    build.diagnostics.add(cluster.place("start_spread"), "instances would start after the fault phase");
  scenario.departure = quantiles_of(cluster, "departure", build);
  sim::ClockSetting clock;
  lay_over(cluster.item("clock"), *cluster.spec("clock").section, clock, build.diagnostics);

  if (scenario.protocol != nullptr)
    build_election(build.protocol_place, build);
  else if (build.parameters_known = false; !build.design_unread)
    build.section("election", all_keys(OpenKeys::protocol));
  if (cluster.good("scheduler") && !build.scheduler_unread &&
      (scenario.scheduler != nullptr || cluster.text("scheduler") == "none"))
    build_scheduling(build.scheduler_place, build);
  else if (!build.scheduler_unread)
    build.section("scheduling", all_keys(OpenKeys::scheduler));

  const Parameters parameters = build.election ? build.election->parameters : Parameters{{}};
  for (std::int64_t i = 0; i < cluster.number("instances"); ++i)
    scenario.instances.push_back({clock, parameters});
}

std::optional<NodeId> find_instance(const Word& word, Build& build) {
  const auto count = static_cast<std::int64_t>(build.scenario.instances.size());
  const std::string_view text = word.text;
  if (text.starts_with('n') && text.size() > 1 && text[1] != '0') {
    const Parsed<std::int64_t> number = parse_decimal(text.substr(1), 0);
    const bool plain = text.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (plain && number.value && *number.value <= count)
      return NodeId{static_cast<std::uint32_t>(*number.value - 1)};
  }
  if (count > 0)
    build.diagnostics.add(word.place, fmt::format("unknown instance `{}`", printable(text, 60)),
                          count == 1 ? "the only one is n1" : fmt::format("they are n1 … n{}", count));
  return std::nullopt;
}

Build::ParameterSource election_over(const Build::ParameterSource& base, const Item* item,
                                     const SectionSpec& spec, Build& build) {
  const std::vector<KeySpec> keys = keys_of(build.scenario.protocol->parameters());
  const Section section = read_section(item, spec, keys, build.diagnostics);
  Build::ParameterSource source = base;
  if (item != nullptr) source.otherwise = section.place();
  take_parameters(section, source);
  validate(*build.scenario.protocol, source, build.unsafe_election, build);
  return source;
}

void build_instances(Build& build) {
  std::map<NodeId, Place> seen;
  for (const Item& item : build.tables("instance")) {
    const Section section = read_section(&item, *build.file.spec("instance").section, {}, build.diagnostics);
    const Item* election = section.item("election");
    std::optional<Parameters> parameters;
    if (election != nullptr && build.election)
      parameters =
          election_over(*build.election, election, *section.spec("election").section, build).parameters;
    else if (election != nullptr && !build.design_unread)
      read_section(election, *section.spec("election").section, all_keys(OpenKeys::protocol),
                   build.diagnostics);
    sim::ClockSetting checked;
    lay_over(section.item("clock"), *section.spec("clock").section, checked, build.diagnostics);
    if (section.good("names") && section.given("names") && section.words("names").empty())
      build.diagnostics.add(section.place("names"), "an [[instance]] without names",
                            "name some, like \"n3\"");

    for (const Word& word : section.words("names")) {
      const std::optional<NodeId> node = find_instance(word, build);
      if (!node) continue;
      if (!seen.emplace(*node, word.place).second) {
        build.diagnostics.add(word.place, fmt::format("`{}` has an [[instance]] already", word.text),
                              fmt::format("in line {}", seen.at(*node).line));
        continue;
      }
      sim::InstanceSetting& instance = build.scenario.instances[node->value];
      Diagnostics told_already({}, {}, {});
      lay_over(section.item("clock"), *section.spec("clock").section, instance.clock, told_already);
      if (parameters) instance.election = *parameters;
    }
  }
}

namespace {

// What the reference store runs on; the machine itself goes without saying.
const StoreKind* engine_of(const Section& store, Build& build) {
  if (!store.good("engine") || store.text("engine") == "machine") return nullptr;
  const std::string name = store.text("engine");
  const auto found = std::find_if(build.engines.begin(), build.engines.end(),
                                  [&](const StoreKind& k) { return k.name == name; });
  if (found == build.engines.end()) {
    std::vector<std::string_view> names = {"machine"};
    for (const StoreKind& engine : build.engines) names.push_back(engine.name);
    build.diagnostics.add(store.place("engine"), fmt::format("unknown engine `{}`", printable(name, 60)),
                          suggestion(name, names));
    return nullptr;
  }
  const sim::Scenario& scenario = build.scenario;
  const auto runs = [found](const StoreKind* kind) {
    if (kind == nullptr) return false;
    return kind->schema.empty() ? kind->may_run_on_engines && found->make != nullptr
                                : found->with_schema != nullptr;
  };
  const bool of_elector = scenario.protocol != nullptr && runs(scenario.protocol->store);
  const bool of_scheduler = scenario.scheduler != nullptr && runs(scenario.scheduler->store);
  if (build.cluster_known && !of_elector && !of_scheduler)
    build.diagnostics.add(store.place("engine"), "an engine without a store that could run on it",
                          found->make == nullptr
                              ? fmt::format("{} runs the schemas of designs, and there is none", found->name)
                              : "neither the protocol nor the scheduler uses one");
  return &*found;
}

// A schema that our own engine refuses runs as it stands on one that has its own parser.
void judge_schema(const StoreKind* kind, const Place& place, Build& build) {
  if (kind == nullptr || kind->schema.empty() || kind->make != nullptr) return;
  const StoreKind* const engine = build.scenario.store.engine;
  if (engine != nullptr && engine->with_schema != nullptr && engine->with_schema(kind->schema) != nullptr)
    return;
  build.diagnostics.add(place, "schema: " + printable(build.designs->refusal_of(*kind), 200),
                        "[store] engine = \"postgres\" takes all that Postgres does");
}

void judge_schemas(Build& build) {
  const sim::Scenario& scenario = build.scenario;
  if (scenario.joint_store != nullptr)
    return judge_schema(scenario.joint_store, build.scheduler_place, build);
  if (scenario.protocol != nullptr) judge_schema(scenario.protocol->store, build.protocol_place, build);
  const bool its_own =
      scenario.scheduler != nullptr &&
      (scenario.protocol == nullptr || scenario.scheduler->store != scenario.protocol->store);
  if (its_own) judge_schema(scenario.scheduler->store, build.scheduler_place, build);
}

void build_work_program(const Section& work, Build& build) {
  sim::ProgramSetting& program = build.scenario.work.program;
  program.warmup = work.duration("warmup");
  program.startup = work.duration("startup");
  program.exits_on_loss = work.text("on_loss") == "exit";
  program.restart_backoff = work.duration("restart_backoff");
  program.longest_backoff = work.duration("restart_backoff_max");
  if (!program.exits_on_loss) {
    for (const char* key : {"restart_backoff", "restart_backoff_max"})
      if (work.given(key))
        build.diagnostics.add(work.place(key), fmt::format("{} without a process that exits", key),
                              "on_loss = \"exit\"");
    return;
  }
  if (program.restart_backoff > program.longest_backoff)
    build.diagnostics.add(work.place("restart_backoff"),
                          "restart_backoff must be no longer than restart_backoff_max");
  const ElectorKind* const protocol = build.scenario.protocol;
  if (protocol != nullptr && protocol->goes_round)
    build.diagnostics.add(
        work.place("on_loss"),
        fmt::format("with {} leadership goes round: a leader that hands it on has lost nothing",
                    protocol->name));
}

}  // namespace

void build_surroundings(Build& build) {
  sim::Scenario& scenario = build.scenario;
  const Section store = build.section("store");
  scenario.store.engine = engine_of(store, build);
  if (store.good("engine")) judge_schemas(build);
  scenario.store.latency = quantiles_of(store, "latency", build);
  scenario.store.notification = quantiles_of(store, "notification", build);
  const SectionSpec& kinds = *store.spec("latency_of").section;
  const Section latency_of = read_section(store.item("latency_of"), kinds, {}, build.diagnostics);
  for (const KeySpec& key : kinds.keys) {
    const auto kind = std::find(journal::kRequestKinds.begin(), journal::kRequestKinds.end(),
                                with_hyphens(std::string(key.name)));
    if (latency_of.given(key.name))
      scenario.store.latency_of[static_cast<std::size_t>(kind - journal::kRequestKinds.begin())] =
          quantiles_of(latency_of, key.name, build);
  }
  lay_over(store.item("clock"), *store.spec("clock").section, scenario.store.clock, build.diagnostics);
  const Section capacity =
      read_section(store.item("capacity"), *store.spec("capacity").section, {}, build.diagnostics);
  scenario.store.concurrent = capacity.number("concurrent");
  scenario.store.queue = capacity.number("queue");

  const Section network = build.section("network");
  scenario.network.latency = quantiles_of(network, "latency", build);
  scenario.network.loss_ppm = network.number("loss");

  const Section work = build.section("work");
  scenario.work.duration = quantiles_of(work, "duration", build);
  scenario.work.check_every = work.duration("check_every");
  scenario.work.stop_latency = work.duration("stop_latency");
  scenario.work.fenced = work.flag("fenced");
  scenario.work.honours_event_id = work.flag("idempotent");
  scenario.work.failing_ppm = work.number("failing");
  build_work_program(work, build);
}

}  // namespace tenure::format
