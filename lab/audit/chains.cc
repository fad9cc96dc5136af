#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "lab/audit/wholeness.h"

namespace tenure::lab {
namespace {

struct LineOfLife {
  const NodeJournal* journal = nullptr;
  const PlacedLine* line = nullptr;
};

std::string where(const LineOfLife& place) { return place_text(*place.journal, place.line->number); }

std::optional<LineOfLife> line_of(const std::vector<LineOfLife>& lines, std::uint64_t seq) {
  const auto it =
      std::find_if(lines.begin(), lines.end(), [&](const LineOfLife& p) { return p.line->line.seq == seq; });
  return it == lines.end() ? std::nullopt : std::optional(*it);
}

// Where line `wanted` of the life was to come.
std::string what_is_wrong(const std::vector<LineOfLife>& lines, const LineOfLife& at, std::uint64_t wanted) {
  const std::uint64_t seq = at.line->line.seq;
  const std::uint32_t node = at.line->line.who.node.value;
  if (seq < wanted)
    return fmt::format("{}: line {} of this life of node {} stands at {} already: a line is doubled",
                       where(at), seq, node, where(*line_of(lines, seq)));
  if (const auto elsewhere = line_of(lines, wanted))
    return fmt::format(
        "{}: line {} of this life of node {} was to come, which stands at {}: lines have changed places",
        where(at), wanted, node, where(*elsewhere));
  const std::string missing =
      seq == wanted + 1 ? fmt::format("line {}", wanted) : fmt::format("lines {} to {}", wanted, seq - 1);
  return fmt::format("{}: {} of this life of node {} {} missing before this one, which is line {}", where(at),
                     missing, node, seq == wanted + 1 ? "is" : "are", seq);
}

// Does another file have earlier lines of a life of this one?
bool has_an_older_file(const NodeJournal& journal, const std::vector<NodeJournal>& journals) {
  std::map<Incarnation, std::uint64_t> first;
  for (const PlacedLine& placed : journal.lines) first.try_emplace(placed.line.who, placed.line.seq);
  for (const NodeJournal& other : journals)
    for (const PlacedLine& placed : other.lines) {
      const auto known = first.find(placed.line.who);
      if (&other != &journal && known != first.end() && placed.line.seq < known->second) return true;
    }
  return false;
}

// One life, cut where it is first known what it believes.
class LateLife {
 public:
  // Whether the line stays.
  bool takes(const PlacedLine& placed) {
    const journal::JournalEvent& event = placed.line.event;
    if (!began_) began_ = speaks_of_leadership(event);
    if (!began_) return false;
    if (const auto* asked = std::get_if<journal::Asked>(&event)) asked_.insert(asked->id);
    if (const auto* answered = std::get_if<journal::Answered>(&event)) return asked_.contains(answered->id);
    if (const auto* item = std::get_if<WorkItem>(&event)) work_.insert(item->event);
    if (const auto* done = std::get_if<WorkDone>(&event)) return work_.contains(done->event);
    return true;
  }
  bool began() const { return began_; }

 private:
  static bool speaks_of_leadership(const journal::JournalEvent& event) {
    const auto* note = std::get_if<Note>(&event);
    return note != nullptr &&
           (std::holds_alternative<Believes>(*note) || std::holds_alternative<StepsDown>(*note));
  }

  bool began_ = false;
  std::set<RequestId> asked_;
  std::set<reference::EventId> work_;
};

// In the place of the line that it began with, whose boot and settings nobody knows.
PlacedLine beginning_at(const PlacedLine& first) {
  PlacedLine begins;
  begins.number = first.number;
  begins.line.now = first.line.now;
  begins.line.who = first.line.who;
  begins.line.version = first.line.version;
  begins.line.event = journal::LifeBegan{};
  return begins;
}

}  // namespace

std::string check_sequence(const std::vector<NodeJournal>& journals,
                           const std::set<Incarnation>& begun_before) {
  std::map<Incarnation, std::vector<LineOfLife>> lives;
  for (const NodeJournal* journal : in_time(journals))
    for (const PlacedLine& line : journal->lines) lives[line.line.who].push_back({journal, &line});
  for (const auto& [who, lines] : lives) {
    std::uint64_t wanted = begun_before.contains(who) ? lines.front().line->line.seq : 1;
    const LineOfLife* before = nullptr;
    for (const LineOfLife& at : lines) {
      const journal::Line& line = at.line->line;
      if (line.seq != 0 && line.seq != wanted) return what_is_wrong(lines, at, wanted);
      if (before != nullptr && line.now.at < before->line->line.now.at)
        return fmt::format("{}: `at` goes back, from {} to {}", where(at), before->line->line.now.at.ns(),
                           line.now.at.ns());
      if (before != nullptr && line.now.mono < before->line->line.now.mono)
        return fmt::format("{}: `mono` goes back, from {} to {}", where(at), before->line->line.now.mono.ns(),
                           line.now.mono.ns());
      if (line.seq != 0) ++wanted;
      before = &at;
    }
  }
  return {};
}

bool follows_what_is_not_there(const NodeJournal& journal, const std::vector<NodeJournal>& journals) {
  if (journal.follows.empty() || journal.follows == journal::kFirstPrev) return false;
  return std::none_of(journals.begin(), journals.end(), [&](const NodeJournal& other) {
    return &other != &journal &&
           std::find(other.heads.begin(), other.heads.end(), journal.follows) != other.heads.end();
  });
}

std::string what_has_no_beginning(const std::vector<NodeJournal>& journals) {
  for (const NodeJournal& journal : journals)
    if (follows_what_is_not_there(journal, journals) && !has_an_older_file(journal, journals))
      return fmt::format(
          "{}:1: the file before this one is missing: its first line follows a line that none of these files "
          "ends with; where it was deleted on purpose, --start-missing judges what is left",
          journal.name);
  return {};
}

std::set<Incarnation> lives_begun_before(const std::vector<NodeJournal>& journals) {
  std::set<Incarnation> lives;
  for (const NodeJournal& journal : journals) {
    if (!follows_what_is_not_there(journal, journals)) continue;
    std::set<Incarnation> met;
    for (const PlacedLine& placed : journal.lines)
      if (met.insert(placed.line.who).second && placed.line.seq > 1) lives.insert(placed.line.who);
  }
  return lives;
}

void begin_late(const std::set<Incarnation>& lives, std::vector<NodeJournal>& journals,
                AuditFindings& findings) {
  std::map<Incarnation, LateLife> late;
  for (const Incarnation& who : lives) late.try_emplace(who);
  for (NodeJournal* journal : in_time(journals)) {
    std::vector<PlacedLine> kept;
    for (PlacedLine& placed : journal->lines) {
      const auto known = late.find(placed.line.who);
      if (known != late.end()) {
        const bool began = known->second.began();
        const bool stays = known->second.takes(placed);
        if (!began && known->second.began()) {
          findings.lacks(
              fmt::format("node {} is not judged before {}:{}: its journals begin in the middle of a life",
                          placed.line.who.node.value, journal->name, placed.number));
          kept.push_back(beginning_at(placed));
        }
        if (!stays) continue;
      }
      kept.push_back(std::move(placed));
    }
    journal->lines = std::move(kept);
  }
  for (const auto& [who, life] : late)
    if (!life.began())
      findings.lacks(
          fmt::format("node {} is not judged before the end of its journals: they begin in the middle of a "
                      "life, and say nothing of leadership",
                      who.node.value));
}

}  // namespace tenure::lab
