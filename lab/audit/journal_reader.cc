#include "lab/audit/journal_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tenure::lab {
namespace {

// A belief until a time of the wall clock cannot be laid on the clock that the journals share.
bool by_the_wall(const journal::Line& line) {
  const auto* note = std::get_if<Note>(&line.event);
  const auto* believes = note != nullptr ? std::get_if<Believes>(note) : nullptr;
  return believes != nullptr && std::holds_alternative<WallTime>(believes->until);
}

// What is wrong with the line's place in its journal's chain; empty: nothing. Takes it in.
std::string take_into_chain(const journal::Line& line, std::string_view text, NodeJournal& journal) {
  const bool first = journal.lines.empty();
  journal.version = std::min(journal.version, line.version);
  const auto* began = std::get_if<journal::LifeBegan>(&line.event);
  const bool another = began != nullptr && line.seq == 1 && line.prev == journal::kFirstPrev;
  if (first) journal.follows = line.prev;
  const auto before = std::find(journal.heads.begin(), journal.heads.end(), line.prev);
  if (before != journal.heads.end())
    journal.heads.erase(before);
  else if (!first && !another)
    return "the line before this one is not the one that stood there when this was written: a line was "
           "changed, taken "
           "out or put in";
  journal.heads.push_back(journal::chain_hash(text));
  return {};
}

template <class Journal, class Journals>
std::vector<Journal*> oldest_first(Journals& journals) {
  std::vector<Journal*> sorted;
  for (Journal& journal : journals)
    if (!journal.lines.empty()) sorted.push_back(&journal);
  std::stable_sort(sorted.begin(), sorted.end(), [](const NodeJournal* a, const NodeJournal* b) {
    return a->lines.front().line.now.at < b->lines.front().line.now.at;
  });
  return sorted;
}

}  // namespace

std::vector<const NodeJournal*> in_time(const std::vector<NodeJournal>& journals) {
  return oldest_first<const NodeJournal>(journals);
}
std::vector<NodeJournal*> in_time(std::vector<NodeJournal>& journals) {
  return oldest_first<NodeJournal>(journals);
}

journal::BootTime first_time(const std::vector<NodeJournal>& journals) {
  auto first = journal::BootTime::max();
  for (const NodeJournal& journal : journals)
    for (const PlacedLine& placed : journal.lines) first = std::min(first, placed.line.now.at);
  return first;
}

std::string place_text(const NodeJournal& journal, std::size_t number) {
  return fmt::format("{}:{}", journal.name, number);
}

std::variant<NodeJournal, BadJournal> read_journal(std::string name, std::string_view text,
                                                   const TimeZones* zones) {
  NodeJournal journal{std::move(name), {}, std::nullopt};
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    const std::string_view bytes = text.substr(0, end);
    auto decoded = journal::decode(bytes, zones);
    text.remove_prefix(whole ? end + 1 : text.size());
    const auto bad = [&](std::string_view what) {
      return BadJournal{fmt::format("{}:{}: {}", journal.name, number, what)};
    };
    if (const auto* error = std::get_if<journal::BadLine>(&decoded)) {
      if (whole) return bad(error->message);
      journal.cut_off = number;
      break;
    }
    auto& line = std::get<journal::Line>(decoded);
    if (by_the_wall(line)) return bad("a belief by the wall clock, which journals do not share");
    if (const std::string wrong = take_into_chain(line, bytes, journal); !wrong.empty()) return bad(wrong);
    PlacedLine& placed = journal.lines.emplace_back();
    placed.number = number;
    placed.line = std::move(line);
  }
  return journal;
}

}  // namespace tenure::lab
