// one-holder-per-epoch: a term of leadership (resource, branch, epoch) has one holder and one nonce.
//
// Reads: grants of the reference store and its commits, beliefs noted with a token, requests submitted with one,
// work and writes asked for and begun with one. The first to be seen with a term is its holder; anybody else, or
// another nonce, is a violation, told once for each of them. Only a grant or a belief can begin a term: an act under a
// token that nobody was given is a violation too.
// Not applicable: protocols without tokens.
// One opportunity: a term. The first counts when it is named again, so that there is something to compare.
//
// The holders of the newest kMaxTerms terms are remembered, so that a protocol that passes its token on all day needs
// no more. Of the others it is known that they were: who names one of them is not judged.
#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <utility>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class OneHolderPerEpoch final : public CheckerOf<OneHolderPerEpoch> {
 public:
  explicit OneHolderPerEpoch(const CheckerSetup& setup)
      : CheckerOf(setup),
        from_start_(setup.from_start),
        from_store_(offers(setup.scenario.protocol->store, &StoreKind::issues_tokens)) {}

  void on(TrueTime now, const WorkArrived& landed) { take(now, landed.who, landed.item, "works under it"); }
  void on(TrueTime now, const WorkAsked& asked) { take(now, asked.who, asked.item, "works under it"); }
  void on(TrueTime now, const WriteAsked& write) { take(now, write.who, write.item, "writes under it"); }
  void on(TrueTime now, const WriteLanded& write) { take(now, write.who, write.item, "writes under it"); }
  void on(TrueTime now, const Submitted& submitted) {
    const Request& request = submitted.submission.request;
    if (const auto token = token_shown(request))
      name(now, resource_of(request), *token, submitted.who, "writes under it");
  }
  void on(TrueTime now, const Applied& applied) {
    if (const auto* granted = reference_reply<reference::Granted>(applied.reply)) {
      name(now, resource_of(applied.request), granted->token, applied.who, "is granted it", true);
    } else if (reference_reply<reference::Committed>(applied.reply) != nullptr) {
      const auto token = token_shown(applied.request);
      if (token) name(now, resource_of(applied.request), *token, applied.who, "has committed under it");
    }
  }
  void on(TrueTime now, const Noted& noted) {
    const auto* believes = std::get_if<Believes>(&noted.note);
    if (believes != nullptr && believes->token)
      name(now, believes->resource, *believes->token, noted.who, "believes in it", !from_store_);
  }

  void finish(TrueTime) override {
    if (unjudged_ == 0) return;
    leave_unjudged(fmt::format("who held terms that are older than the newest {}: {}{}", kMaxTerms,
                               first_unjudged_,
                               unjudged_ > 1 ? fmt::format(", and {} more", unjudged_ - 1) : ""));
  }

 private:
  static constexpr std::size_t kMaxTerms = 4096;

  struct Naming {
    ResourceId resource;
    Token token;
    Incarnation who;
    bool operator==(const Naming&) const = default;
  };
  struct TermKey {
    ResourceId resource;
    std::uint32_t branch = 0;
    std::uint64_t epoch = 0;
    auto operator<=>(const TermKey&) const = default;
  };
  struct Term {
    std::uint64_t nonce = 0;
    Incarnation holder;
    TrueTime since;
    bool counted = false;
    std::vector<Naming> reported;
  };

  // `item`: work, or a write.
  void take(TrueTime now, Incarnation who, const auto& item, const char* how) {
    if (item.token) name(now, item.resource, *item.token, who, how);
  }

  // `given`: this is how a term begins.
  void name(TrueTime now, ResourceId resource, const Token& token, Incarnation who, const char* how,
            bool given = false) {
    const Naming naming{resource, token, who};
    if (naming == last_) return;
    if (is_forgotten(naming)) {
      if (unjudged_++ == 0)
        first_unjudged_ =
            fmt::format("{} ({} {} at {})", describe(token), names_.who(who), how, time_text(now));
      return;
    }
    const auto [it, first] = terms_.try_emplace(TermKey{resource, token.branch, token.epoch});
    Term& term = it->second;
    if (first) {
      term.nonce = token.nonce;
      term.holder = who;
      term.since = now;
      if (!given && from_start_) {
        count(term);
        violate(now, {who}, {},
                fmt::format("{} {} at {}: {}, which nobody was given before", names_.who(who), how,
                            time_text(now), describe(token)));
      }
      if (terms_.size() > 1) count(term);
      if (terms_.size() > kMaxTerms) forget();
      return;
    }
    count(term);
    if (term.holder == who && term.nonce == token.nonce) {
      last_ = naming;
      return;
    }
    if (std::find(term.reported.begin(), term.reported.end(), naming) != term.reported.end()) return;
    term.reported.push_back(naming);
    const std::string_view grants = term.nonce != token.nonce ? ", from another grant of the same epoch" : "";
    violate(now, {who, term.holder}, {},
            fmt::format("{} has two holders: {} since {}, and {}, which {} at {}{}", describe(token),
                        names_.who(term.holder), time_text(term.since), names_.who(who), how, time_text(now),
                        grants));
  }

  // Of a resource and branch, the oldest term.
  void forget() {
    const TermKey& oldest = terms_.begin()->first;
    forgotten_[{oldest.resource, oldest.branch}] = oldest.epoch;
    terms_.erase(terms_.begin());
  }
  bool is_forgotten(const Naming& naming) const {
    const auto forgotten = forgotten_.find({naming.resource, naming.token.branch});
    return forgotten != forgotten_.end() && naming.token.epoch <= forgotten->second;
  }

  void count(Term& term) {
    if (!term.counted) examined();
    term.counted = true;
  }

  bool from_start_;
  bool from_store_;  // it grants all terms
  std::map<TermKey, Term> terms_;
  std::map<std::pair<ResourceId, std::uint32_t>, std::uint64_t>
      forgotten_;  // by branch: epochs up to this one
  std::uint64_t unjudged_ = 0;
  std::string first_unjudged_;
  Naming last_;
};

}  // namespace

TENURE_MADE_UNLESS(lacks_tokens, one_holder_per_epoch, OneHolderPerEpoch)

}  // namespace tenure::sim
