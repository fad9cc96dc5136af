// epochs-increase: each new term of a resource has a token greater than every one before it.
//
// Without that, nothing that a resource remembers can tell the old leader from the new one. Tokens order by
// (branch, epoch).
// Reads: the grants of the reference store. For a protocol whose tokens come from elsewhere: beliefs. A term of those
// begins with a belief, or with another token of one that lasts. A belief that begins anew under the newest token of
// all goes on with its term.
// Not applicable: protocols without tokens.
// One opportunity: a new term, compared with the greatest before it; the first, with the epoch 0 of a lease that
// was never granted.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class EpochsIncrease final : public CheckerOf<EpochsIncrease> {
 public:
  explicit EpochsIncrease(const CheckerSetup& setup)
      : CheckerOf(setup), from_store_(offers(setup.scenario.protocol->store, &StoreKind::issues_tokens)) {}

  void on(const BeliefChange& change) {
    const Belief& belief = change.belief;
    if (from_store_ || change.what == BeliefChange::What::ended || !belief.token) return;
    std::optional<Token>& shown = shown_[{belief.who, belief.resource}];
    if (change.what == BeliefChange::What::extended && shown == belief.token) return;
    shown = belief.token;
    take(change.at, belief.resource, *belief.token, belief.who, "begins");
  }
  void on(TrueTime now, const Applied& applied) {
    const auto* asked = reference_request<reference::Acquire>(applied.request);
    const auto* granted = reference_reply<reference::Granted>(applied.reply);
    if (from_store_ && asked != nullptr && granted != nullptr)
      take(now, asked->resource, granted->token, applied.who, "is granted");
  }
  void on(TrueTime, const NodeDied& died) {
    std::erase_if(shown_, [died](const auto& entry) { return entry.first.first == died.who; });
  }

 private:
  struct Newest {
    bool known = false;
    Token greatest;
    Token last;  // given, greatest or not
    Incarnation who;
    TrueTime at;
  };

  void take(TrueTime now, ResourceId resource, const Token& token, Incarnation who, const char* how) {
    Newest& newest = newest_[resource];
    const bool goes_on = newest.known && newest.last == token && newest.who == who;
    if (!goes_on) new_term(now, newest, token, who, how);
  }

  void new_term(TrueTime now, Newest& newest, const Token& token, Incarnation who, const char* how) {
    examined();
    const bool greater = newest.known ? newest.greatest.older_than(token) : token.epoch > 0;
    if (!greater) {
      violate(now, {who, newest.who}, {},
              fmt::format("{} {} {} at {}, after {}, which {} had at {}", names_.who(who), how,
                          describe(token), time_text(now), describe(newest.greatest), names_.who(newest.who),
                          time_text(newest.at)));
    } else {
      newest.greatest = token;
    }
    newest.known = true;
    newest.last = token;
    newest.who = who;
    newest.at = now;
  }

  bool from_store_;
  std::map<ResourceId, Newest> newest_;
  std::map<std::pair<Incarnation, ResourceId>, std::optional<Token>> shown_;  // by beliefs that last, or did
};

}  // namespace

TENURE_MADE_UNLESS(lacks_tokens, epochs_increase, EpochsIncrease)

}  // namespace tenure::sim
