#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lab/audit/in_order.h"

namespace tenure::lab {
namespace {

using Judged = std::variant<InOrder, BadJournal>;

Judged judge_as_they_are(const std::vector<NodeJournal>& journals, const RealNames& real) {
  const auto history = history_of(journals);
  if (const auto* bad = std::get_if<BadJournal>(&history)) return *bad;
  return judge_in_order(std::get<JournalHistory>(history), real);
}

// Machines that have no order between them, each by itself, and what was found of all of them together.
Judged judge_apart(const std::vector<NodeJournal>& journals, const Orders& orders, const RealNames& real) {
  std::optional<InOrder> all;
  for (const std::vector<std::size_t>& machine : orders.apart) {
    std::vector<NodeJournal> own;
    for (const std::size_t j : machine) own.push_back(journals[j]);
    Judged judged = judge_as_they_are(own, real);
    if (std::holds_alternative<BadJournal>(judged)) return judged;
    auto& one = std::get<InOrder>(judged);
    if (!all) {
      all = std::move(one);
      continue;
    }
    for (sim::CheckResult& check : one.checks) {
      const auto known =
          std::find_if(all->checks.begin(), all->checks.end(),
                       [&](const sim::CheckResult& other) { return other.name == check.name; });
      if (known == all->checks.end()) {
        std::erase_if(all->not_judged, [&](const Silence& silent) { return silent.checker == check.name; });
        all->checks.push_back(std::move(check));
        continue;
      }
      known->opportunities += check.opportunities;
      known->violation_count += check.violation_count;
      known->violations.insert(known->violations.end(), check.violations.begin(), check.violations.end());
      const bool worse =
          check.verdict == sim::Verdict::fail ||
          (known->verdict == sim::Verdict::inconclusive && check.verdict == sim::Verdict::pass);
      if (!worse) continue;
      known->verdict = check.verdict;
      known->detail = check.detail;
    }
    all->last = std::max(all->last, one.last);
    all->unfinished += one.unfinished;
  }
  return std::move(*all);
}

void leave_open(sim::CheckResult& check, const sim::CheckResult& broken, std::string why,
                AuditFindings& findings) {
  check.verdict = sim::Verdict::inconclusive;
  check.detail = std::move(why);
  if (!check.demanded) return;
  findings.lacks(fmt::format("{}, {}: {}", check.name, check.detail, broken.violations.front().message));
}

}  // namespace

Judged judge_orders(std::vector<NodeJournal>& journals, const Orders& orders, const RealNames& real,
                    AuditFindings& findings) {
  if (!orders.apart.empty()) return judge_apart(journals, orders, real);
  Judged judged = judge_as_they_are(journals, real);
  if (std::holds_alternative<BadJournal>(judged)) return judged;
  auto& first = std::get<InOrder>(judged);
  std::vector<std::vector<sim::CheckResult>> others;
  for (std::size_t i = 1; i < orders.possible.size(); ++i) {
    set_times(journals, orders.possible[i]);
    Judged other = judge_as_they_are(journals, real);
    if (auto* in_order = std::get_if<InOrder>(&other)) others.push_back(std::move(in_order->checks));
  }
  set_times(journals, orders.possible.front());

  const bool no_order = orders.by_store && !first.clock_went_back.empty();
  if (no_order)
    findings.lacks(
        "the store's clock went back, and machines have no other in common: between them nothing has an "
        "order");
  for (sim::CheckResult& check : first.checks) {
    const sim::CheckResult* broken = check.violation_count > 0 ? &check : nullptr;
    bool holds_somewhere = broken == nullptr;
    for (const std::vector<sim::CheckResult>& checks : others)
      for (const sim::CheckResult& other : checks) {
        if (other.name != check.name) continue;
        if (other.violation_count == 0)
          holds_somewhere = true;
        else if (broken == nullptr)
          broken = &other;
      }
    if (broken == nullptr) continue;
    if (no_order)
      leave_open(check, *broken, "broken by a clock that went back", findings);
    else if (holds_somewhere && !(orders.first_decides && check.violation_count > 0))
      leave_open(check, *broken, "broken in one order of the lines and not in another, and both are possible",
                 findings);
  }
  return judged;
}

}  // namespace tenure::lab
