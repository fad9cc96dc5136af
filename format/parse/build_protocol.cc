// What elects, and what schedules: [cluster] protocol and scheduler, or programs in their place.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "sim/protocols/registry.h"

namespace tenure::format {
namespace {

template <class Kind>
std::vector<std::string_view> names_of(std::span<const std::reference_wrapper<const Kind>> kinds) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  return names;
}

// Who reads a design knows no checkers.
void judge_claims(const std::vector<Claim>& claims, const Place& place, Build& build) {
  for (const Claim& claim : claims) {
    if (sim::find_checker_kind(claim.invariant) == nullptr)
      build.diagnostics.add(
          place,
          fmt::format("the design claims `{}`, which no checker checks", printable(claim.invariant, 60)),
          suggestion(claim.invariant, checker_names()));
  }
}

bool names_design(const Section& cluster, std::string_view key, const Build& build) {
  return build.designs != nullptr && cluster.good(key) && build.designs->names_one(cluster.text(key));
}

// A file by its name, and a program, whose `design` is a folder, by what it calls itself.
std::string shown(const sim::DesignFiles::Found& found, const std::string& design,
                  const std::vector<std::string>& command) {
  if (!command.empty() && found.kind != nullptr) return std::string(found.kind->name);
  if (!command.empty() && found.scheduler != nullptr) return std::string(found.scheduler->name);
  return printable(design, 60);
}

// Of one that is named twice, once.
void take_warnings(const sim::DesignFiles::Found& found, sim::Scenario& scenario) {
  for (const std::string& warning : found.warnings)
    if (std::find(scenario.warnings.begin(), scenario.warnings.end(), warning) == scenario.warnings.end())
      scenario.warnings.push_back(warning);
}

// What a user brought as the protocol, named at `place`.
void take_design(sim::DesignFiles::Found found, const std::string& name, const Place& place, Build& build) {
  sim::Scenario& scenario = build.scenario;
  take_warnings(found, scenario);
  if (found.kind == nullptr && found.problem.empty())
    found.problem = fmt::format("`{}` is a scheduler alone", shown(found, name, scenario.command));
  if (found.kind == nullptr) {
    build.diagnostics.add(place, found.problem, found.hint);
    build.design_unread = true;
    return;
  }
  scenario.protocol = found.kind;
  scenario.design = name;
  judge_claims(found.kind->claims(), place, build);
}

// How a scheduler is named.
struct SchedulerName {
  std::string design;         // as `Scenario::scheduler_design`
  bool elects_too = false;    // the scenario has the same design as its protocol
  bool told_already = false;  // that design is named twice, and what is wrong with it is told once
};

// Whether there is one.
bool take_scheduler(sim::DesignFiles::Found found, const SchedulerName& name, const Place& place,
                    Build& build) {
  sim::Scenario& scenario = build.scenario;
  const std::string who = shown(found, name.design, scenario.scheduler_command);
  take_warnings(found, scenario);
  if (found.scheduler == nullptr && found.problem.empty()) {
    found.problem = fmt::format("`{}` is an election alone", who);
    found.hint = "a design with `role = \"scheduler\"`";
  } else if (found.kind != nullptr && found.scheduler != nullptr && !name.elects_too) {
    found.problem = fmt::format("`{}` elects and schedules in one program", who);
    found.hint = scenario.scheduler_command.empty() ? fmt::format("protocol = \"{}\", too", who)
                                                    : "`node` with the same command, too";
    found.scheduler = nullptr;
  }
  if (found.scheduler == nullptr) {
    if (!name.told_already) build.diagnostics.add(place, found.problem, found.hint);
    build.scheduler_unread = true;
    return false;
  }
  scenario.scheduler = found.scheduler;
  scenario.scheduler_design = name.design;
  judge_claims(found.scheduler->claims(), place, build);
  return true;
}

bool build_scheduler_design(const Section& cluster, Build& build) {
  const sim::Scenario& scenario = build.scenario;
  const std::string name = cluster.text("scheduler");
  return take_scheduler(build.designs->find(name, scenario.path),
                        {name, scenario.design == name && scenario.command.empty(),
                         build.design_unread && cluster.text("protocol") == name},
                        cluster.place("scheduler"), build);
}

// Two designs with a schema each share one database, as they would in production.
void join_stores(Build& build) {
  sim::Scenario& scenario = build.scenario;
  if (scenario.protocol == nullptr || scenario.scheduler == nullptr) return;
  const StoreKind* const one = scenario.protocol->store;
  const StoreKind* const other = scenario.scheduler->store;
  if (one == nullptr || other == nullptr || one == other || one->schema.empty() || other->schema.empty())
    return;
  std::string problem;
  scenario.joint_store = build.designs->join(*one, *other, problem);
  if (scenario.joint_store == nullptr)
    build.diagnostics.add(build.scheduler_place,
                          "the schemas of the two designs make no database: " + printable(problem, 120));
}

// A design shows its tokens to the resource alone; our own scheduler shows them to the store that granted them.
bool has_needed_tokens(const sim::Scenario& scenario) {
  if (scenario.scheduler == nullptr || scenario.protocol == nullptr || !scenario.scheduler->needs_tokens)
    return true;
  if (!scenario.protocol->has_tokens) return false;
  return scenario.scheduler->design != nullptr || scenario.protocol->store == scenario.scheduler->store;
}

bool is_meant_for_a_file(std::string_view name, const Build& build) {
  return build.designs != nullptr && name.find_first_of("./") != std::string_view::npos;
}

// { command = […], folder = "…" }
struct NamedProgram {
  std::vector<std::string> command;
  std::string folder;
  Place place;
};

// What is given at `key`, in place of `otherwise`. nullopt: nothing good.
std::optional<NamedProgram> read_program(const Section& cluster, std::string_view key,
                                         std::string_view otherwise, Build& build) {
  const Section node = read_section(cluster.item(key), *cluster.spec(key).section, {}, build.diagnostics);
  const auto refuse = [&](const Place& place, std::string problem, std::string hint) {
    build.diagnostics.add(place, std::move(problem), std::move(hint));
    return std::nullopt;
  };
  if (cluster.given(otherwise))
    return refuse(cluster.place(key), fmt::format("a `{}` and a `{}`", otherwise, key),
                  key == "node" ? "one of them elects the leader" : "one of them does the leader's work");
  if (!node.given("command") || !node.good("command") || !node.good("folder")) return std::nullopt;
  NamedProgram program{{}, node.text("folder"), node.place("command")};
  for (const Word& word : node.words("command")) program.command.push_back(word.text);
  if (program.command.empty() || program.command.front().empty())
    return refuse(program.place, "a `command` without a program", "[\"python3\", \"my_node.py\"]");
  if (build.designs == nullptr)
    return refuse(cluster.place(key), "no program is started here", fmt::format("give a `{}`", otherwise));
  return program;
}

void build_node_program(const Section& cluster, Build& build) {
  sim::Scenario& scenario = build.scenario;
  const auto program = read_program(cluster, "node", "protocol", build);
  build.design_unread = !program;
  if (!program) return;
  scenario.command = program->command;
  sim::DesignFiles::Found found =
      build.designs->find_program(program->command, program->folder, scenario.path);
  const bool whole = found.kind != nullptr && found.scheduler != nullptr;
  take_design(std::move(found), program->folder, program->place, build);
  if (whole && !cluster.given("scheduler_node"))
    build.diagnostics.add(build.scheduler_place,
                          fmt::format("`{}` elects and schedules in one program", scenario.protocol->name),
                          "`scheduler_node` with the same command, too");
}

// Whether there is one.
bool build_scheduler_program(const Section& cluster, Build& build) {
  sim::Scenario& scenario = build.scenario;
  const auto program = read_program(cluster, "scheduler_node", "scheduler", build);
  build.scheduler_unread = !program;
  if (!program) return false;
  scenario.scheduler_command = program->command;
  const bool same = program->command == scenario.command && program->folder == scenario.design;
  return take_scheduler(build.designs->find_program(program->command, program->folder, scenario.path),
                        {program->folder, same, build.design_unread && program->command == scenario.command},
                        program->place, build);
}

void build_named_protocol(const Section& cluster, Build& build) {
  sim::Scenario& scenario = build.scenario;
  if (!cluster.good("protocol")) return;
  const std::string text = cluster.text("protocol");
  if (names_design(cluster, "protocol", build)) {
    const sim::DesignFiles::Found found = build.designs->find(text, scenario.path);
    take_design(found, text, cluster.place("protocol"), build);
    if (found.kind != nullptr && found.scheduler != nullptr && cluster.text("scheduler") != text)
      build.diagnostics.add(cluster.place("scheduler"),
                            fmt::format("`{}` elects and schedules in one program", scenario.protocol->name),
                            fmt::format("scheduler = \"{}\", too", text));
    return;
  }
  const bool own = build.own_protocol != nullptr && build.own_protocol->name == text;
  scenario.protocol = own ? build.own_protocol : find_elector_kind(text);
  if (scenario.protocol == nullptr)
    build.diagnostics.add(
        cluster.place("protocol"), fmt::format("unknown protocol `{}`", printable(text, 60)),
        is_meant_for_a_file(text, build)
            ? "a design is a file whose name ends in `.lua`; a program in another language is "
              "given in place of a protocol: node = { command = [\"python3\", \"my_node.py\"] }"
            : suggestion(text, names_of(elector_kinds())));
}

// Whether it is good. `none` is.
bool build_scheduler(const Section& cluster, Build& build) {
  if (cluster.given("scheduler_node")) return build_scheduler_program(cluster, build);
  if (!cluster.good("scheduler")) return false;
  const std::string name = cluster.text("scheduler");
  if (name == "none") return true;
  if (names_design(cluster, "scheduler", build)) return build_scheduler_design(cluster, build);
  build.scenario.scheduler = find_scheduler_kind(name);
  if (build.scenario.scheduler != nullptr) return true;
  std::vector<std::string_view> names = names_of(scheduler_kinds());
  names.push_back("none");
  build.diagnostics.add(
      cluster.place("scheduler"), fmt::format("unknown scheduler `{}`", printable(name, 60)),
      is_meant_for_a_file(name, build)
          ? "a scheduler of your own is a file whose name ends in `.lua`; a program in another language is "
            "given "
            "in place of a scheduler: scheduler_node = { command = [\"python3\", \"my_poller.py\"] }"
          : suggestion(name, names));
  return false;
}

}  // namespace

void build_protocol(const Section& cluster, Build& build) {
  sim::Scenario& scenario = build.scenario;
  build.protocol_place = cluster.place(cluster.given("node") ? "node" : "protocol");
  build.scheduler_place = cluster.place(cluster.given("scheduler_node") ? "scheduler_node" : "scheduler");
  if (cluster.given("node"))
    build_node_program(cluster, build);
  else if (cluster.given("protocol"))
    build_named_protocol(cluster, build);
  else if (build.file.given("cluster") && !cluster.meant("protocol"))
    build.diagnostics.add(cluster.place(), "missing key `protocol` in [cluster]",
                          std::string(cluster.spec("protocol").doc));
  const bool known = build_scheduler(cluster, build);
  if (!cluster.good("scheduler")) return;
  const Place& place = build.scheduler_place;
  join_stores(build);
  const bool fits = has_needed_tokens(scenario);
  if (!fits)
    build.diagnostics.add(place,
                          fmt::format("scheduler `{}` needs tokens{}, and protocol `{}` has none",
                                      scenario.scheduler_design.empty() || !scenario.scheduler_command.empty()
                                          ? scenario.scheduler->name
                                          : scenario.scheduler_design,
                                      scenario.scheduler->design != nullptr
                                          ? ""
                                          : fmt::format(" of the {} store", scenario.scheduler->store->name),
                                      scenario.protocol->name),
                          "a scheduler that needs none: `tenure list schedulers`");
  const bool one_program = !scenario.design.empty() && scenario.design == scenario.scheduler_design &&
                           scenario.command == scenario.scheduler_command;
  if (scenario.scheduler != nullptr && scenario.protocol != nullptr &&
      scenario.protocol->make_node != nullptr && !one_program)
    build.diagnostics.add(place, fmt::format("protocol `{}` is a whole node", scenario.protocol->name),
                          "it takes no scheduler: `none`");
  build.cluster_known = scenario.protocol != nullptr && known && fits && cluster.good("instances");
}

}  // namespace tenure::format
