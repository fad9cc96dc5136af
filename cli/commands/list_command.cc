#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cli/commands/commands.h"
#include "cli/load.h"
#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "core/store/store_kind.h"
#include "format/syntax/units.h"
#include "sim/checkers/checker.h"
#include "sim/faults/registry.h"
#include "sim/protocols/registry.h"
#include "sim/scenario/names.h"
#include "sim/stores/registry.h"
#include "sim/world/record.h"

namespace tenure::cli {
namespace {

struct ListLine {
  std::string name;
  std::string text;
  bool detail = false;  // belongs to the row before
};

void print(std::string_view title, const std::vector<ListLine>& rows, Streams& streams) {
  std::size_t width = 0;
  for (const ListLine& row : rows) width = std::max(width, row.name.size() + (row.detail ? 2 : 0));
  streams.out << painted(title, Colour::bold, streams.paint_out) << "\n";
  for (const ListLine& row : rows) {
    const std::string name = (row.detail ? "    " : "  ") + row.name;
    streams.out << (row.text.empty() ? name : fmt::format("{:<{}}  {}", name, width + 2, row.text)) << "\n";
  }
}

std::string default_of(const ParameterSpec& spec) {
  switch (spec.type) {
    case ParameterSpec::Type::duration: return print_duration(Duration::nanos(spec.default_value));
    case ParameterSpec::Type::boolean: return spec.default_value != 0 ? "true" : "false";
    case ParameterSpec::Type::choice:
      return std::string(spec.choices[static_cast<std::size_t>(spec.default_value)]);
    case ParameterSpec::Type::count:
    case ParameterSpec::Type::ppm: break;
  }
  return fmt::format("{}", spec.default_value);
}

void add_parameters(std::span<const ParameterSpec> parameters, std::vector<ListLine>& rows) {
  for (const ParameterSpec& spec : parameters)
    rows.push_back({std::string(spec.name), fmt::format("{} ({})", spec.doc, default_of(spec)), true});
}

void list_protocols(Streams& streams) {
  std::vector<ListLine> rows;
  for (const ElectorKind& kind : elector_kinds()) {
    rows.push_back({std::string(kind.name), std::string(kind.summary), false});
    add_parameters(kind.parameters(), rows);
  }
  print("protocols", rows, streams);
}

void list_schedulers(Streams& streams) {
  std::vector<ListLine> rows;
  for (const SchedulerKind& kind : scheduler_kinds()) {
    rows.push_back({std::string(kind.name), std::string(kind.summary), false});
    add_parameters(kind.parameters(), rows);
  }
  print("schedulers", rows, streams);
}

void list_stores(Streams& streams) {
  std::vector<ListLine> rows;
  for (const StoreKind* kind : store_kinds())
    rows.push_back({std::string(kind->name), std::string(kind->summary), false});
  print("stores", rows, streams);
}

void list_faults(Streams& streams) {
  std::vector<ListLine> rows;
  for (const sim::FaultKind& kind : sim::fault_kinds()) {
    rows.push_back(
        {std::string(kind.name), fmt::format("{} [{}]", kind.summary, name_of(kind.family)), false});
    for (const sim::FaultParameterSpec& spec : kind.parameters)
      rows.push_back({std::string(spec.name),
                      spec.required() ? fmt::format("{} (required)", spec.doc)
                                      : fmt::format("{} ({})", spec.doc, spec.default_text),
                      true});
  }
  print("faults, and their [families]", rows, streams);
  rows.clear();
  for (const std::string_view name : sim::kEventNames) rows.push_back({std::string(name), "", false});
  print("events that a fault can wait for", rows, streams);
}

void list_families(Streams& streams) {
  std::vector<ListLine> rows;
  for (std::size_t i = 0; i < sim::kFaultFamilies; ++i) {
    const auto family = static_cast<sim::FaultFamily>(i);
    std::vector<std::string_view> names;
    for (const sim::FaultKind& kind : sim::fault_kinds())
      if (kind.family == family) names.push_back(kind.name);
    rows.push_back({std::string(name_of(family)), fmt::format("{}", fmt::join(names, ", ")), false});
  }
  print("families of faults, for [hunt]", rows, streams);
}

void list_checkers(Streams& streams) {
  std::vector<ListLine> rows;
  for (const auto when : {sim::CheckerKind::When::always, sim::CheckerKind::When::eventually}) {
    rows.clear();
    for (const sim::CheckerKind& kind : sim::checker_kinds())
      if (kind.when == when) rows.push_back({std::string(kind.name), std::string(kind.summary), false});
    print(when == sim::CheckerKind::When::always ? "checkers, for always" : "checkers, for eventually", rows,
          streams);
  }
  rows.clear();
  for (const sim::SometimesName& name : sim::kSometimesNames)
    rows.push_back({std::string(name.name), std::string(name.doc), false});
  print("what can happen sometimes", rows, streams);
  rows.clear();
  for (const sim::MetricName& metric : sim::kMetricNames)
    rows.push_back({std::string(metric.name), std::string(metric.doc), false});
  print("metrics, for thresholds", rows, streams);
}

ExitCode list_scenarios(const std::string& folder, Streams& streams) {
  const std::vector<std::string> paths = {folder};
  const Loaded loaded = load(paths, {}, "those are skipped", streams);
  if (loaded.files.empty() && loaded.code == ExitCode::pass) {
    print_error(streams, fmt::format("no scenario in {}", folder));
    return ExitCode::nothing_ran;
  }
  std::vector<ListLine> rows;
  for (const format::ScenarioFile& file : loaded.files) {
    const sim::Scenario& scenario = file.scenario;
    rows.push_back({scenario.path,
                    fmt::format("{}{}{}", scenario.summary, scenario.tags.empty() ? "" : "  #",
                                fmt::join(scenario.tags, " #")),
                    false});
  }
  print("scenarios", rows, streams);
  return loaded.code;
}

struct Subject {
  std::string_view name;
  void (*list)(Streams&);
};
constexpr Subject kSubjects[] = {{"protocols", list_protocols}, {"schedulers", list_schedulers},
                                 {"stores", list_stores},       {"faults", list_faults},
                                 {"families", list_families},   {"checkers", list_checkers}};
constexpr std::string_view kScenarios = "scenarios";

}  // namespace

std::vector<std::string_view> list_subjects() {
  std::vector<std::string_view> names;
  for (const Subject& subject : kSubjects) names.push_back(subject.name);
  names.push_back(kScenarios);
  return names;
}

ExitCode list_command(const ListOptions& options, Streams& streams) {
  if (options.what == kScenarios) return list_scenarios(options.folder, streams);
  for (const Subject& subject : kSubjects)
    if (options.what.empty() || options.what == subject.name) subject.list(streams);
  return ExitCode::pass;
}

}  // namespace tenure::cli
