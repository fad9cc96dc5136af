// [[worker]]: who claims events of schedules with `delivery = "pull"`.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "sim/scenario/worker_processes.h"

namespace tenure::format {
namespace {

bool pulls_events(const sim::Scenario& scenario, const std::string& topic) {
  const auto pulls = [](const auto& each) { return each.definition.delivery.kind == Delivery::Kind::pull; };
  const auto has_it = [&](const auto& each) { return each.payload.topic == topic && pulls(each); };
  const auto makes_it = [&](const sim::ChangeSetting& each) {
    return has_it(each) && (topic.empty() || each.action == sim::ChangeAction::create);
  };
  return std::ranges::any_of(scenario.schedules, has_it) || std::ranges::any_of(scenario.changes, makes_it);
}

sim::WorkerSetting read_worker(const Section& section, Build& build) {
  sim::WorkerSetting setting;
  setting.name = section.text("name");
  if (section.given("topic")) setting.topic = section.text("topic");
  setting.count = section.number("count");
  setting.concurrent = section.number("concurrent");
  setting.claim = section.duration("claim");
  setting.heartbeat = section.duration("heartbeat");
  setting.poll = section.duration("poll");
  setting.timeout = section.duration("timeout");
  setting.duration = quantiles_of(section, "duration", build, setting.name + " ");
  setting.failing_ppm = section.number("failing");
  if (setting.claim.ns() % Duration::micros(1).ns() != 0)
    build.diagnostics.add(section.place("claim"), "a claim lasts for whole microseconds",
                          "so does the clock of the store");
  return setting;
}

}  // namespace

void build_workers(Build& build) {
  std::vector<std::string> known;
  for (const Item& item : build.tables("worker")) {
    const Section section = read_section(&item, *build.file.spec("worker").section, {}, build.diagnostics);
    std::vector<sim::WorkerSetting> read = {read_worker(section, build)};
    if (read.front().name.empty()) continue;
    if (read.front().name == sim::kAllWorkers)
      build.diagnostics.add(section.place("name"), "no worker can be called `all`",
                            "faults mean all of them by that");
    std::vector<std::string> names = {read.front().name};
    if (read.front().count > 1)
      for (const sim::WorkerProcess& process : sim::worker_processes(read)) names.push_back(process.name);
    const auto taken = std::ranges::find_first_of(names, known);
    if (taken != names.end()) {
      build.diagnostics.add(section.place("name"), fmt::format("there is a worker `{}` already", *taken));
      continue;
    }
    const std::string& topic = read.front().topic;
    if (build.cluster_known && build.schedules_known && !pulls_events(build.scenario, topic))
      build.diagnostics.add(section.place(),
                            topic.empty()
                                ? "nobody has work for a worker"
                                : fmt::format("nobody has work for a worker of the topic `{}`", topic),
                            topic.empty() ? "a [[schedule]] with `delivery = \"pull\"` has"
                                          : "a [[schedule]] with `delivery = \"pull\"` and that topic has");
    known.insert(known.end(), names.begin(), names.end());
    build.scenario.workers.push_back(std::move(read.front()));
  }
}

void find_worker(const Section& section, std::string_view name, Build& build) {
  const std::vector<sim::WorkerProcess> processes = sim::worker_processes(build.scenario.workers);
  const auto is_meant = [name](const sim::WorkerProcess& process) { return process.is_meant_by(name); };
  if (std::ranges::any_of(processes, is_meant)) return;
  std::vector<std::string_view> names;
  for (const sim::WorkerProcess& process : processes) names.push_back(process.name);
  build.diagnostics.add(section.place("worker"), fmt::format("unknown worker `{}`", printable(name, 60)),
                        suggestion(name, names));
}

}  // namespace tenure::format
