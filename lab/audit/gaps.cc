#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/model/describe.h"
#include "lab/audit/wholeness.h"

namespace tenure::lab {
namespace {

struct Place {
  const NodeJournal* journal = nullptr;
  const PlacedLine* line = nullptr;

  std::string text() const { return place_text(*journal, line->number); }
};

}  // namespace

std::variant<std::vector<JournalGap>, BadJournal> gaps_in(const std::vector<NodeJournal>& journals) {
  std::vector<JournalGap> gaps;
  std::size_t part = 0;
  std::map<Incarnation, Place> last;
  for (const NodeJournal* journal : in_time(journals)) {
    const bool begins_anew = follows_what_is_not_there(*journal, journals);
    std::map<Incarnation, Place> here;
    bool has_gap = false;
    bool goes_on = false;
    for (const PlacedLine& placed : journal->lines) {
      const Incarnation who = placed.line.who;
      const Place place{journal, &placed};
      const bool met = !here.try_emplace(who, place).second;
      here[who] = place;
      const auto before = last.find(who);
      if (met || !begins_anew || before == last.end()) continue;
      const std::uint64_t wanted = before->second.line->line.seq + 1;
      goes_on = true;
      if (placed.line.seq <= wanted) continue;
      if (!std::exchange(has_gap, true)) ++part;
      gaps.push_back({who, wanted, placed.line.seq - 1, before->second.text(), place.text(), part});
    }
    if (goes_on && !has_gap)
      return BadJournal{fmt::format(
          "{}:1: it follows a line that none of these files ends with, though no line is missing: the last "
          "line of the file before it was changed",
          journal->name)};
    for (const auto& [who, place] : here) last[who] = place;
  }
  return gaps;
}

std::string text_of(const JournalGap& gap) {
  const std::string lines = gap.first == gap.last ? fmt::format("line {}", gap.first)
                                                  : fmt::format("lines {} to {}", gap.first, gap.last);
  return fmt::format(
      "{} of this life of node {} {} missing between {} and {}: a full disk did not take them, or a file is "
      "not "
      "given",
      lines, gap.who.node.value, gap.first == gap.last ? "is" : "are", gap.after, gap.before);
}

std::size_t parts_of(const std::vector<JournalGap>& gaps) { return gaps.empty() ? 1 : gaps.back().part + 1; }

std::vector<NodeJournal> part_of(const std::vector<NodeJournal>& journals,
                                 const std::vector<JournalGap>& gaps, std::size_t part) {
  // Of a life with gaps: from its last gap up to this part on, until its next one.
  struct LinesKept {
    std::uint64_t from = 0;
    std::uint64_t until = UINT64_MAX;
  };
  std::map<Incarnation, LinesKept> kept;
  for (const JournalGap& gap : gaps) {
    LinesKept& lines = kept[gap.who];
    if (gap.part <= part)
      lines.from = gap.last + 1;
    else
      lines.until = std::min(lines.until, gap.first);
  }
  std::vector<NodeJournal> found = journals;
  for (NodeJournal& journal : found)
    std::erase_if(journal.lines, [&](const PlacedLine& placed) {
      const auto lines = kept.find(placed.line.who);
      return lines != kept.end() &&
             (placed.line.seq < lines->second.from || placed.line.seq >= lines->second.until);
    });
  return found;
}

}  // namespace tenure::lab
