#include <algorithm>

#include "tests/judge/forge.h"
#include "tests/judge/forging.h"

namespace tenure::judging {
namespace {

constexpr auto kBelieves = [](const KeptNote& f) { return std::holds_alternative<Believes>(f.note); };

// ---- who leads ---------------------------------------------------------------------------------------------

// What a node notes after the fact `place` is forgotten.
void silence_from(History& history, std::size_t place, Incarnation who) {
  for (std::size_t other = history.facts.size(); --other > place;)
    if (const auto* note = std::get_if<KeptNote>(&history.facts[other].fact); note && note->who == who)
      take_out(history, other);
}
Until some_time(std::uint64_t draw) {
  return MonoTime::from_ns(static_cast<std::int64_t>(mix64(draw, 9) >> 2));
}

// Beside the other; or at the first instant at which that is over, since nothing is heard of it afterwards.
bool another_believes(History& history, std::uint64_t draw) {
  return change_one<KeptNote>(history, draw, kBelieves, [&](const KeptNote& note, std::size_t place) {
    Kept believes = history.facts[place];
    auto& other = std::get<KeptNote>(believes.fact);
    other.who = another(history, note.who, draw / 2);
    std::get<Believes>(other.note).until = some_time(draw);
    std::size_t at = place + 1;
    if (mix64(draw, 7) % 2 == 1) {
      believes.at = note.end;
      other.end = note.end + Duration::seconds(5);
      silence_from(history, place, note.who);
      while (at < history.facts.size() && history.facts[at].at < believes.at) ++at;
      if (at == history.facts.size() || believes.at <= history.facts[place].at) return false;
      believes.store_now = history.facts[at].store_now;
    }
    put_in(history, at, believes);
    return true;
  });
}
// A clock is set while a belief is counted on it, which ends at once; or after its end, which is put off.
bool clock_is_set(History& history, std::uint64_t draw) {
  const auto is_counted = [](const KeptNote& f) {
    return kBelieves(f) && !std::holds_alternative<Open>(std::get<Believes>(f.note).until);
  };
  return change_one<KeptNote>(history, draw, is_counted, [&](const KeptNote& changed, std::size_t place) {
    const KeptNote note = changed;
    silence_from(history, place, note.who);
    std::size_t at = place + 1;
    if (draw % 2 == 1)
      while (at < history.facts.size() && history.facts[at].at < note.end) ++at;
    if (at >= history.facts.size()) return false;
    const Kept& then = history.facts[at];
    KeptClockChange change{note.who.node, {{place, then.at}}};
    if (draw % 2 == 1) change.ends[place] = then.at + Duration::minutes(5);
    put_in(history, at, {then.at, then.store_now, change});
    return true;
  });
}
// What was declared once is declared anew, at some time after that: its token may be an old one by then.
bool believes_anew(History& history, std::uint64_t draw) {
  return change_one<KeptNote>(history, draw, kBelieves, [&](const KeptNote&, std::size_t place) {
    const std::size_t to = later(history, place, draw, history.facts.size());
    Kept anew = again_at(history, place, to);
    auto& note = std::get<KeptNote>(anew.fact);
    note.end = anew.at + Duration::seconds(5);
    std::get<Believes>(note.note).until = some_time(draw);
    put_in(history, to, anew);
    put_in(history, to, {anew.at, anew.store_now, KeptNote{note.who, StepsDown{ResourceId{0}, "forged"}}});
  });
}
bool belief_under_another_token(History& history, std::uint64_t draw) {
  const auto has_token = [](const KeptNote& f) { return kBelieves(f) && std::get<Believes>(f.note).token; };
  return change_one<KeptNote>(history, draw, has_token, [&](KeptNote& note, std::size_t) {
    std::optional<Token>& token = std::get<Believes>(note.note).token;
    token = draw % 4 == 0 ? std::nullopt : std::optional(another_token(*token, draw));
  });
}
bool asked_under_another_token(History& history, std::uint64_t draw) {
  if (draw % 2 == 0)
    return change_one<KeptWorkAsked>(
        history, draw, [](const KeptWorkAsked& f) { return f.item.token.has_value(); },
        [&](KeptWorkAsked& asked, std::size_t) {
          asked.item.token = another_token(*asked.item.token, draw);
        });
  const auto commits = [](const KeptSubmission& f) {
    return as_reference<reference::CommitFires>(f.submission.request) != nullptr;
  };
  return change_one<KeptSubmission>(history, draw, commits, [&](KeptSubmission& sent, std::size_t) {
    Token& token = message_in<reference::CommitFires>(sent.submission.request).token;
    token = another_token(token, draw);
  });
}
bool acts_of_another(History& history, std::uint64_t draw) {
  const auto change = [&](auto& act, std::size_t) { act.who = another(history, act.who, draw / 2); };
  if (draw % 2 == 0) return change_one<KeptWorkAsked>(history, draw, kAny, change);
  return change_one<KeptSubmission>(
      history, draw, [](const KeptSubmission& f) { return f.submission.as_leader; }, change);
}
// Under the same token, or another one; at once, or at the very end of the lease.
bool granted_to_another(History& history, std::uint64_t draw) {
  const auto forge = [&](const KeptApplied&, std::size_t place) {
    Kept grant = history.facts[place];
    auto& applied = std::get<KeptApplied>(grant.fact);
    const reference::Granted was = *as_reference<reference::Granted>(applied.reply);
    const ResourceId resource = resource_of(applied.request);
    applied.who = another(history, applied.who, draw | 1u);
    Token next = was.token;
    if (draw % 3 == 0) next.epoch += 1;
    if (draw % 3 == 1) next.nonce ^= 1;
    if (draw % 7 == 2) next.branch += 1;
    if (mix64(draw, 6) % 2 == 0) applied.store_now += was.duration;
    applied.request = reference::Request{
        reference::Acquire{resource, applied.who, was.token.epoch, next.nonce, was.duration}};
    applied.reply = reference::Reply{reference::Granted{next, was.duration}};
    put_in(history, place + 1, grant);
  };
  return change_one<KeptApplied>(history, draw, kReplies<reference::Granted>, forge);
}

// After the heal nobody believes, until shortly before the end or for good.
bool leaderless_after_the_heal(History& history, std::uint64_t draw) {
  const auto healed = places_of<sim::Healed>(history);
  if (healed.empty()) return false;
  const Kept heal = history.facts[healed.front()];
  const Duration tail = history.end - heal.at;
  const sim::TrueTime until = draw % 2 == 0 ? history.end : history.end - tail / 8;
  std::vector<Incarnation> all;
  for (const std::size_t place : places_of<KeptNote>(history, kBelieves)) {
    const Incarnation who = std::get<KeptNote>(history.facts[place].fact).who;
    if (std::find(all.begin(), all.end(), who) == all.end()) all.push_back(who);
  }
  std::erase_if(history.facts, [&](const Kept& kept) {
    const auto* note = std::get_if<KeptNote>(&kept.fact);
    return note != nullptr && kBelieves(*note) && kept.at >= heal.at && kept.at < until;
  });
  for (const Incarnation who : all)
    put_in(history, places_of<sim::Healed>(history).front(),
           {heal.at, heal.store_now, KeptNote{who, StepsDown{ResourceId{0}, "forged"}}});
  return true;
}

constexpr Forgery kOfLeaders[] = {
    {"another believes", another_believes},
    {"a clock is set", clock_is_set},
    {"believes anew", believes_anew},
    {"a belief under another token", belief_under_another_token},
    {"asked under another token", asked_under_another_token},
    {"acts of another", acts_of_another},
    {"the lease is granted to another", granted_to_another},
    {"leaderless after the heal", leaderless_after_the_heal},
};

}  // namespace

std::span<const Forgery> forgeries_of_leaders() { return kOfLeaders; }

}  // namespace tenure::judging
