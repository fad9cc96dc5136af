// one-believer: no two incarnations believe at once that they lead the same resource.
//
// A belief ends at the earliest of its `until` (through that node's clock, again after each change of it), a
// step-down, and a death (belief.h). So a paused leader whose lease ran out does not count, and one that goes on
// after its deadline does not get away with a short declaration: acts-within-belief sees that.
// Reads: notes, deaths and clock changes. Applies always.
// An overlap has a length: a belief that is given up in the instant in which another begins ends there, whichever of
// the two is noted first. So an overlap is a violation once time has gone on with both, and is dated by its
// beginning; how long it can last is said if it was known then.
// One opportunity: a belief that begins, compared with all others.
#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"

namespace tenure::sim {
namespace {

class OneBeliever final : public CheckerOf<OneBeliever> {
 public:
  using CheckerOf::CheckerOf;

  void before(TrueTime now, const Record&) {
    if (now != since_) tell_overlaps();
  }
  void on(const BeliefChange& change) {
    if (change.what == BeliefChange::What::began) began(change.at, change.belief);
    if (change.what == BeliefChange::What::ended) ended(change);
  }
  void finish(TrueTime) override { tell_overlaps(); }

 private:
  struct Overlap {
    Belief other;
    Belief fresh;

    bool has(const Belief& belief) const {
      return belief.resource == fresh.resource && (belief.who == fresh.who || belief.who == other.who);
    }
  };

  void began(TrueTime now, const Belief& fresh) {
    examined();
    for (const Belief& other : run_.beliefs().beliefs()) {
      if (!other.lasts || other.resource != fresh.resource || other.who == fresh.who) continue;
      overlaps_.push_back({other, fresh});
      since_ = now;
    }
  }
  // What began now and is over now has no length.
  void ended(const BeliefChange& change) {
    std::erase_if(overlaps_, [&](const Overlap& overlap) { return overlap.has(change.belief); });
  }
  void tell_overlaps() {
    for (const Overlap& overlap : overlaps_) tell(overlap);
    overlaps_.clear();
  }
  void tell(const Overlap& overlap) {
    const auto& [other, fresh] = overlap;
    const TrueTime end = std::min(other.end, fresh.end);
    const std::string length =
        end == TrueTime::max() ? "until one of them steps down" : "for up to " + describe(end - since_);
    violate(since_, {other.who, fresh.who}, {},
            fmt::format("{} began to believe that it leads at {}, while {} still did, since {}: {}",
                        names_.who(fresh.who), time_text(since_), names_.who(other.who),
                        time_text(other.since), length));
  }

  std::vector<Overlap> overlaps_;  // that began now
  TrueTime since_;                 // when they did
};

}  // namespace

const char* one_believer::not_applicable(const Scenario&) { return nullptr; }

TENURE_MADE_AS(one_believer, OneBeliever)

}  // namespace tenure::sim
