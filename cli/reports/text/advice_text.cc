#include "cli/reports/text/advice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "cli/reports/text/text_format.h"
#include "core/base/int128.h"
#include "core/model/duration_text.h"
#include "format/syntax/tune_values.h"

namespace tenure::cli {
namespace {

using State = lab::JudgedSetting::State;

// Three digits that count: "33.978s" is "34s", and "1m22.4s" is "1m22s". A bound is rounded down.
Duration three_digits(Duration duration, bool down) {
  std::int64_t quantum = 1;
  while (duration.ns() / quantum >= 1'000) quantum *= 10;
  if (duration >= Duration::seconds(100)) quantum = Duration::seconds(1).ns();
  return Duration::nanos((duration.ns() + (down ? 0 : quantum / 2)) / quantum * quantum);
}

std::string shown_cost(Duration duration) { return short_duration(three_digits(duration, false)); }
std::string shown_bound(Duration duration) { return short_duration(three_digits(duration, true)); }

// What happens beyond a bound.
std::string_view consequence_of(const lab::FaultAdvice& fault) {
  return fault.theory || fault.checker == "one-believer" ? "two can lead" : "";
}

class AdviceText {
 public:
  AdviceText(const TuneReport& report, const lab::AdviceFindings& findings)
      : report_(report), findings_(findings) {}

  std::string answer(bool paint) const {
    const sim::Verdict verdict = findings_.verdict();
    const char* const word = verdict == sim::Verdict::pass   ? "SAFE"
                             : verdict == sim::Verdict::fail ? "UNSAFE"
                                                             : "UNKNOWN";
    const sim::Scenario& scenario = report_.tuning->setting(0).scenario;
    std::string text = fmt::format(
        "{} {}: {} ({}, {})\n", painted(word, is_safe() ? Colour::green : Colour::red, paint),
        report_.scenario, reason(), scenario.protocol->name, counted(scenario.instances.size(), "instance"));
    for (const sim::UnsafeNote& note : report_.tuning->setting(0).unsafe)
      text += row("theory", fmt::format("{}: {}", note.name, note.text));
    if (!is_safe()) text += row("see", command());
    text += row("margin", margin());
    text += row("costs", costs());
    if (own().state != State::unmeasured) text += row("now", prices_of(0));
    return text + better();
  }

  // How each number of the answer came about, and what else was tried.
  std::string details() const {
    std::string text = "\n";
    if (!findings_.faults.empty()) {
      Table table{5};
      table.row({"fault", "in the file", "without a leader, each time", "margin"});
      for (const lab::FaultAdvice& fault : findings_.faults)
        table.row({name_of(fault), fault.longest ? "up to " + short_duration(*fault.longest) : "",
                   fault.leaderless ? short_duration(*fault.leaderless) : "it never struck",
                   measured_margin(fault)});
      text += table.text("  ");
    }
    text += row("file", name_of_setting(report_, 0));
    for (const std::size_t index : findings_.better)
      text += row("better", changes_of(index)) + row("", command_of(report_, index));
    for (const std::size_t index : report_.judgement.apart)
      if (index != 0)
        text += row("unsafe", fmt::format("{}: {}; {}", changes_of(index), prices_of(index),
                                          report_.judgement.settings[index].why));
    return text;
  }

 private:
  bool is_safe() const { return findings_.verdict() == sim::Verdict::pass; }
  const lab::JudgedSetting& own() const { return report_.judgement.settings.front(); }
  std::uint64_t seeds() const { return report_.tuning->outcome(0).runs(); }
  // The fault that is no pass at its longest: one that fails, if any does.
  const lab::FaultAdvice* at_longest() const {
    const lab::FaultAdvice* found = nullptr;
    for (const lab::FaultAdvice& fault : findings_.faults)
      if (!fault.at_longest.empty() && (found == nullptr || found->seed_at_longest == 0)) found = &fault;
    return found;
  }

  std::string reason() const {
    const std::string runs = fmt::format("{} of {}", counted(seeds(), "run"),
                                         short_duration(report_.tuning->setting(0).scenario.duration));
    if (is_safe())
      return fmt::format("{} held in {}, with the faults of the file",
                         fmt::join(lab::demanded_of(report_.tuning->setting(0).scenario), ", "), runs);
    if (own().state == State::warned) return fmt::format("by theory, although none of {} failed", runs);
    return own().why;
  }

  // What shows it.
  std::string command() const {
    const lab::FaultAdvice* fault = at_longest();
    if (own().state == State::broken && own().bad_seed > 0) return command_of(report_, 0, own().bad_seed);
    if (fault == nullptr) return command_of_batch(report_, 0);
    const format::Override longest = {fmt::format("fault.{}.duration", fault->fault),
                                      print_duration(*fault->longest)};
    if (fault->seed_at_longest > 0) return command_of(report_, 0, fault->seed_at_longest, {longest});
    return fmt::format("{} --seeds 1..{}", command_of(report_, 0, {}, {longest}), seeds());
  }

  // "pause", or "pause (fault 4)" where there are several.
  std::string name_of(const lab::FaultAdvice& fault) const {
    const bool alone = std::count_if(findings_.faults.begin(), findings_.faults.end(),
                                     [&](const auto& other) { return other.action == fault.action; }) == 1;
    return alone ? fault.action : fmt::format("{} (fault {})", fault.action, fault.fault);
  }

  // The bound of the one number that counts: theory's, and where theory knows none, what was tried.
  static std::optional<Duration> bound_of(const lab::FaultAdvice& fault) {
    if (fault.theory) return fault.theory;
    return fault.tolerated;
  }

  // Of the fault that is nearest to its bound, or beyond it.
  std::string margin() const {
    if (findings_.faults.empty()) return "the file has no faults: nothing was put to the test";
    const lab::FaultAdvice* tightest = nullptr;
    const auto is_tighter = [](const lab::FaultAdvice& a, const lab::FaultAdvice& b) {
      return static_cast<int128>(bound_of(a)->ns()) * b.longest->ns() <
             static_cast<int128>(bound_of(b)->ns()) * a.longest->ns();
    };
    for (const lab::FaultAdvice& fault : findings_.faults)
      if (fault.longest && fault.longest->ns() > 0 && bound_of(fault) && (fault.theory || fault.ends) &&
          (tightest == nullptr || is_tighter(fault, *tightest)))
        tightest = &fault;
    if (tightest != nullptr) return margin_of(*tightest);
    std::vector<std::string> tried;
    for (const lab::FaultAdvice& fault : findings_.faults)
      if (fault.tolerated)
        tried.push_back(fmt::format("{} {} ({} in the file)", name_of(fault), shown_bound(*fault.tolerated),
                                    short_duration(*fault.longest)));
    if (!tried.empty()) return fmt::format("safe up to the longest tried: {}", fmt::join(tried, ", "));
    const bool lasting = std::any_of(findings_.faults.begin(), findings_.faults.end(),
                                     [](const auto& fault) { return fault.longest.has_value(); });
    return lasting ? "none is known" : "no fault of the file has a duration";
  }

  std::string margin_of(const lab::FaultAdvice& fault) const {
    const Duration bound = *bound_of(fault);
    const std::string_view beyond = consequence_of(fault);
    std::string text =
        fmt::format("{} up to {} in the file; {}{} is safe, {}", name_of(fault),
                    short_duration(*fault.longest), bound < *fault.longest ? "only up to " : "up to ",
                    shown_bound(bound), fault.theory ? "by theory" : fmt::format("in {} runs each", seeds()));
    if (!beyond.empty()) return text + fmt::format("; beyond that, {}", beyond);
    return text + (fault.seed > 0 ? fmt::format("; beyond that, {} fails", fault.checker)
                                  : "; beyond that, nobody knows: " + fault.unknown);
  }

  std::string measured_margin(const lab::FaultAdvice& fault) const {
    if (!fault.longest) return "";
    std::string text = fault.theory ? fmt::format("up to {} by theory", short_duration(*fault.theory)) : "";
    if (fault.tolerated)
      text += fmt::format("{}{} in {} runs each of {}", fault.theory ? ", " : "up to ",
                          short_duration(*fault.tolerated), seeds(), counted(fault.tried, "duration"));
    if (!fault.ends || (fault.seed == 0 && fault.unknown.empty())) return text;
    return text + fmt::format("{}at {} {}", text.empty() ? "" : "; ", short_duration(*fault.ends),
                              fault.seed > 0 ? fmt::format("{} failed (seed {})", fault.checker, fault.seed)
                                             : "nobody knows: " + fault.unknown);
  }

  // The dearest first.
  std::string costs() const {
    std::vector<const lab::FaultAdvice*> faults;
    for (const lab::FaultAdvice& fault : findings_.faults) faults.push_back(&fault);
    std::stable_sort(faults.begin(), faults.end(),
                     [](const auto* a, const auto* b) { return a->leaderless > b->leaderless; });
    std::vector<std::string> costs;
    for (const lab::FaultAdvice* fault : faults)
      costs.push_back(fmt::format("{} {}", name_of(*fault),
                                  fault->leaderless ? shown_cost(*fault->leaderless) : "never struck"));
    if (costs.empty()) return "no outage in the file";
    return fmt::format("without a leader, each time: {}", fmt::join(costs, ", "));
  }

  // "4.77% of the time without a leader, 0.785/s requests"; of another setting than the file's, what differs from it by
  // more than a twentieth, with what it is now.
  std::string prices_of(std::size_t index) const {
    static constexpr std::string_view kWords[] = {"of the time without a leader", "false failovers",
                                                  "requests"};
    const auto& objectives = report_.tuning->tune().objectives;
    const auto value = [&](std::size_t setting, std::size_t i) {
      return report_.judgement.settings[setting].objectives[i].value;
    };
    const bool compares = index != 0 && own().state != State::unmeasured;
    std::vector<std::string> prices;
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{1}}) {
      const std::int64_t now = value(0, i);
      if (compares && std::abs(value(index, i) - now) <= std::abs(now) / 20) continue;
      const format::TuneMeasure& measure = objectives[i].measure;
      prices.push_back(fmt::format("{} {}{}", shown(measure, value(index, i)), kWords[i],
                                   compares ? fmt::format(" (now {})", shown(measure, now)) : ""));
    }
    return prices.empty() ? "as good as now" : fmt::format("{}", fmt::join(prices, ", "));
  }

  // "lease_duration 30s, retry_period 4s"
  std::string changes_of(std::size_t index) const {
    std::string text;
    for (const format::Override& change : report_.tuning->setting(index).overrides)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                          change.key.substr(format::kTuneElection.size()), change.value);
    return text;
  }

  std::string better() const {
    std::string text;
    for (const std::size_t index : findings_.better)
      text += row("better", fmt::format("{}: {}", changes_of(index), prices_of(index)));
    if (!text.empty()) return text;
    const std::size_t others = report_.tuning->size() - 1;
    if (is_safe())
      return row("better",
                 fmt::format("none of {} tried: keep what you have", counted(others, "other setting")));
    return row("better", fmt::format("none of {} tried is known to be safe; `tenure tune` tries more",
                                     counted(others, "other setting")));
  }

  const TuneReport& report_;
  const lab::AdviceFindings& findings_;
};

}  // namespace

std::string advice_text(const TuneReport& report, const lab::AdviceFindings& findings, bool paint,
                        bool details) {
  const AdviceText advice(report, findings);
  if (details) return advice.answer(paint) + advice.details();
  std::string command = "tenure advise -v " + shell_quoted(report.path);
  command += shell_sets(report.sets);
  return advice.answer(paint) + row("details", command);
}

}  // namespace tenure::cli
