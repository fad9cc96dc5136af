#include "tests/judge/forge.h"

#include <algorithm>
#include <set>

#include "core/base/hash.h"
#include "core/store/reference/segments.h"
#include "tests/judge/forging.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

// Declarations are known by their places, so what is put in or taken out moves them.
void shift_places(History& history, std::size_t from, std::ptrdiff_t by) {
  for (Kept& kept : history.facts) {
    auto* change = std::get_if<KeptClockChange>(&kept.fact);
    if (change == nullptr) continue;
    std::map<std::size_t, sim::TrueTime> ends;
    for (const auto& [declared, end] : change->ends) {
      if (by < 0 && declared == from) continue;
      ends[declared < from ? declared
                           : static_cast<std::size_t>(static_cast<std::ptrdiff_t>(declared) + by)] = end;
    }
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

namespace {

Places landings(const History& history) {
  return places_of<KeptLanding>(
      history, [](const KeptLanding& f) { return f.landing == sim::DeliveryOutcome::begun; });
}
// Commits of which at least one row was covered.
Places commits(const History& history) {
  return places_of<KeptApplied>(history, [](const KeptApplied& f) {
    const auto* reply = as_reference<reference::Committed>(f.reply);
    return reply != nullptr &&
           std::count(reply->rows.begin(), reply->rows.end(), reference::RowResult::covered) > 0;
  });
}
reference::CommitFires& commit_in(KeptApplied& applied) {
  return std::get<reference::CommitFires>(std::get<reference::Request>(applied.request));
}
reference::Committed& reply_in(KeptApplied& applied) {
  return std::get<reference::Committed>(std::get<reference::Reply>(applied.reply));
}
// A covered row of a commit.
reference::LedgerRow& row_in(KeptApplied& applied, std::uint64_t draw) {
  Places covered;
  for (std::size_t i = 0; i < reply_in(applied).rows.size(); ++i)
    if (reply_in(applied).rows[i] == reference::RowResult::covered) covered.push_back(i);
  return commit_in(applied).rows[drawn(covered, mix64(draw, 2))];
}

// Changes a covered row as `change` says.
template <class Change>
bool change_row(History& history, std::uint64_t draw, Change change) {
  const Places places = commits(history);
  if (places.empty()) return false;
  auto& applied = std::get<KeptApplied>(history.facts[drawn(places, draw)].fact);
  change(row_in(applied, draw));
  return true;
}

// Changes the commit, or the landing, as `change` says.
template <class Change>
bool change_commit(History& history, std::uint64_t draw, Change change) {
  const Places places = commits(history);
  if (places.empty()) return false;
  change(history.facts[drawn(places, draw)], std::get<KeptApplied>(history.facts[drawn(places, draw)].fact));
  return true;
}
template <class Change>
bool change_landing(History& history, std::uint64_t draw, Change change) {
  const Places places = landings(history);
  if (places.empty()) return false;
  change(std::get<KeptLanding>(history.facts[drawn(places, draw)].fact));
  return true;
}

Incarnation another(Incarnation who) { return {who.node, who.number + 1}; }
// Some other incarnation that the history knows; a later life of its own when there is none.
Incarnation somebody_else(const History& history, Incarnation who, std::uint64_t draw) {
  const Places started = places_of<sim::NodeStarted>(
      history, [who](const sim::NodeStarted& f) { return f.who.node != who.node; });
  if (started.empty()) return another(who);
  return std::get<sim::NodeStarted>(history.facts[drawn(started, mix64(draw, 3))].fact).who;
}

bool work_begins_again(History& history, std::uint64_t draw) {
  const Places places = landings(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  const std::size_t to = from + 1 + reduce(mix64(draw, 4), history.facts.size() - from);
  Kept again = history.facts[from];
  again.at = history.facts[to - 1].at;
  again.store_now = history.facts[to - 1].store_now;
  auto& landing = std::get<KeptLanding>(again.fact);
  landing.store_now = again.store_now;
  if (draw % 2 == 0) {  // another piece of work, of somebody else
    landing.who = somebody_else(history, landing.who, draw);
    landing.item.event.run = 1'000'000;
  }
  const Kept ending{again.at, again.store_now, KeptEnding{landing.who, landing.item, sim::Ending::done}};
  put_in(history, to, again);
  put_in(history, to + 1, ending);
  return true;
}
bool work_never_begins(History& history, std::uint64_t draw) {
  const Places places = landings(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  const KeptLanding gone = std::get<KeptLanding>(history.facts[from].fact);
  for (std::size_t place = from + 1; place < history.facts.size(); ++place) {
    const auto* ended = std::get_if<KeptEnding>(&history.facts[place].fact);
    if (ended == nullptr || ended->who != gone.who || ended->item.event != gone.item.event) continue;
    take_out(history, place);
    break;
  }
  take_out(history, from);
  return true;
}
bool work_never_ends(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptEnding>(history, [](const KeptEnding&) { return true; });
  if (places.empty()) return false;
  take_out(history, drawn(places, draw));
  return true;
}
bool commit_again(History& history, std::uint64_t draw) {
  const Places places = commits(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  Kept again = history.facts[from];
  std::get<KeptApplied>(again.fact).id.counter += 1'000'000;  // a request of its own
  put_in(history, from + 1, again);
  return true;
}
bool commit_lost(History& history, std::uint64_t draw) {
  const Places places = commits(history);
  if (places.empty()) return false;
  take_out(history, drawn(places, draw));
  return true;
}
bool row_lost(History& history, std::uint64_t draw) {
  return change_commit(history, draw, [draw](Kept&, KeptApplied& applied) {
    const reference::LedgerRow* row = &row_in(applied, draw);
    const auto i = static_cast<std::size_t>(row - commit_in(applied).rows.data());
    reply_in(applied).rows[i] = reference::RowResult::moved;
  });
}
// From some commit on, the store covers nothing any more.
bool nothing_covered(History& history, std::uint64_t draw) {
  const Places places = commits(history);
  if (places.empty()) return false;
  for (const std::size_t place : places)
    if (place >= drawn(places, draw))
      for (reference::RowResult& row : reply_in(std::get<KeptApplied>(history.facts[place].fact)).rows)
        row = reference::RowResult::moved;
  return true;
}
bool slot_off_the_grid(History& history, std::uint64_t draw) {
  return change_row(history, draw, [draw](reference::LedgerRow& row) {
    row.slot += draw % 2 == 0 ? Duration::micros(1) : -Duration::micros(1);
  });
}
// Where it covers its own slot alone it goes on to do so, and no edit's answer becomes impossible.
void cover_no_more(reference::LedgerRow& row) { row.to = reference::covered_end(row); }
bool other_disposition(History& history, std::uint64_t draw) {
  return change_row(history, draw, [draw](reference::LedgerRow& row) {
    constexpr reference::Disposition kAll[] = {
        reference::Disposition::fired, reference::Disposition::coalesced, reference::Disposition::missed,
        reference::Disposition::paused, reference::Disposition::overlapped};
    cover_no_more(row);
    row.what = kAll[reduce(mix64(draw, 5), std::size(kAll))];
  });
}
bool other_version(History& history, std::uint64_t draw) {
  return change_row(history, draw, [draw](reference::LedgerRow& row) {
    row.version = row.version > 1 && draw % 2 == 0 ? row.version - 1 : row.version + 1;
  });
}
bool miscounted(History& history, std::uint64_t draw) {
  return change_row(history, draw, [](reference::LedgerRow& row) {
    cover_no_more(row);
    row.slots += 1;
  });
}
bool other_due(History& history, std::uint64_t draw) {
  return change_row(history, draw, [draw](reference::LedgerRow& row) {
    row.due += draw % 2 == 0 ? Duration::micros(1) : -Duration::micros(1);
  });
}
bool commit_early(History& history, std::uint64_t draw) {
  return change_commit(history, draw, [draw](Kept&, KeptApplied& applied) {
    const StoreTime due = row_in(applied, draw).due;
    applied.store_now = due - (draw % 2 == 0 ? Duration::micros(1) : Duration::seconds(1));
  });
}
bool commit_after_the_lease(History& history, std::uint64_t draw) {
  const Places places = commits(history);
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  auto& applied = std::get<KeptApplied>(history.facts[place].fact);
  // At the very end of the lease, as far as the last grant before it says.
  for (std::size_t before = place; before-- > 0;) {
    const auto* grant = std::get_if<KeptApplied>(&history.facts[before].fact);
    const auto* granted = grant != nullptr ? as_reference<reference::Granted>(grant->reply) : nullptr;
    if (granted == nullptr) continue;
    applied.store_now =
        grant->store_now + granted->duration + (draw % 2 == 0 ? Duration{} : Duration::micros(1));
    return true;
  }
  return false;
}
bool commit_under_another_nonce(History& history, std::uint64_t draw) {
  return change_commit(history, draw,
                       [](Kept&, KeptApplied& applied) { commit_in(applied).token.nonce ^= 1; });
}
bool commit_under_another_epoch(History& history, std::uint64_t draw) {
  return change_commit(history, draw,
                       [](Kept&, KeptApplied& applied) { commit_in(applied).token.epoch += 1; });
}
bool commit_of_another(History& history, std::uint64_t draw) {
  const Places places = commits(history);
  if (places.empty()) return false;
  auto& applied = std::get<KeptApplied>(history.facts[drawn(places, draw)].fact);
  applied.who = draw % 2 == 0 ? another(applied.who) : somebody_else(history, applied.who, draw);
  commit_in(applied).holder = applied.who;
  return true;
}
bool work_without_a_token(History& history, std::uint64_t draw) {
  return change_landing(history, draw, [](KeptLanding& landing) { landing.item.token.reset(); });
}
bool work_under_an_old_token(History& history, std::uint64_t draw) {
  return change_landing(history, draw, [draw](KeptLanding& landing) {
    if (!landing.item.token) return;
    if (draw % 2 == 0 && landing.item.token->epoch > 0)
      landing.item.token->epoch -= 1;
    else
      landing.item.token->nonce ^= 1;
  });
}
bool work_of_another(History& history, std::uint64_t draw) {
  const Places places = landings(history);
  if (places.empty()) return false;
  auto& landing = std::get<KeptLanding>(history.facts[drawn(places, draw)].fact);
  const Incarnation who = draw % 2 == 0 ? another(landing.who) : somebody_else(history, landing.who, draw);
  for (Kept& kept : history.facts)
    if (auto* ended = std::get_if<KeptEnding>(&kept.fact);
        ended != nullptr && ended->who == landing.who && ended->item.event == landing.item.event)
      ended->who = who;
  landing.who = who;
  return true;
}
bool work_early(History& history, std::uint64_t draw) {
  const Places places = landings(history);
  if (places.empty()) return false;
  auto& landing = std::get<KeptLanding>(history.facts[drawn(places, draw)].fact);
  const reference::EventId was = landing.item.event;
  landing.item.event.slot += draw % 2 == 0 ? Duration::seconds(60) : Duration::micros(1);
  for (Kept& kept : history.facts)
    if (auto* ended = std::get_if<KeptEnding>(&kept.fact);
        ended != nullptr && ended->who == landing.who && ended->item.event == was)
      ended->item.event = landing.item.event;
  return true;
}
bool release_while_working(History& history, std::uint64_t draw) {
  const Places places = landings(history);
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  const auto landing = std::get<KeptLanding>(history.facts[place].fact);
  if (!landing.item.token) return false;
  put_in(history, place + 1,
         {history.facts[place].at, history.facts[place].store_now,
          KeptApplied{
              landing.item.token->branch,
              history.facts[place].store_now,
              landing.who,
              {},
              reference::Request{reference::Release{landing.item.resource, landing.who, *landing.item.token}},
              reference::Reply{reference::Released{}}}});
  return true;
}
bool granted_to_another(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptApplied>(
      history, [](const KeptApplied& f) { return as_reference<reference::Granted>(f.reply) != nullptr; });
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  Kept grant = history.facts[place];
  auto& applied = std::get<KeptApplied>(grant.fact);
  const Token token = as_reference<reference::Granted>(applied.reply)->token;
  const Duration duration = as_reference<reference::Granted>(applied.reply)->duration;
  const ResourceId resource = resource_of(applied.request);
  applied.who = somebody_else(history, applied.who, draw);
  Token next = token;
  if (draw % 3 == 0) next.epoch += 1;
  if (draw % 3 == 1) next.nonce ^= 1;
  if (draw % 7 == 2) next = {token.branch + 1, token.epoch, token.nonce};
  // Once more, later, perhaps at the very end of the lease.
  if (mix64(draw, 6) % 2 == 0) applied.store_now += duration;
  applied.request =
      reference::Request{reference::Acquire{resource, applied.who, token.epoch, next.nonce, duration}};
  applied.reply = reference::Reply{reference::Granted{next, duration}};
  put_in(history, place + 1, grant);
  return true;
}
// What a node notes after the fact `place` is forgotten.
void silence_from(History& history, std::size_t place, Incarnation who) {
  for (std::size_t later = history.facts.size(); --later > place;) {
    const auto* note = std::get_if<KeptNote>(&history.facts[later].fact);
    if (note != nullptr && note->who == who) take_out(history, later);
  }
}
// A clock is set while a belief is counted on it, which ends at once; or after its end, which is put off.
bool clock_is_set(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptNote>(history, [](const KeptNote& f) {
    const auto* believes = std::get_if<Believes>(&f.note);
    return believes != nullptr && !std::holds_alternative<Open>(believes->until);
  });
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  const auto note = std::get<KeptNote>(history.facts[place].fact);
  silence_from(history, place, note.who);
  std::size_t at = place + 1;
  if (draw % 2 == 1)
    while (at < history.facts.size() && history.facts[at].at < note.end) ++at;
  if (at >= history.facts.size()) return false;
  KeptClockChange change{note.who.node, {}};
  change.ends[place] = history.facts[at].at + (draw % 2 == 1 ? Duration::minutes(5) : Duration{});
  put_in(history, at, {history.facts[at].at, history.facts[at].store_now, change});
  return true;
}
// A definition says something else than the leader knows.
bool edit_of_another_kind(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptApplied>(history, [](const KeptApplied& f) {
    return as_reference<reference::PutSchedule>(f.request) != nullptr &&
           as_reference<reference::Edited>(f.reply) != nullptr;
  });
  if (places.empty()) return false;
  auto& applied = std::get<KeptApplied>(history.facts[drawn(places, draw)].fact);
  auto& definition =
      std::get<reference::PutSchedule>(std::get<reference::Request>(applied.request)).definition;
  if (draw % 2 == 0) {
    definition.paused = !definition.paused;
  } else {
    definition.misfire.policy = Misfire::Policy::fire_all;
    definition.misfire.max_catchup = Misfire::kNoLimit;
  }
  return true;
}
bool another_believes(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptNote>(
      history, [](const KeptNote& f) { return std::holds_alternative<Believes>(f.note); });
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  Kept believes = history.facts[place];
  auto& note = std::get<KeptNote>(believes.fact);
  const sim::TrueTime end = note.end;
  const Incarnation was = note.who;
  note.who = draw % 4 == 3 ? another(note.who) : somebody_else(history, note.who, draw);
  std::get<Believes>(note.note).until = MonoTime::from_ns(static_cast<std::int64_t>(mix64(draw, 9) >> 2));
  // Beside the other; or at the first instant at which that is over, since nothing is heard of it afterwards.
  if (mix64(draw, 7) % 2 == 0) {
    put_in(history, place + 1, believes);
    return true;
  }
  if (end <= history.facts[place].at) return false;  // it was over when it was declared
  silence_from(history, place, was);
  for (std::size_t later = place + 1; later < history.facts.size(); ++later) {
    if (history.facts[later].at < end) continue;
    believes.at = end;
    note.end = end + Duration::seconds(5);
    believes.store_now = history.facts[later].store_now;
    put_in(history, later, believes);
    return true;
  }
  return false;
}
// Another token than the one given: an older one, one that nobody was given, one of another grant.
Token another_token(Token token, std::uint64_t draw) {
  const std::uint64_t which = mix64(draw, 10) % 3;
  if (which == 0 && token.epoch > 0) token.epoch -= 1;
  if (which == 1) token.epoch += 1'000;
  if (which == 2) token.nonce ^= 1;
  return token;
}
bool belief_under_another_token(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptNote>(history, [](const KeptNote& f) {
    const auto* believes = std::get_if<Believes>(&f.note);
    return believes != nullptr && believes->token;
  });
  if (places.empty()) return false;
  auto& token = std::get<Believes>(std::get<KeptNote>(history.facts[drawn(places, draw)].fact).note).token;
  if (draw % 4 == 0)
    token.reset();
  else
    token = another_token(*token, draw);
  return true;
}
bool asked_under_another_token(History& history, std::uint64_t draw) {
  const Places places =
      places_of<KeptWorkAsked>(history, [](const KeptWorkAsked& f) { return f.item.token.has_value(); });
  const Places commits = places_of<KeptSubmission>(history, [](const KeptSubmission& f) {
    return as_reference<reference::CommitFires>(f.submission.request) != nullptr;
  });
  if (places.empty()) return false;
  if (draw % 2 == 0 || commits.empty()) {
    auto& token = std::get<KeptWorkAsked>(history.facts[drawn(places, draw)].fact).item.token;
    token = another_token(*token, draw);
  } else {
    Request& request = std::get<KeptSubmission>(history.facts[drawn(commits, draw)].fact).submission.request;
    auto& token = std::get<reference::CommitFires>(std::get<reference::Request>(request)).token;
    token = another_token(token, draw);
  }
  return true;
}
// What was declared once is declared anew, at some time after that: its token may be an old one by then.
bool believes_anew(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptNote>(
      history, [](const KeptNote& f) { return std::holds_alternative<Believes>(f.note); });
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  const std::size_t later = place + 1 + reduce(mix64(draw, 11), history.facts.size() - place);
  Kept anew = history.facts[later - 1];
  anew.fact = history.facts[place].fact;
  auto& note = std::get<KeptNote>(anew.fact);
  note.end = anew.at + Duration::seconds(5);
  std::get<Believes>(note.note).until = MonoTime::from_ns(static_cast<std::int64_t>(mix64(draw, 9) >> 2));
  put_in(history, later, anew);
  put_in(history, later, {anew.at, anew.store_now, KeptNote{note.who, StepsDown{ResourceId{0}, "forged"}}});
  return true;
}
// A token was never granted.
bool grant_forgotten(History& history, std::uint64_t draw) {
  const auto granted = [&history](std::size_t place) {
    return as_reference<reference::Granted>(std::get<KeptApplied>(history.facts[place].fact).reply)->token;
  };
  const Places places = places_of<KeptApplied>(
      history, [](const KeptApplied& f) { return as_reference<reference::Granted>(f.reply) != nullptr; });
  if (places.empty()) return false;
  const Token token = granted(drawn(places, draw));
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    if (granted(*place) == token) take_out(history, *place);
  return true;
}
// Whoever leads last steps down around a second before the end; or that is a short turn, after a gap.
bool steps_down_at_the_end(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptNote>(
      history, [](const KeptNote& f) { return std::holds_alternative<Believes>(f.note); });
  if (places.empty()) return false;
  const std::size_t place = places.back();
  const auto note = std::get<KeptNote>(history.facts[place].fact);
  silence_from(history, place, note.who);
  const auto note_at = [&history](Duration before_end, KeptNote what) {
    const sim::TrueTime at = history.end - before_end;
    std::size_t later = history.facts.size();
    while (later > 0 && history.facts[later - 1].at > at) --later;
    put_in(history, later, {at, history.end_store - before_end, std::move(what)});
  };
  const KeptNote down{note.who, StepsDown{ResourceId{0}, "forged"}};
  const Duration gap = Duration::millis(static_cast<std::int64_t>(100 + mix64(draw, 12) % 1'500));
  note_at(gap + Duration::millis(draw % 2 == 0 ? 0 : 2'000), down);
  if (draw % 2 == 0) return true;
  KeptNote again = note;
  std::get<Believes>(again.note).until = MonoTime::from_ns(static_cast<std::int64_t>(mix64(draw, 9) >> 2));
  note_at(gap + Duration::millis(static_cast<std::int64_t>(mix64(draw, 13) % 1'500)), again);
  note_at(gap, down);
  return true;
}
bool belief_forgotten(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptNote>(history, [](const KeptNote& f) {
    return std::holds_alternative<Believes>(f.note) || std::holds_alternative<StepsDown>(f.note);
  });
  if (places.empty()) return false;
  take_out(history, drawn(places, draw));
  return true;
}
bool death_forgotten(History& history, std::uint64_t draw) {
  const Places places = places_of<sim::NodeDied>(history, [](const sim::NodeDied&) { return true; });
  if (places.empty()) return false;
  take_out(history, drawn(places, draw));
  return true;
}
// What was taken is refused.
bool work_refused(History& history, std::uint64_t draw) {
  const Places places = landings(history);
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  auto& landing = std::get<KeptLanding>(history.facts[place].fact);
  landing.landing = sim::DeliveryOutcome::fenced;
  for (std::size_t later = place + 1; later < history.facts.size(); ++later) {
    const auto* ended = std::get_if<KeptEnding>(&history.facts[later].fact);
    if (ended == nullptr || ended->who != landing.who || ended->item.event != landing.item.event) continue;
    take_out(history, later);
    break;
  }
  return true;
}
// From some moment on nothing of a schedule is executed.
bool schedule_not_executed(History& history, std::uint64_t draw) {
  const Places places = landings(history);
  if (places.empty()) return false;
  const std::size_t first = drawn(places, draw);
  const ScheduleId schedule = std::get<KeptLanding>(history.facts[first].fact).item.event.schedule;
  std::set<reference::EventId> gone;
  for (const std::size_t place : places)
    if (const auto& landing = std::get<KeptLanding>(history.facts[place].fact);
        place >= first && landing.item.event.schedule == schedule)
      gone.insert(landing.item.event);
  for (std::size_t place = history.facts.size(); place-- > first;) {
    const auto* landing = std::get_if<KeptLanding>(&history.facts[place].fact);
    const auto* ended = std::get_if<KeptEnding>(&history.facts[place].fact);
    if ((landing != nullptr && gone.contains(landing->item.event)) ||
        (ended != nullptr && gone.contains(ended->item.event)))
      take_out(history, place);
  }
  return true;
}
bool acts_of_another(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptWorkAsked>(history, [](const KeptWorkAsked&) { return true; });
  const Places submits =
      places_of<KeptSubmission>(history, [](const KeptSubmission& f) { return f.submission.as_leader; });
  if (places.empty()) return false;
  if (draw % 2 == 0 || submits.empty()) {
    auto& asked = std::get<KeptWorkAsked>(history.facts[drawn(places, draw)].fact);
    asked.who = somebody_else(history, asked.who, draw);
  } else {
    auto& submitted = std::get<KeptSubmission>(history.facts[drawn(submits, draw)].fact);
    submitted.who = somebody_else(history, submitted.who, draw);
  }
  return true;
}
bool two_versions_at_once(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptSubmission>(history, [](const KeptSubmission& f) {
    const auto* commit = as_reference<reference::CommitFires>(f.submission.request);
    return commit != nullptr && !commit->rows.empty();
  });
  if (places.empty()) return false;
  auto& request = std::get<KeptSubmission>(history.facts[drawn(places, draw)].fact).submission.request;
  auto& commit = std::get<reference::CommitFires>(std::get<reference::Request>(request));
  commit.rows.push_back(commit.rows.front());
  commit.rows.back().version += 1;
  return true;
}
bool acknowledged_early(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptWorkAsked>(history, [](const KeptWorkAsked&) { return true; });
  const Places acks = places_of<KeptSubmission>(history, [](const KeptSubmission& f) {
    return as_reference<reference::AckEvents>(f.submission.request) != nullptr;
  });
  if (places.empty() || acks.empty()) return false;
  const std::size_t asked = drawn(draw % 2 == 0 ? places : landings(history), draw);
  const bool landed = std::holds_alternative<KeptLanding>(history.facts[asked].fact);
  Kept ack = history.facts[drawn(acks, draw)];
  auto& submission = std::get<KeptSubmission>(ack.fact);
  const WorkItem item = landed ? std::get<KeptLanding>(history.facts[asked].fact).item
                               : std::get<KeptWorkAsked>(history.facts[asked].fact).item;
  submission.who = landed ? std::get<KeptLanding>(history.facts[asked].fact).who
                          : std::get<KeptWorkAsked>(history.facts[asked].fact).who;
  submission.submission.request = reference::Request{reference::AckEvents{item.resource, {item.event}}};
  ack.at = history.facts[asked].at;
  ack.store_now = history.facts[asked].store_now;
  put_in(history, asked + 1, ack);
  return true;
}
bool outbox_not_read(History& history, std::uint64_t) {
  const Places reads = places_of<KeptApplied>(
      history, [](const KeptApplied& f) { return as_reference<reference::Outbox>(f.reply) != nullptr; });
  for (auto place = reads.rbegin(); place != reads.rend(); ++place) take_out(history, *place);
  return !reads.empty();
}
// Instead of a commit its leader sets a hold, and nobody commits any more.
bool hold_stays(History& history, std::uint64_t draw) {
  const Places places = commits(history);
  if (places.empty()) return false;
  const std::size_t first = drawn(places, draw);
  for (auto place = places.rbegin(); *place != first; ++place) take_out(history, *place);
  Kept& kept = history.facts[first];
  auto& applied = std::get<KeptApplied>(kept.fact);
  const auto& commit = std::get<reference::CommitFires>(std::get<reference::Request>(applied.request));
  applied.request = reference::Request{
      reference::SetHold{commit.resource, commit.holder, commit.token, Duration::seconds(9)}};
  applied.reply = reference::Reply{reference::HoldSet{reference::Hold{kept.store_now, Duration::seconds(9)}}};
  return true;
}
// From some commit on the store covers nothing of one of its schedules any more.
bool schedule_passed_over(History& history, std::uint64_t draw) {
  const Places places = commits(history);
  if (places.empty()) return false;
  const std::size_t first = drawn(places, draw);
  const ScheduleId schedule = row_in(std::get<KeptApplied>(history.facts[first].fact), draw).schedule;
  for (const std::size_t place : places) {
    if (place < first) continue;
    auto& applied = std::get<KeptApplied>(history.facts[place].fact);
    for (std::size_t i = 0; i < reply_in(applied).rows.size(); ++i)
      if (commit_in(applied).rows[i].schedule == schedule)
        reply_in(applied).rows[i] = reference::RowResult::moved;
  }
  return true;
}
// From some look on the outbox shows a fire that nobody begins.
bool shown_and_not_begun(History& history, std::uint64_t draw) {
  const Places reads = places_of<KeptApplied>(history, [](const KeptApplied& f) {
    const auto* page = as_reference<reference::Outbox>(f.reply);
    return page != nullptr && !page->more;
  });
  if (reads.empty()) return false;
  for (const std::size_t place : reads) {
    if (place < drawn(reads, draw)) continue;
    auto& applied = std::get<KeptApplied>(history.facts[place].fact);
    auto& page = std::get<reference::Outbox>(std::get<reference::Reply>(applied.reply));
    page.events.push_back({1'000'000'000, {ScheduleId{0}, StoreTime{}, 0}});
  }
  return true;
}
// Work fails instead, and is neither begun again nor acknowledged.
bool failed_and_forgotten(History& history, std::uint64_t draw) {
  const Places places =
      places_of<KeptEnding>(history, [](const KeptEnding& f) { return f.ending == sim::Ending::done; });
  if (places.empty()) return false;
  const std::size_t at = drawn(places, draw);
  auto& ended = std::get<KeptEnding>(history.facts[at].fact);
  ended.ending = sim::Ending::failed;
  const auto forget = [&](Request& request) {
    if (as_reference<reference::AckEvents>(request) == nullptr) return;
    std::erase(std::get<reference::AckEvents>(std::get<reference::Request>(request)).events,
               ended.item.event);
  };
  for (std::size_t place = at; place < history.facts.size(); ++place) {
    if (auto* submitted = std::get_if<KeptSubmission>(&history.facts[place].fact))
      forget(submitted->submission.request);
    if (auto* applied = std::get_if<KeptApplied>(&history.facts[place].fact)) forget(applied->request);
  }
  return true;
}
// A leader gives its lease back for nothing.
bool leaves(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptSubmission>(history, [](const KeptSubmission& f) {
    return as_reference<reference::ReadOutbox>(f.submission.request) != nullptr;
  });
  if (places.empty()) return false;
  const std::size_t place = drawn(places, draw);
  const Kept kept = history.facts[place];
  auto release = std::get<KeptSubmission>(kept.fact);
  release.id.counter += 1'000'000;
  release.submission.part = Part::elector;
  release.submission.request = reference::Request{reference::Release{ResourceId{0}, release.who, {}}};
  put_in(history, place + 1, {kept.at, kept.store_now, release});
  put_in(history, place + 1,
         {kept.at, kept.store_now, KeptNote{release.who, StepsDown{ResourceId{0}, "forged"}}});
  return true;
}
// A leader hears that it is to stop while its work runs, which does not end. So it neither commits nor reads any more.
bool stops_beside_its_work(History& history, std::uint64_t draw) {
  const Places places = landings(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  const KeptLanding work = std::get<KeptLanding>(history.facts[from].fact);
  for (std::size_t later = history.facts.size(); --later > from;) {
    const auto* ended = std::get_if<KeptEnding>(&history.facts[later].fact);
    const auto* applied = std::get_if<KeptApplied>(&history.facts[later].fact);
    const bool ends = ended != nullptr && ended->who == work.who && ended->item.event == work.item.event;
    const bool acts = applied != nullptr && applied->who == work.who &&
                      (as_reference<reference::Outbox>(applied->reply) != nullptr ||
                       as_reference<reference::Committed>(applied->reply) != nullptr);
    if (ends || acts) take_out(history, later);
  }
  put_in(history, from + 1,
         {history.facts[from].at, history.facts[from].store_now, sim::StopHeard{work.who}});
  return true;
}
// From some moment of the tail on, nobody does anything any more.
bool silence(History& history, std::uint64_t draw) {
  const Places healed = places_of<sim::Healed>(history, [](const sim::Healed&) { return true; });
  if (healed.empty()) return false;
  const std::size_t from = healed.front() + 1 + reduce(mix64(draw, 8), history.facts.size() - healed.front());
  history.facts.resize(std::min(from, history.facts.size()));
  return true;
}

}  // namespace

const std::vector<Forgery>& forgeries() {
  static const std::vector<Forgery> kAll = {
      {"work begins again", work_begins_again},
      {"work never begins", work_never_begins},
      {"work never ends", work_never_ends},
      {"a commit is applied again", commit_again},
      {"a commit is lost", commit_lost},
      {"a row is lost", row_lost},
      {"nothing is covered any more", nothing_covered},
      {"a slot off the grid", slot_off_the_grid},
      {"another disposition", other_disposition},
      {"another version", other_version},
      {"miscounted slots", miscounted},
      {"another due time", other_due},
      {"a commit too early", commit_early},
      {"a commit after the lease", commit_after_the_lease},
      {"a commit under another nonce", commit_under_another_nonce},
      {"a commit under another epoch", commit_under_another_epoch},
      {"a commit of another", commit_of_another},
      {"work without a token", work_without_a_token},
      {"work under an old token", work_under_an_old_token},
      {"work of another", work_of_another},
      {"work too early", work_early},
      {"a release while work runs", release_while_working},
      {"the lease is granted to another", granted_to_another},
      {"another believes", another_believes},
      {"a clock is set", clock_is_set},
      {"another definition", edit_of_another_kind},
      {"a note is forgotten", belief_forgotten},
      {"a belief under another token", belief_under_another_token},
      {"asked under another token", asked_under_another_token},
      {"believes anew", believes_anew},
      {"a grant is forgotten", grant_forgotten},
      {"steps down at the end", steps_down_at_the_end},
      {"work is refused", work_refused},
      {"a schedule is not executed any more", schedule_not_executed},
      {"a death is forgotten", death_forgotten},
      {"acts of another", acts_of_another},
      {"two versions at once", two_versions_at_once},
      {"acknowledged early", acknowledged_early},
      {"silence", silence},
      {"the outbox is not read", outbox_not_read},
      {"a hold stays", hold_stays},
      {"a schedule is passed over", schedule_passed_over},
      {"shown and not begun", shown_and_not_begun},
      {"failed and forgotten", failed_and_forgotten},
      {"leaves for nothing", leaves},
      {"stops beside its work", stops_beside_its_work},
  };
  return kAll;
}

}  // namespace tenure::judging
