// No two incarnations work at once: the work of one has ended before that of another begins. And nobody gives its lease
// back while its work under that token runs.
#include <algorithm>
#include <map>

#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

struct Piece {
  Incarnation who;
  WorkItem item;
  sim::TrueTime begin;
  sim::TrueTime end;
  std::size_t from = 0;  // places in the history
  std::size_t until = 0;
};

std::vector<Piece> pieces_of(const History& history) {
  std::vector<Piece> pieces;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Kept& kept = history.facts[place];
    if (const auto* landed = std::get_if<KeptArrival>(&kept.fact)) {
      if (landed->landing == sim::DeliveryOutcome::begun)
        pieces.push_back({landed->who, landed->item, kept.at, history.end, place, history.facts.size()});
    } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
      const auto piece = std::find_if(pieces.rbegin(), pieces.rend(), [&](const Piece& other) {
        return other.until == history.facts.size() && other.who == ended->who &&
               other.item.event == ended->item.event;
      });
      if (piece == pieces.rend()) continue;
      piece->end = kept.at;
      piece->until = place;
    }
  }
  return pieces;
}

}  // namespace

std::vector<Wrong> one_worker(const Case& run) {
  std::vector<Wrong> wrongs;
  const std::vector<Piece> pieces = pieces_of(run.history);
  std::vector<const Piece*> running;
  for (const Piece& piece : pieces) {
    running.erase(std::remove_if(running.begin(), running.end(),
                                 [&](const Piece* other) { return other->end <= piece.begin; }),
                  running.end());
    // Work without length is beside nothing.
    if (piece.begin < piece.end)
      for (const Piece* other : running)
        if (other->who != piece.who && other->item.resource == piece.item.resource)
          wrongs.push_back(
              {piece.begin, describe(piece.who) + " begins while " + describe(other->who) + " works"});
    running.push_back(&piece);
  }
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const auto* applied = std::get_if<KeptApplied>(&run.history.facts[place].fact);
    if (applied == nullptr || as_reference<reference::Released>(applied->reply) == nullptr) continue;
    for (const Piece& piece : pieces)
      if (piece.from < place && place < piece.until && piece.item.token == token_of(applied->request) &&
          piece.item.resource == resource_of(applied->request))
        wrongs.push_back(
            {run.history.facts[place].at, describe(piece.who) + " gives its lease back and works"});
  }
  return wrongs;
}

// No incarnation has more work running at once than the scheduler's `max_running`.
std::vector<Wrong> work_within_limit(const Case& run) {
  if (run.scenario.scheduling.find("max_running") < 0) return {};
  const std::int64_t limit = run.scenario.scheduling.number("max_running");
  std::vector<Wrong> wrongs;
  std::map<Incarnation, std::int64_t> running;
  for (const Kept& kept : run.history.facts) {
    if (const auto* landed = std::get_if<KeptArrival>(&kept.fact)) {
      if (landed->landing == sim::DeliveryOutcome::begun && ++running[landed->who] > limit)
        wrongs.push_back({kept.at, describe(landed->who) + " has more running than it may"});
    } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
      --running[ended->who];
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
