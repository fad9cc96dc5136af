#include <algorithm>
#include <set>
#include <utility>

#include "core/base/hash.h"
#include "sim/stores/placement/requests.h"
#include "tests/judge/executions.h"
#include "tests/judge/forge.h"
#include "tests/judge/forging.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

using reference::Standing;

// ---- executions ------------------------------------------------------------------------------------------

reference::ClaimedExecutions& claimed_in(Kept& kept) {
  return std::get<reference::ClaimedExecutions>(
      std::get<reference::Reply>(std::get<KeptApplied>(kept.fact).reply));
}
reference::ExecutionStates& states_in(Kept& kept) {
  return std::get<reference::ExecutionStates>(
      std::get<reference::Reply>(std::get<KeptApplied>(kept.fact).reply));
}

Places claims(const History& history) {
  return places_of<KeptApplied>(history, [](const KeptApplied& f) {
    const auto* claimed = as_reference<reference::ClaimedExecutions>(f.reply);
    return claimed != nullptr && !claimed->executions.empty();
  });
}
Places answers(const History& history) {
  return places_of<KeptApplied>(history, [](const KeptApplied& f) {
    const auto* states = as_reference<reference::ExecutionStates>(f.reply);
    return states != nullptr && !states->executions.empty();
  });
}

// To somebody else, soon after or at any time after.
bool handed_out_again(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  const std::size_t after = draw % 2 == 0 ? 50 : history.facts.size() - from;
  const std::size_t to = std::min(from + 1 + reduce(mix64(draw, 4), after), history.facts.size());
  Kept again = history.facts[from];
  again.at = history.facts[to - 1].at;
  again.store_now = history.facts[to - 1].store_now;
  auto& applied = std::get<KeptApplied>(again.fact);
  applied.store_now = again.store_now;
  applied.who.number += 1'000;
  for (reference::Execution& each : claimed_in(again).executions) {
    each.token.attempt += draw % 3 == 0 ? 0 : 1;
    each.token.nonce ^= 1;
  }
  put_in(history, to, again);
  return true;
}
bool another_attempt(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  auto& executions = claimed_in(history.facts[drawn(places, draw)]).executions;
  executions[reduce(mix64(draw, 2), executions.size())].token.attempt += draw % 2 == 0 ? 1 : 7;
  return true;
}
// Another event of the same schedule.
bool handed_out_together(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  auto& executions = claimed_in(history.facts[drawn(places, draw)]).executions;
  reference::Execution other = executions.front();
  other.token.event.slot += Duration::millis(1);
  other.token.attempt = 1;
  executions.push_back(other);
  return true;
}
bool another_answer(History& history, std::uint64_t draw) {
  const Places places = answers(history);
  if (places.empty()) return false;
  constexpr Standing kAll[] = {Standing::claimed,   Standing::cancelled, Standing::failed,
                               Standing::completed, Standing::dead,      Standing::replaced,
                               Standing::reissued,  Standing::unknown,   Standing::released};
  auto& executions = states_in(history.facts[drawn(places, draw)]).executions;
  executions[reduce(mix64(draw, 2), executions.size())].standing =
      kAll[reduce(mix64(draw, 5), std::size(kAll))];
  return true;
}
bool longer_back_off(History& history, std::uint64_t draw) {
  Places places = answers(history);
  std::erase_if(places, [&](std::size_t place) {
    return states_in(history.facts[place]).executions.front().standing != Standing::failed;
  });
  if (places.empty()) return false;
  states_in(history.facts[drawn(places, draw)]).executions.front().until += Duration::minutes(5);
  return true;
}
// Of an event that was given back before, though it has an attempt left.
bool dead_after_a_return(History& history, std::uint64_t draw) {
  std::set<reference::EventId> returned;
  Places places;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const auto* applied = std::get_if<KeptApplied>(&history.facts[place].fact);
    if (applied == nullptr) continue;
    for (const auto& [token, standing] : ends_in(*applied)) {
      if (standing == Standing::released) returned.insert(token.event);
      if (standing == Standing::failed && returned.contains(token.event)) places.push_back(place);
    }
  }
  if (places.empty()) return false;
  for (reference::ExecutionState& state : states_in(history.facts[drawn(places, draw)]).executions)
    if (state.standing == Standing::failed) state.standing = Standing::dead;
  return true;
}
bool in_another_order(History& history, std::uint64_t draw) {
  Places places = claims(history);
  std::erase_if(places,
                [&](std::size_t place) { return claimed_in(history.facts[place]).executions.size() < 2; });
  if (places.empty()) return false;
  auto& executions = claimed_in(history.facts[drawn(places, draw)]).executions;
  std::reverse(executions.begin(), executions.end());
  return true;
}
// Any event that was fired before, for whomever.
bool handed_out_unasked(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  const Places commits = places_of<KeptApplied>(history, [](const KeptApplied& f) {
    return as_reference<reference::CommitFires>(f.request) != nullptr &&
           as_reference<reference::Committed>(f.reply) != nullptr;
  });
  if (places.empty() || commits.empty()) return false;
  const auto& commit =
      std::get<KeptApplied>(history.facts[commits[reduce(mix64(draw, 2), commits.size())]].fact);
  const auto& rows = as_reference<reference::CommitFires>(commit.request)->rows;
  const reference::LedgerRow& row = rows[reduce(mix64(draw, 3), rows.size())];
  auto& executions = claimed_in(history.facts[drawn(places, draw)]).executions;
  reference::Execution other = executions.front();
  other.token.event = {row.schedule, row.slot, 0};
  other.token.attempt = 1;
  executions.push_back(other);
  return true;
}
// The same one, in the same answer.
bool handed_out_twice(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  auto& executions = claimed_in(history.facts[drawn(places, draw)]).executions;
  const reference::Execution again = executions.back();
  executions.push_back(again);
  return true;
}
bool more_than_asked(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  Kept& kept = history.facts[drawn(places, draw)];
  auto& request = std::get<reference::Request>(std::get<KeptApplied>(kept.fact).request);
  std::get<reference::ClaimExecutions>(request).max =
      static_cast<std::uint32_t>(claimed_in(kept).executions.size() - 1);
  return true;
}
bool fewer_answers(History& history, std::uint64_t draw) {
  const Places places = answers(history);
  if (places.empty()) return false;
  states_in(history.facts[drawn(places, draw)]).executions.pop_back();
  return true;
}
// A consumer acknowledges it just before.
bool handed_out_and_acknowledged(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  Kept before = history.facts[place];
  reference::AckEvents ack;
  for (const reference::Execution& each : claimed_in(before).executions)
    ack.events.push_back(each.token.event);
  auto& applied = std::get<KeptApplied>(before.fact);
  applied.who = {sim::kClientNode, 1};
  applied.request = reference::Request(ack);
  applied.reply = reference::Reply(reference::Acknowledged{});
  put_in(history, place, before);
  return true;
}
// What one worker is given, another one is given soon after, and the other way round.
bool given_to_another(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.size() < 2) return false;
  const std::size_t first = reduce(mix64(draw, 2), places.size() - 1);
  reference::Execution& one = claimed_in(history.facts[places[first]]).executions.front();
  reference::Execution& other = claimed_in(history.facts[places[first + 1]]).executions.front();
  if (one.token.event == other.token.event) return false;
  std::swap(one.token.event, other.token.event);
  std::swap(one.token.attempt, other.token.attempt);
  std::swap(one.version, other.version);
  return true;
}
bool of_another_version(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  ++claimed_in(history.facts[drawn(places, draw)]).executions.front().version;
  return true;
}
// The store says of a slot that fired that it overlaps, or the other way round.
bool overlaps_otherwise(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptApplied>(history, [](const KeptApplied& f) {
    const auto* committed = as_reference<reference::Committed>(f.reply);
    return committed != nullptr && !committed->rows.empty();
  });
  if (places.empty()) return false;
  auto& applied = std::get<KeptApplied>(history.facts[drawn(places, draw)].fact);
  const auto& asked = as_reference<reference::CommitFires>(applied.request)->rows;
  auto& rows = std::get<reference::Committed>(std::get<reference::Reply>(applied.reply)).rows;
  const std::size_t row = reduce(mix64(draw, 2), rows.size());
  if (asked[row].what != reference::Disposition::fired || asked[row].slots != 1) return false;
  using reference::RowResult;
  if (rows[row] != RowResult::covered && rows[row] != RowResult::overlapped) return false;
  rows[row] = rows[row] == RowResult::covered ? RowResult::overlapped : RowResult::covered;
  return true;
}
bool not_handed_out(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  auto& executions = claimed_in(history.facts[drawn(places, draw)]).executions;
  executions.erase(executions.begin() +
                   static_cast<std::ptrdiff_t>(reduce(mix64(draw, 2), executions.size())));
  return true;
}
// It is never given to anybody, and nobody says anything of it.
bool starves(History& history, std::uint64_t draw) {
  const Places places = claims(history);
  if (places.empty()) return false;
  const reference::EventId event =
      claimed_in(history.facts[drawn(places, draw)]).executions.front().token.event;
  for (const std::size_t place : places)
    std::erase_if(claimed_in(history.facts[place]).executions,
                  [&](const reference::Execution& each) { return each.token.event == event; });
  Places about;
  for (const std::size_t place : answers(history)) {
    const auto& request = std::get<KeptApplied>(history.facts[place].fact).request;
    const auto is_it = [&](const reference::ExecutionToken& token) { return token.event == event; };
    if (const auto* asked = as_reference<reference::ExtendExecutions>(request))
      if (std::any_of(asked->executions.begin(), asked->executions.end(), is_it)) about.push_back(place);
    if (const auto* asked = as_reference<reference::ReleaseExecutions>(request))
      if (std::any_of(asked->executions.begin(), asked->executions.end(), is_it)) about.push_back(place);
    if (const auto* asked = as_reference<reference::EndExecutions>(request))
      if (std::any_of(asked->ends.begin(), asked->ends.end(),
                      [&](const reference::ExecutionEnd& end) { return is_it(end.token); }))
        about.push_back(place);
  }
  for (auto place = about.rbegin(); place != about.rend(); ++place) take_out(history, *place);
  return true;
}
bool answer_forgotten(History& history, std::uint64_t draw) {
  const Places places = answers(history);
  if (places.empty()) return false;
  take_out(history, drawn(places, draw));
  return true;
}

// ---- items that are placed -------------------------------------------------------------------------------

// What is held of another store never changes: a changed copy takes its place.
template <class Asked, class Change>
void change_placement(Request& request, Change change) {
  auto changed = std::get<Asked>(*message_as<placement::Request>(request));
  change(changed);
  request = placement::Request{changed};
}
Places assignments(const History& history) {
  return places_of<KeptApplied>(history, [](const KeptApplied& f) {
    const auto* reply = message_as<placement::Reply>(f.reply);
    return reply != nullptr && std::holds_alternative<placement::Assigned>(*reply);
  });
}
const placement::ReportWork* report_in(const KeptSubmission& sent) {
  const auto* family = message_as<placement::Request>(sent.submission.request);
  return family != nullptr ? std::get_if<placement::ReportWork>(family) : nullptr;
}

bool assigned_by_another_version(History& history, std::uint64_t draw) {
  const Places places = assignments(history);
  if (places.empty()) return false;
  change_placement<placement::AssignItem>(
      std::get<KeptApplied>(history.facts[drawn(places, draw)].fact).request,
      [draw](placement::AssignItem& assignment) { assignment.seen += draw % 2 == 0 ? 1 : -1; });
  return true;
}
bool assignment_forgotten(History& history, std::uint64_t draw) {
  const Places places = assignments(history);
  if (places.empty()) return false;
  take_out(history, drawn(places, draw));
  return true;
}
// What one of them reports from some moment on.
template <class Change>
bool reports_change(History& history, std::uint64_t draw, Change change) {
  const Places places =
      places_of<KeptSubmission>(history, [](const KeptSubmission& f) { return report_in(f) != nullptr; });
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  const Incarnation who = std::get<KeptSubmission>(history.facts[from].fact).who;
  for (const std::size_t place : places) {
    auto& sent = std::get<KeptSubmission>(history.facts[place].fact);
    if (place >= from && sent.who == who)
      change_placement<placement::ReportWork>(sent.submission.request, change);
  }
  return true;
}
bool runs_another_item(History& history, std::uint64_t draw) {
  const std::int64_t item = 1 + static_cast<std::int64_t>(reduce(mix64(draw, 3), 5));
  return reports_change(history, draw, [&](placement::ReportWork& report) { report.runs.push_back(item); });
}
bool runs_nothing(History& history, std::uint64_t draw) {
  return reports_change(history, draw, [](placement::ReportWork& report) { report.runs.clear(); });
}

}  // namespace

const std::vector<Forgery>& forgeries_of_workers() {
  static const std::vector<Forgery> kAll = {
      {"handed out again", handed_out_again},
      {"another attempt", another_attempt},
      {"handed out together", handed_out_together},
      {"another answer to a worker", another_answer},
      {"a longer back-off", longer_back_off},
      {"an answer is forgotten", answer_forgotten},
      {"not handed out", not_handed_out},
      {"starves", starves},
      {"dead after a return", dead_after_a_return},
      {"handed out in another order", in_another_order},
      {"given to another", given_to_another},
      {"handed out unasked", handed_out_unasked},
      {"of another version", of_another_version},
      {"handed out and acknowledged", handed_out_and_acknowledged},
      {"handed out twice", handed_out_twice},
      {"more than asked", more_than_asked},
      {"fewer answers", fewer_answers},
      {"overlaps otherwise", overlaps_otherwise},
      {"assigned by another version", assigned_by_another_version},
      {"an assignment is forgotten", assignment_forgotten},
      {"runs another item", runs_another_item},
      {"runs nothing", runs_nothing},
  };
  return kAll;
}

}  // namespace tenure::judging
