#include "tests/judge/histories.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "format/parse/parse.h"
#include "lab/hunt/swarm.h"
#include "sim/protocols/registry.h"
#include "tests/judge/beside.h"
#include "tests/scenarios/library.h"

namespace tenure::judging {
namespace {

constexpr const char* kFiles[] = {
    "scenarios/hunt",
    "scenarios/schedules/hunt-minute",
    "scenarios/election/hunt-elections",
    "scenarios/delivery/hunt-deliveries",
    "scenarios/executions/placement-pause",
    "tests/mutants/scenarios/policies",
    "tests/mutants/scenarios/deliveries",
    "tests/mutants/scenarios/executions",
};

bool fit(const ElectorKind& protocol, const SchedulerKind& scheduler) {
  return scheduler.fires() &&
         (!scheduler.needs_tokens || (protocol.has_tokens && protocol.store == scheduler.store));
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// `idempotent`: the resource begins an event once.
Source mixed(const ElectorKind& protocol, const SchedulerKind& scheduler, bool idempotent) {
  const format::Override sets[] = {{"cluster.protocol", std::string(protocol.name)},
                                   {"cluster.scheduler", std::string(scheduler.name)},
                                   {"work.idempotent", idempotent ? "true" : "false"},
                                   {"sim.tail", "5m"},
                                   {.key = "expect", .value = {}, .leaves_out = true}};
  const std::string path = TENURE_SOURCE_DIR "/scenarios/schedules/hunt-minute.toml";
  const format::ParseResult parsed = format::parse_scenario(path, text_of(path), sets);
  CHECK(parsed.scenario.has_value(), "the file has no mistakes");
  const char* const how = idempotent ? "" : "_not_idempotent";
  return {fmt::format("{}_{}{}", protocol.name, scheduler.name, how), lab::as_hunted(parsed.file())};
}

std::vector<Source> make_sources() {
  std::vector<Source> all;
  for (const std::string file : kFiles) {
    const std::string path = fmt::format("{}/{}.toml", TENURE_SOURCE_DIR, file);
    all.push_back({file.substr(file.rfind('/') + 1), lab::as_hunted(sim::file_at(path))});
  }
  for (const ElectorKind& protocol : elector_kinds())
    for (const SchedulerKind& scheduler : scheduler_kinds())
      for (const bool idempotent : {true, false})
        if (fit(protocol, scheduler)) all.push_back(mixed(protocol, scheduler, idempotent));
  for (Source& source : all) std::replace(source.name.begin(), source.name.end(), '-', '_');
  return all;
}

}  // namespace

const std::vector<Source>& sources() {
  static const std::vector<Source> kAll = make_sources();
  return kAll;
}

std::vector<Forgery> all_forgeries() {
  std::vector<Forgery> all;
  for (const auto some : {forgeries_of_leaders(), forgeries_of_work(), forgeries_of_deliveries()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

void for_each_history(std::uint64_t seed, const Look& look) {
  for (const Source& source : sources()) {
    const sim::Scenario scenario = lab::draw_case(source.file, seed).scenario;
    const History real = simulate(scenario, seed);
    const std::string of = fmt::format("{} {}", source.name, seed);
    look({scenario, real}, of, "");
    for (const Forgery& forgery : all_forgeries()) {
      History forged = real;
      if (forgery.forge(forged, mix64(seed, 77))) look({scenario, forged}, of, forgery.name);
    }
  }
}

}  // namespace tenure::judging
