#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/tune_watch.h"
#include "cli/load.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"
#include "cli/terminal/signals.h"
#include "core/model/duration_text.h"
#include "lab/session/advice.h"

namespace tenure::cli {
namespace {

using State = lab::JudgedSetting::State;

class AdviceText {
 public:
  AdviceText(const TuneReport& report, const lab::AdviceFindings& findings, std::string_view checkers)
      : report_(report), findings_(findings), checkers_(checkers) {}

  std::string text(bool paint) const {
    const sim::Scenario& own = report_.tuning->setting(0).scenario;
    const std::string runs = fmt::format("{} of {}", counted(report_.tuning->outcome(0).runs(), "run"),
                                         short_duration(own.duration));
    const char* const word = is_safe()                                   ? "SAFE"
                             : findings_.verdict() == sim::Verdict::fail ? "UNSAFE"
                                                                         : "UNKNOWN";
    std::string text =
        fmt::format("{} {}  {}, {}; {}\n", painted(word, is_safe() ? Colour::green : Colour::red, paint),
                    report_.scenario, own.protocol->name, counted(own.instances.size(), "instance"), runs);
    text += row("safe", safety());
    for (const sim::UnsafeNote& note : report_.tuning->setting(0).unsafe)
      text += row("theory", fmt::format("{}: {}", note.name, note.text));
    text += faults();
    text += alternatives();
    return text;
  }

 private:
  bool is_safe() const { return findings_.verdict() == sim::Verdict::pass; }
  const lab::JudgedSetting& own() const { return report_.judgement.settings.front(); }

  std::string safety() const {
    if (own().state == State::broken)
      return fmt::format("no: {}; {}", own().why, command_of(report_, 0, own().bad_seed));
    if (own().state == State::warned) return "theory says no, although no run failed";
    if (own().state == State::bounded) return fmt::format("no: {}", own().why);
    if (own().state == State::inconclusive)
      return fmt::format("not known: {}; {}", own().why, command_of_batch(report_, 0));
    for (const lab::FaultAdvice& fault : findings_.faults)
      if (fault.ends_at_once()) return unsafe_at_longest(fault);
    if (!is_safe()) return fmt::format("not known: {}", own().why);
    return fmt::format("yes, for what the file says: {} held in every run", checkers_);
  }

  std::string unsafe_at_longest(const lab::FaultAdvice& fault) const {
    const std::string where = fmt::format("when fault {} lasts for {}, the longest in the file", fault.fault,
                                          short_duration(*fault.ends));
    const std::string command = fmt::format("{} --set fault.{}.duration={}", command_of(report_, 0),
                                            fault.fault, print_duration(*fault.ends));
    return fault.seed > 0
               ? fmt::format("no: {} failed {}; {} --seed {}", fault.checker, where, command, fault.seed)
               : fmt::format("not known {}: {}; {} --seeds 1..{}", where, fault.unknown, command,
                             report_.tuning->outcome(0).runs());
  }

  std::string margin(const lab::FaultAdvice& fault) const {
    if (!fault.longest) return "";
    std::string text = fault.theory ? fmt::format("up to {} by theory", short_duration(*fault.theory)) : "";
    if (fault.tolerated)
      text += fmt::format("{}{} in {} runs each of {}", fault.theory ? ", " : "up to ",
                          short_duration(*fault.tolerated), report_.tuning->outcome(0).runs(),
                          counted(fault.tried, "duration"));
    if (!fault.ends || (fault.seed == 0 && fault.unknown.empty())) return text;
    return text + fmt::format("{}at {} {}", text.empty() ? "" : "; ", short_duration(*fault.ends),
                              fault.seed > 0 ? fmt::format("{} failed (seed {})", fault.checker, fault.seed)
                                             : "nobody knows: " + fault.unknown);
  }

  // One row for each fault of the file.
  std::string faults() const {
    if (findings_.faults.empty()) return row("faults", "none in the file: nothing was put to the test");
    Table table{5};
    table.row({"fault", "in the file", "without a leader, each time", "margin"});
    for (const lab::FaultAdvice& fault : findings_.faults)
      table.row({fault.action, fault.longest ? "up to " + short_duration(*fault.longest) : "",
                 fault.leaderless ? short_duration(*fault.leaderless) : "it never struck", margin(fault)});
    return table.text("  ");
  }

  std::string costs_of(std::size_t index) const {
    const lab::JudgedSetting& setting = report_.judgement.settings[index];
    const auto& objectives = report_.tuning->tune().objectives;
    static constexpr std::string_view kWords[] = {"of the time without a leader", "false failovers",
                                                  "requests"};
    std::string text;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      const format::TuneMeasure& measure = objectives[i].measure;
      text +=
          fmt::format("{}{} {}", i == 0 ? "" : ", ", shown(measure, setting.objectives[i].value), kWords[i]);
    }
    return text;
  }

  // "lease_duration 30s, retry_period 4s"
  std::string changes_of(std::size_t index) const {
    std::string text;
    for (const format::Override& change : report_.tuning->setting(index).overrides)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                          change.key.substr(format::kTuneElection.size()), change.value);
    return text;
  }

  std::string alternatives() const {
    const bool known = own().state != State::unmeasured;
    std::string text =
        known ? row("now", fmt::format("{}: {}", name_of_setting(report_, 0), costs_of(0))) : "";
    for (const std::size_t index : findings_.better)
      text += row("better", fmt::format("{}: {}", changes_of(index), costs_of(index))) +
              row("", command_of(report_, index));
    if (findings_.better.empty())
      text += row("better",
                  is_safe() ? "nothing that was tried: keep what you have"
                            : "none: nothing that was tried is known to be safe; `tenure tune` tries others");
    for (const std::size_t index : report_.judgement.apart)
      if (index != 0)
        text += row("unsafe", fmt::format("{}: {}; {}", changes_of(index), costs_of(index),
                                          report_.judgement.settings[index].why));
    return text;
  }

  const TuneReport& report_;
  const lab::AdviceFindings& findings_;
  std::string_view checkers_;
};

}  // namespace

ExitCode advise_command(const AdviseOptions& options, Streams& streams) {
  ExitCode code = ExitCode::pass;
  const std::optional<lab::TuneTask> task =
      read_tune_file("advise", options.path, options.sets, code, streams);
  if (!task) return code;
  const Interruption interruption;
  TuneWatch watch(task->name, streams);
  watch.begin("; advise saves no runs, and starts over");
  const lab::AdviceFindings findings = lab::advise(*task, options.seeds.value_or(lab::kSeedsOfAdvice),
                                                   options.jobs, watch, lab::WhenInterrupted::leave);
  if (!findings.internal_error.empty()) {
    print_error(streams, "an invariant of tenure broke: " + findings.internal_error);
    return ExitCode::internal_error;
  }
  TuneReport report;
  report.scenario = task->name;
  report.path = task->file.path;
  report.sets = task->file.sets;
  report.tuning = findings.tuning.get();
  report.judgement = findings.judgement;
  const std::string checkers =
      fmt::format("{}", fmt::join(lab::demanded_of(report.tuning->setting(0).scenario), ", "));
  const AdviceText advice(report, findings, checkers);
  write_results(streams, advice.text(streams.paint_out));
  return exit_code_of(findings.verdict());
}

}  // namespace tenure::cli
