#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/model/describe.h"
#include "lab/audit/wholeness.h"
#include "sim/kernel/true_time.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kLifeEndsOnce = "life-ends-once";

bool ends_life(const PlacedLine& placed) {
  return std::holds_alternative<journal::LifeEnded>(placed.line.event);
}

// As a participant: what its clients change may be told later, and one that is asked to stop gives way to the next.
struct Participation {
  journal::BootTime from;
  journal::BootTime to;
};
using Participations = std::map<Incarnation, Participation>;
Participations spans_in(const std::vector<NodeJournal>& journals, const LineTimes& times) {
  Participations spans;
  std::set<Incarnation> to_stop;
  for (std::size_t j = 0; j < journals.size(); ++j)
    for (std::size_t i = 0; i < journals[j].lines.size(); ++i) {
      const PlacedLine& placed = journals[j].lines[i];
      if (ends_life(placed) || std::holds_alternative<journal::ClientChange>(placed.line.event)) continue;
      if (to_stop.contains(placed.line.who)) continue;
      if (std::holds_alternative<StopAsked>(placed.line.event)) to_stop.insert(placed.line.who);
      const journal::BootTime at = times[j][i];
      Participation& span = spans.try_emplace(placed.line.who, Participation{at, at}).first->second;
      span = {std::min(span.from, at), std::max(span.to, at)};
    }
  return spans;
}

void find_numbers_of_two(const Participations& lives, AuditFindings& findings) {
  std::map<std::uint32_t, NodeId> drawn;
  for (const auto& [who, span] : lives) {
    const NodeId first = drawn.try_emplace(who.number, who.node).first->second;
    if (first != who.node)
      findings.lacks(
          fmt::format("nodes {} and {} both have a life {}, and each life draws its number: one of "
                      "them is not true",
                      first.value, who.node.value, who.number));
  }
}

}  // namespace

void find_lives_at_once(const std::vector<NodeJournal>& journals, const std::vector<LineTimes>& orders,
                        AuditFindings& findings) {
  std::vector<Participations> spans;
  for (const LineTimes& times : orders) spans.push_back(spans_in(journals, times));
  find_numbers_of_two(spans.front(), findings);
  std::map<NodeId, std::vector<Incarnation>> lives;
  for (const auto& [who, span] : spans.front()) lives[who.node].push_back(who);
  for (auto& [node, all] : lives) {
    std::sort(all.begin(), all.end(), [&](Incarnation a, Incarnation b) {
      return spans.front().at(a).from < spans.front().at(b).from;
    });
    for (std::size_t i = 1; i < all.size(); ++i) {
      const Incarnation one = all[i - 1];
      const Incarnation other = all[i];
      const bool at_once = std::all_of(spans.begin(), spans.end(), [&](const Participations& order) {
        return order.at(other).from < order.at(one).to && order.at(one).from < order.at(other).to;
      });
      if (!at_once) continue;
      findings.lacks(
          fmt::format("node {} had two lives at once, {} and {}: two participants had one id, or one of "
                      "them is not true",
                      node.value, one.number, other.number));
    }
  }
}

void take_false_ends_away(std::vector<NodeJournal>& journals, AuditFindings& findings) {
  const journal::BootTime zero = first_time(journals);
  std::map<Incarnation, std::size_t> after;  // of each life that has ended, its lines that follow
  const std::vector<NodeJournal*> sorted = in_time(journals);
  for (auto journal = sorted.rbegin(); journal != sorted.rend(); ++journal) {
    std::vector<PlacedLine>& lines = (*journal)->lines;
    for (std::size_t i = lines.size(); i-- > 0;) {
      const journal::Line& line = lines[i].line;
      const std::size_t more = after[line.who]++;
      if (!ends_life(lines[i])) continue;
      findings.examined(kLifeEndsOnce);
      if (more == 0) continue;
      findings.violate(kLifeEndsOnce, sim::TrueTime{} + (line.now.at - zero),
                       fmt::format("{}: this life of node {} ends here, and {} more of its lines follow: the "
                                   "end is not believed",
                                   place_text(**journal, lines[i].number), line.who.node.value, more));
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace tenure::lab
