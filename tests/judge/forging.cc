#include "tests/judge/forging.h"

#include <map>

namespace tenure::judging {
namespace {

// Declarations are known by their places, so what is put in or taken out moves them.
void shift_places(History& history, std::size_t from, std::ptrdiff_t by) {
  for (Kept& kept : history.facts) {
    auto* change = std::get_if<KeptClockChange>(&kept.fact);
    if (change == nullptr) continue;
    std::map<std::size_t, sim::TrueTime> ends;
    for (const auto& [declared, end] : change->ends)
      if (by > 0 || declared != from)
        ends[declared < from ? declared : declared + static_cast<std::size_t>(by)] = end;
    change->ends = ends;
  }
}

}  // namespace

void put_in(History& history, std::size_t at, Kept kept) {
  shift_places(history, at, 1);
  history.facts.insert(history.facts.begin() + static_cast<std::ptrdiff_t>(at), std::move(kept));
}
void take_out(History& history, std::size_t at) {
  shift_places(history, at, -1);
  history.facts.erase(history.facts.begin() + static_cast<std::ptrdiff_t>(at));
}

Incarnation another(const History& history, Incarnation who, std::uint64_t draw) {
  std::vector<Incarnation> others;
  for (const Kept& kept : history.facts)
    if (const auto* started = std::get_if<sim::NodeStarted>(&kept.fact);
        started && started->who.node != who.node)
      others.push_back(started->who);
  if (others.empty() || draw % 2 == 0) return {who.node, who.number + 1};
  return drawn(others, mix64(draw, 3));
}

Token another_token(Token token, std::uint64_t draw) {
  const std::uint64_t which = mix64(draw, 10) % 3;
  if (which == 0 && token.epoch > 0) token.epoch -= 1;
  if (which == 1) token.epoch += 1'000;
  if (which == 2) token.nonce ^= 1;
  return token;
}

}  // namespace tenure::judging
