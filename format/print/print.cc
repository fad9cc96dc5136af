#include "format/print/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/base/check.h"
#include "core/journal/kinds.h"
#include "core/model/describe.h"
#include "format/print/print_words.h"
#include "format/schema/quantile_keys.h"
#include "format/schema/schedule_keys.h"
#include "format/syntax/read_definition.h"
#include "format/syntax/targets.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

// Those of print_words.h, which the ones below would hide.
using format::quoted;
using format::value_of;

std::string quoted(Duration duration) { return quoted(print_duration(duration)); }
std::string quoted(StoreTime time) { return quoted(print_instant(time.ns())); }

template <class Texts>
std::string list_of(const Texts& texts) {
  std::string result;
  for (const auto& text : texts) result += (result.empty() ? "" : ", ") + quoted(text);
  return "[" + result + "]";
}

std::string value_of(const sim::Quantiles& quantiles) {
  if (quantiles.is_constant()) return quoted(quantiles.min());
  const auto has = [&](std::int64_t at) {
    return std::any_of(quantiles.points().begin(), quantiles.points().end(),
                       [&](const auto& p) { return p.at == at; });
  };
  std::string text;
  for (const QuantileColumn& column : kQuantileColumns)
    if (has(column.at) || column.name == "p50")
      text +=
          fmt::format("{}{} = {}", text.empty() ? "{ " : ", ", column.name, quoted(quantiles.at(column.at)));
  return text + " }";
}

std::string value_of(const sim::ClockSetting& clock) {
  return fmt::format("{{ offset = {}, rate_ppm = {} }}", quoted(print_duration_range(clock.offset)),
                     quoted(print_integer_range(clock.rate_ppm)));
}

std::string value_of(const sim::Target& target) {
  if (target.kind != sim::Target::Kind::named) return quoted(name_of(target.kind));
  std::vector<std::string> names;
  for (const NodeId node : target.nodes) names.push_back(describe(node));
  return list_of(names);
}

std::string value_of(const ScheduleField& field, const ScheduleField::Value& value) {
  switch (field.type) {
    case ScheduleField::Type::flag:
    case ScheduleField::Type::count:
    case ScheduleField::Type::seed: return text_of(value);
    case ScheduleField::Type::instants: return list_of(std::get<std::vector<StoreTime>>(value));
    default: return quoted(text_of(value));
  }
}

class Printer {
 public:
  // Both must outlive it.
  Printer(const sim::Scenario& scenario, const Plans& plans) : scenario_(scenario), plans_(plans) {}

  std::string print() {
    head();
    cluster();
    surroundings();
    for (const sim::DestinationSetting& each : scenario_.destinations) {
      section("[[destination]]");
      text_ += lines_of(each, value_of(each.latency));
    }
    for (const sim::WorkerSetting& each : scenario_.workers) {
      section("[[worker]]");
      text_ += lines_of(each, value_of(each.duration));
    }
    schedules();
    for (std::size_t i = 0; i < scenario_.changes.size(); ++i) print_change(scenario_.changes[i], i + 1);
    print_faults();
    expect();
    hunt();
    exhaustive();
    text_ += print_tune(plans_);
    regression();
    return take();
  }
  std::string take() { return std::move(text_); }

  void print_schedules() { schedules(); }
  void print_faults() {
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) print_fault(scenario_.faults[i], i + 1);
  }
  void print_election(const Parameters& values) { parameters(values); }

 private:
  void section(std::string_view header) { text_ += fmt::format("\n{}\n", header); }
  void line(std::string_view key, std::string_view value) { text_ += fmt::format("{} = {}\n", key, value); }

  void parameters(const Parameters& parameters) {
    for (std::size_t i = 0; i < parameters.specs().size(); ++i) {
      const ParameterSpec& spec = parameters.specs()[i];
      const std::int64_t value = parameters.value(static_cast<int>(i));
      switch (spec.type) {
        case ParameterSpec::Type::duration: line(spec.name, quoted(Duration::nanos(value))); break;
        case ParameterSpec::Type::boolean: line(spec.name, value != 0 ? "true" : "false"); break;
        case ParameterSpec::Type::choice: line(spec.name, quoted(parameters.choice(spec.name))); break;
        case ParameterSpec::Type::count:
        case ParameterSpec::Type::ppm: line(spec.name, fmt::format("{}", value)); break;
      }
    }
  }

  void head() {
    for (const sim::DataNote& note : scenario_.data) text_ += fmt::format("# {}: {}\n", note.key, note.text);
    line("format", "1");
    line("name", quoted(scenario_.name));
    if (!scenario_.summary.empty()) line("summary", quoted(scenario_.summary));
    if (!scenario_.tags.empty()) line("tags", list_of(scenario_.tags));
    section("[sim]");
    if (scenario_.seed) line("seed", fmt::format("{}", *scenario_.seed));
    line("start", quoted(print_instant(scenario_.start_ns)));
    line("duration", quoted(scenario_.duration));
    line("tail", quoted(scenario_.tail));
    if (!scenario_.tzdb.empty()) line("tzdb", quoted(scenario_.tzdb));
  }

  static std::string_view named(const std::string& design, const auto* kind) {
    return !design.empty() ? design : kind != nullptr ? kind->name : "none";
  }

  static std::string program_of(const std::vector<std::string>& command, const std::string& folder) {
    return fmt::format("{{ command = {}, folder = {} }}", list_of(command), quoted(folder));
  }

  // The first instance's settings stand for all; those that differ are overrides, alike ones together.
  void cluster() {
    const std::vector<sim::InstanceSetting>& instances = scenario_.instances;
    CHECK(!instances.empty() && scenario_.protocol != nullptr, "a scenario has instances and a protocol");
    section("[cluster]");
    line("instances", fmt::format("{}", instances.size()));
    if (scenario_.command.empty())
      line("protocol", quoted(named(scenario_.design, scenario_.protocol)));
    else
      line("node", program_of(scenario_.command, scenario_.design));
    if (scenario_.scheduler_command.empty())
      line("scheduler", quoted(named(scenario_.scheduler_design, scenario_.scheduler)));
    else
      line("scheduler_node", program_of(scenario_.scheduler_command, scenario_.scheduler_design));
    const sim::Range<Duration>& spread = scenario_.start_spread;
    line("start_spread",
         spread.low == Duration{} ? quoted(spread.high) : quoted(print_duration_range(spread)));
    line("clock", value_of(instances.front().clock));
    line("departure", value_of(scenario_.departure));

    std::vector<bool> printed(instances.size(), false);
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (printed[i] || same(instances[i], instances.front())) continue;
      std::vector<std::string> names;
      for (std::size_t j = i; j < instances.size(); ++j) {
        if (!same(instances[j], instances[i])) continue;
        printed[j] = true;
        names.push_back(describe(NodeId{static_cast<std::uint32_t>(j)}));
      }
      section("[[instance]]");
      line("names", list_of(names));
      line("clock", value_of(instances[i].clock));
      if (same(instances[i].election, instances.front().election)) continue;
      section("[instance.election]");
      parameters(instances[i].election);
    }

    section("[election]");
    parameters(instances.front().election);
    if (!scenario_.accepted.empty()) line("accept", list_of(scenario_.accepted));
    if (scenario_.scheduler == nullptr) return;
    section("[scheduling]");
    parameters(scenario_.scheduling);
    if (!scenario_.scheduling_accepted.empty()) line("accept", list_of(scenario_.scheduling_accepted));
  }

  void surroundings() {
    const sim::StoreSetting& store = scenario_.store;
    section("[store]");
    if (store.engine != nullptr) line("engine", quoted(store.engine->name));
    line("latency", value_of(store.latency));
    if (store.notification != sim::Quantiles{}) line("notification", value_of(store.notification));
    std::string kinds;
    for (const auto& [kind, its] : store.latency_of) {
      std::string key = journal::kRequestKinds[kind];
      std::replace(key.begin(), key.end(), '-', '_');
      kinds += fmt::format("{}{} = {}", kinds.empty() ? "{ " : ", ", key, value_of(its));
    }
    if (!kinds.empty()) line("latency_of", kinds + " }");
    line("capacity", fmt::format("{{ concurrent = {}, queue = {} }}", store.concurrent, store.queue));
    line("clock", value_of(store.clock));
    section("[network]");
    line("latency", value_of(scenario_.network.latency));
    line("loss", print_decimal(scenario_.network.loss_ppm, 6));
    const sim::WorkSetting& work = scenario_.work;
    section("[work]");
    line("duration", value_of(work.duration));
    line("check_every", quoted(work.check_every));
    line("stop_latency", quoted(work.stop_latency));
    line("fenced", work.fenced ? "true" : "false");
    line("idempotent", work.honours_event_id ? "true" : "false");
    if (work.failing_ppm != 0) line("failing", print_decimal(work.failing_ppm, 6));
    text_ += lines_of(work.program);
  }

  void definition(const Definition& definition, std::string_view times) {
    static const Definition kUsual = usual_definition(Delivery::Kind::work, CronRule{});
    for (const ScheduleField& field : schedule_fields()) {
      const ScheduleField::Value value = value_of(field, definition);
      const bool says_nothing = field.optional && field.get(definition) == field.get(kUsual);
      if (!says_nothing && value.index() != 0) line(key_of(field, times), value_of(field, value));
    }
  }

  // How many schedules from `first` on are name-1, name-2, … of one definition.
  std::size_t run_length(std::size_t first, std::string_view base) const {
    std::size_t length = 0;
    while (first + length < scenario_.schedules.size() &&
           scenario_.schedules[first + length].name == fmt::format("{}-{}", base, length + 1) &&
           scenario_.schedules[first + length].definition == scenario_.schedules[first].definition &&
           scenario_.schedules[first + length].payload == scenario_.schedules[first].payload)
      ++length;
    return length;
  }

  void schedules() {
    for (std::size_t i = 0; i < scenario_.schedules.size();) {
      const sim::ScheduleSetting& schedule = scenario_.schedules[i];
      section("[[schedule]]");
      std::size_t length = 0;
      if (schedule.name.size() > 2 && schedule.name.ends_with("-1")) {
        const std::string_view base = std::string_view(schedule.name).substr(0, schedule.name.size() - 2);
        length = run_length(i, base);
        line("name", quoted(base));
        line("count", fmt::format("{}", length));
      } else {
        line("name", quoted(schedule.name));
      }
      definition(schedule.definition, kTimesOfSchedule);
      text_ += lines_of(schedule.payload);
      i += std::max<std::size_t>(length, 1);
    }
  }

  // Of a change or a fault, if it is not its place in the file.
  void print_id(std::uint64_t id, std::uint64_t place) {
    if (id == place) return;
    const std::string text = print_permanent_id(id);
    line("id", text.starts_with("0x") ? quoted(text) : text);
  }

  void print_change(const sim::ChangeSetting& change, std::uint64_t place) {
    section("[[change]]");
    print_id(change.id, place);
    line("at", quoted(change.at));
    line("action", quoted(value_of(change.action)));
    line("schedule", quoted(change.schedule_name));
    if (change.action == sim::ChangeAction::create || change.action == sim::ChangeAction::update)
      definition(change.definition, kTimesOfChange);
    text_ += lines_of(change.payload);
    if (change.action != sim::ChangeAction::backfill) return;
    line("from", quoted(change.slots.front()));
    line("to", quoted(change.slots.back() + Duration::micros(1)));
  }

  void when(const sim::FaultSetting& fault) {
    if (const auto* at = std::get_if<sim::FaultSetting::At>(&fault.when)) {
      line("at", quoted(print_duration_range({at->at, at->latest.value_or(at->at)})));
    } else if (const auto* on = std::get_if<sim::FaultSetting::On>(&fault.when)) {
      line("on", quoted(on->event));
      line("nth", on->every_time ? quoted("all") : fmt::format("{}", on->nth));
      line("after", quoted(on->after));
    } else {
      line("every", value_of(std::get<sim::FaultSetting::Every>(fault.when).gap));
    }
  }

  // How the value is written depends on the fault's table, because a fraction and a count look alike here.
  void parameter(const sim::FaultParameter& parameter) {
    const auto* number = std::get_if<std::int64_t>(&parameter.value);
    const auto* lengths = std::get_if<sim::Range<Duration>>(&parameter.value);
    const auto* numbers = std::get_if<sim::Range<std::int64_t>>(&parameter.value);
    const auto* choice = std::get_if<std::string>(&parameter.value);
    line(parameter.name, number != nullptr    ? print_decimal(*number, 6)
                         : lengths != nullptr ? quoted(print_duration_range(*lengths))
                         : numbers != nullptr ? quoted(print_integer_range(*numbers))
                                              : quoted(*choice));
  }

  void print_fault(const sim::FaultSetting& fault, std::uint64_t place) {
    section("[[fault]]");
    print_id(fault.id, place);
    when(fault);
    line("action", quoted(fault.action));
    if (fault.target.kind != sim::Target::Kind::none) line("target", value_of(fault.target));
    if (fault.duration)
      line("duration", fault.duration_spread ? value_of(*fault.duration_spread)
                                             : quoted(print_duration_range(*fault.duration)));
    if (fault.optional) line("optional", "true");
    for (const sim::FaultParameter& each : fault.parameters) parameter(each);
    if (!fault.with_election) return;
    section("[fault.with.election]");
    parameters(*fault.with_election);
  }

  void expect() {
    const sim::Expectation& wanted = scenario_.expect;
    section("[expect]");
    if (wanted.always) line("always", list_of(*wanted.always));
    if (wanted.eventually) line("eventually", list_of(*wanted.eventually));
    if (!wanted.sometimes.empty()) line("sometimes", list_of(wanted.sometimes));
    const bool forbidden = wanted.believer_overlap_max == Duration{};
    if (wanted.believer_overlap_said || wanted.believer_overlap_max)
      line("believer_overlap", !wanted.believer_overlap_max ? quoted("report")
                               : forbidden                  ? quoted("forbidden")
                                                            : quoted(*wanted.believer_overlap_max));
    if (wanted.fails) line("fails", quoted(*wanted.fails));
    if (scenario_.thresholds.empty()) return;
    section("[thresholds]");
    for (std::size_t i = 0; i < scenario_.thresholds.size();) {
      const std::string& metric = scenario_.thresholds[i].metric;
      std::vector<std::string> texts;
      for (; i < scenario_.thresholds.size() && scenario_.thresholds[i].metric == metric; ++i)
        texts.push_back(scenario_.thresholds[i].text);
      line(metric, list_of(texts));
    }
  }

  void hunt() {
    if (!plans_.hunt) return;
    const HuntSetting& setting = *plans_.hunt;
    section("[hunt]");
    if (!setting.families.empty()) line("families", list_of(setting.families));
    line("faults", quoted(print_integer_range(setting.faults)));
    if (setting.instances) line("instances", quoted(print_integer_range(*setting.instances)));
    if (setting.store_latency) line("store_latency", quoted(print_duration_range(*setting.store_latency)));
    if (setting.network_latency)
      line("network_latency", quoted(print_duration_range(*setting.network_latency)));
    if (setting.beyond) line("beyond", "true");
  }

  void exhaustive() {
    if (!plans_.exhaustive) return;
    const ExhaustiveSetting& setting = *plans_.exhaustive;
    section("[exhaustive]");
    const auto number = [&](std::string_view key, std::int64_t value) {
      line(key, fmt::format("{}", value));
    };
    number("instances", setting.instances);
    number("crashes", setting.crashes);
    number("pauses", setting.pauses);
    number("stops", setting.stops);
    number("losses", setting.losses);
    number("delays", setting.delays);
    if (setting.requests) number("requests", *setting.requests);
    line("horizon", quoted(setting.horizon));
    line("tick", quoted(setting.tick));
    line("jitter_ends", setting.jitter_ends ? "true" : "false");
    line("acting", setting.acting ? "true" : "false");
    number("states", setting.states);
  }

  void regression() {
    if (!plans_.regression) return;
    const RegressionNote& note = *plans_.regression;
    section("[regression]");
    line("checker", quoted(note.checker));
    if (!note.message.empty()) line("message", quoted(note.message));
    if (!note.trace_hash.empty()) line("trace_hash", quoted(note.trace_hash));
    if (!note.version.empty()) line("version", quoted(note.version));
    if (!note.origin.empty()) line("origin", quoted(note.origin));
    if (!note.design_hash.empty()) line("design_hash", quoted(note.design_hash));
  }

  const sim::Scenario& scenario_;
  const Plans& plans_;
  std::string text_;
};

// Of a scenario alone, or of a part of one.
const Plans& no_plans() {
  static const Plans none;
  return none;
}

}  // namespace

std::string print_scenario(const ScenarioFile& file) { return Printer(file.scenario, file.plans).print(); }

std::string print_scenario(const sim::Scenario& scenario) { return Printer(scenario, no_plans()).print(); }

std::string print_fault(const sim::FaultSetting& fault) {
  sim::Scenario one;
  one.faults = {fault};
  Printer printer(one, no_plans());
  printer.print_faults();
  return printer.take();
}

std::string print_schedule(const sim::ScheduleSetting& schedule) {
  sim::Scenario one;
  one.schedules = {schedule};
  Printer printer(one, no_plans());
  printer.print_schedules();
  return printer.take();
}

std::string print_quantiles(const sim::Quantiles& quantiles) { return value_of(quantiles); }

std::string print_parameters(const Parameters& parameters) {
  const sim::Scenario none;
  Printer printer(none, no_plans());
  printer.print_election(parameters);
  return printer.take();
}

}  // namespace tenure::format
