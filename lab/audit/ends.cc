#include "lab/audit/ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/model/describe.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kLifeEndsOnce = "life-ends-once";

struct End {
  NodeJournal* journal = nullptr;
  std::size_t line = 0;  // in the journal, as people count
  journal::BootTime at;
  std::size_t after = 0;  // lines of the life that follow
};

bool ends_life(const PlacedLine& placed) {
  return std::holds_alternative<journal::LifeEnded>(placed.line.event);
}

}  // namespace

void take_false_ends_away(std::vector<NodeJournal>& journals, AuditFindings& findings) {
  std::optional<journal::BootTime> zero;
  std::vector<NodeJournal*> in_time;
  for (NodeJournal& journal : journals) {
    if (journal.lines.empty()) continue;
    in_time.push_back(&journal);
    for (const PlacedLine& placed : journal.lines)
      if (!zero || placed.line.now.at < *zero) zero = placed.line.now.at;
  }
  std::stable_sort(in_time.begin(), in_time.end(), [](const NodeJournal* a, const NodeJournal* b) {
    return a->lines.front().line.now.at < b->lines.front().line.now.at;
  });
  std::map<Incarnation, std::vector<End>> ends;
  for (NodeJournal* journal : in_time)
    for (const PlacedLine& placed : journal->lines) {
      const auto known = ends.find(placed.line.who);
      if (known != ends.end())
        for (End& end : known->second) ++end.after;
      if (ends_life(placed)) ends[placed.line.who].push_back({journal, placed.number, placed.line.now.at});
    }
  for (const auto& each : ends) {
    const auto& who = each.first;
    findings.examined(kLifeEndsOnce);
    for (const End& end : each.second) {
      if (end.after == 0) continue;
      findings.violate(
          kLifeEndsOnce, TrueTime{} + (end.at - *zero),
          fmt::format("{}:{}: this life of node {} ends here, and {} more of its lines follow: the end "
                      "is not believed",
                      end.journal->name, end.line, who.node.value, end.after));
      std::erase_if(end.journal->lines, [&](const PlacedLine& placed) {
        return placed.number == end.line && placed.line.who == who && ends_life(placed);
      });
    }
  }
}

}  // namespace tenure::sim
