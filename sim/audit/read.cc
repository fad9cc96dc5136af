#include "sim/audit/read.h"

#include <fmt/format.h>

#include <utility>

namespace tenure::sim {
namespace {

// A belief until a time of the wall clock cannot be laid on the clock that the journals share.
bool by_the_wall(const journal::Line& line) {
  const auto* note = std::get_if<Note>(&line.event);
  const auto* believes = note != nullptr ? std::get_if<Believes>(note) : nullptr;
  return believes != nullptr && std::holds_alternative<WallTime>(believes->until);
}

}  // namespace

std::variant<Journal, BadJournal> read_journal(std::string name, std::string_view text) {
  Journal journal{std::move(name), {}, std::nullopt};
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    auto decoded = journal::decode(text.substr(0, end));
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
    PlacedLine& placed = journal.lines.emplace_back();
    placed.number = number;
    placed.line = std::move(line);
  }
  return journal;
}

}  // namespace tenure::sim
