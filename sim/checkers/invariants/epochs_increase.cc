// epochs-increase: each new term of a resource has a token greater than every one before it.
//
// Without that, nothing that a resource remembers can tell the old leader from the new one. Tokens order by
// (branch, epoch).
// Reads: the grants of the reference store. For a protocol whose tokens come from elsewhere: beliefs noted with a token
// that their incarnation did not show before.
// Not applicable: protocols without tokens.
// One opportunity: a new term, compared with the greatest before it; the first, with the epoch 0 of a lease that
// was never granted.
#include <fmt/format.h>

#include <map>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class EpochsIncrease final : public Checker {
 public:
  explicit EpochsIncrease(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        from_store_(offers(setup.scenario.protocol->store, &StoreKind::issues_tokens)) {}

  std::uint32_t wants() const override { return record_mask<Applied, Noted, NodeDied>(); }

  void see(TrueTime now, const Record& record) override {
    if (const auto* applied = std::get_if<Applied>(&record)) {
      if (!from_store_) return;
      const auto* asked = reference_request<reference::Acquire>(applied->request);
      const auto* granted = reference_reply<reference::Granted>(applied->reply);
      if (asked == nullptr || granted == nullptr) return;
      Newest& newest = newest_[asked->resource];
      if (newest.known && newest.last == granted->token && newest.who == applied->who)
        return;  // an extension
      new_term(now, newest, granted->token, applied->who, "is granted");
    } else if (const auto* noted = std::get_if<Noted>(&record)) {
      const auto* believes = std::get_if<Believes>(&noted->note);
      if (from_store_ || believes == nullptr || !believes->token) return;
      std::optional<Token>& shown = shown_[{noted->who, believes->resource}];
      if (shown == believes->token) return;
      shown = believes->token;
      new_term(now, newest_[believes->resource], *believes->token, noted->who, "begins");
    } else if (const auto* died = std::get_if<NodeDied>(&record)) {
      std::erase_if(shown_, [died](const auto& entry) { return entry.first.first == died->who; });
    }
  }

 private:
  struct Newest {
    bool known = false;
    Token greatest;
    Token last;  // given, greatest or not
    Incarnation who;
    TrueTime at;
  };

  void new_term(TrueTime now, Newest& newest, const Token& token, Incarnation who, const char* how) {
    examined();
    const bool greater = newest.known ? newest.greatest.older_than(token) : token.epoch > 0;
    if (!greater) {
      violate({now,
               fmt::format("{} {} {} at {}, after {}, which {} had at {}", names_.who(who), how,
                           describe(token), time_text(now), describe(newest.greatest), names_.who(newest.who),
                           time_text(newest.at)),
               {who, newest.who},
               {}});
    } else {
      newest.greatest = token;
    }
    newest.known = true;
    newest.last = token;
    newest.who = who;
    newest.at = now;
  }

  Names names_;
  bool from_store_;
  std::map<ResourceId, Newest> newest_;
  std::map<std::pair<Incarnation, ResourceId>, std::optional<Token>> shown_;
};

}  // namespace

const char* epochs_increase::not_applicable(const Scenario& scenario) { return lacks_tokens(scenario); }

std::unique_ptr<Checker> epochs_increase::make(const CheckerSetup& setup) {
  return std::make_unique<EpochsIncrease>(setup);
}

}  // namespace tenure::sim
