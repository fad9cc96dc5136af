#include "lab/audit/sequence_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace tenure::sim {
namespace {

struct LineOfLife {
  const NodeJournal* journal = nullptr;
  const PlacedLine* line = nullptr;
};

std::string where(const LineOfLife& place) {
  return fmt::format("{}:{}", place.journal->name, place.line->number);
}

// The lines of each life, journal after journal.
std::map<Incarnation, std::vector<LineOfLife>> lives_in(const std::vector<NodeJournal>& journals) {
  std::vector<const NodeJournal*> in_time;
  for (const NodeJournal& journal : journals)
    if (!journal.lines.empty()) in_time.push_back(&journal);
  std::stable_sort(in_time.begin(), in_time.end(), [](const NodeJournal* a, const NodeJournal* b) {
    return a->lines.front().line.now.at < b->lines.front().line.now.at;
  });
  std::map<Incarnation, std::vector<LineOfLife>> lives;
  for (const NodeJournal* journal : in_time)
    for (const PlacedLine& line : journal->lines) lives[line.line.who].push_back({journal, &line});
  return lives;
}

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

}  // namespace

std::string check_sequence(const std::vector<NodeJournal>& journals,
                           const std::set<Incarnation>& begun_before) {
  for (const auto& [who, lines] : lives_in(journals)) {
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

}  // namespace tenure::sim
