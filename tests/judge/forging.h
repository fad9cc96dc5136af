// How a history is forged: what it has of a kind, and what is put in or taken out.
//
// Thread rule: pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "tests/judge/history.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {

void put_in(History& history, std::size_t at, Kept kept);
void take_out(History& history, std::size_t at);

constexpr auto kAny = [](const auto&) { return true; };

// The places of the facts of a kind that are wanted.
template <class Kind, class Wanted = decltype(kAny)>
std::vector<std::size_t> places_of(const History& history, Wanted wanted = kAny) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < history.facts.size(); ++place)
    if (const auto* fact = std::get_if<Kind>(&history.facts[place].fact); fact != nullptr && wanted(*fact))
      places.push_back(place);
  return places;
}

// One of them. REQUIRES: there is one.
template <class T>
T& drawn(std::vector<T>& all, std::uint64_t draw) {
  return all[reduce(mix64(draw, 1), all.size())];
}

// Does `change(fact, place)` to one of them. False when there is none, or the change says so.
template <class Kind, class Wanted, class Change>
bool change_one(History& history, std::uint64_t draw, Wanted wanted, Change change) {
  auto places = places_of<Kind>(history, wanted);
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  if constexpr (std::is_void_v<decltype(change(std::declval<Kind&>(), place))>)
    return change(std::get<Kind>(history.facts[place].fact), place), true;
  else
    return change(std::get<Kind>(history.facts[place].fact), place);
}

// One of them never happened.
template <class Kind, class Wanted = decltype(kAny)>
bool forget_one(History& history, std::uint64_t draw, Wanted wanted = kAny) {
  return change_one<Kind>(history, draw, wanted,
                          [&](const Kind&, std::size_t place) { take_out(history, place); });
}

// Another incarnation that the history knows; a later life of its own when there is none, or half of the time.
Incarnation another(const History& history, Incarnation who, std::uint64_t draw);
// Another token than the one given: an older one, one that nobody was given, one of another grant.
Token another_token(Token token, std::uint64_t draw);

// A copy of what is at `from`, as if it came just after `to - 1`.
inline Kept again_at(const History& history, std::size_t from, std::size_t to) {
  return {history.facts[to - 1].at, history.facts[to - 1].store_now, history.facts[from].fact};
}
// Some place after this one, at most `within` later.
inline std::size_t later(const History& history, std::size_t place, std::uint64_t draw, std::size_t within) {
  return std::min(place + 1 + reduce(mix64(draw, 4), within), history.facts.size());
}

// A message of the reference store. REQUIRES: it is one of this type.
template <class T>
T& message_in(Request& request) {
  return std::get<T>(std::get<reference::Request>(request));
}
template <class T>
T& message_in(Reply& reply) {
  return std::get<T>(std::get<reference::Reply>(reply));
}
template <class T>
constexpr auto kReplies =
    [](const KeptApplied& applied) { return as_reference<T>(applied.reply) != nullptr; };

}  // namespace tenure::judging
