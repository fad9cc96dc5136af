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
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class OneHolderPerEpoch final : public Checker {
 public:
  explicit OneHolderPerEpoch(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        from_start_(setup.from_start),
        from_store_(offers(setup.scenario.protocol->store, &StoreKind::issues_tokens)) {}

  std::uint32_t wants() const override {
    return record_mask<WorkLanded, WorkAsked, WriteLanded, WriteAsked, Submitted, Applied, Noted>();
  }

  void see(TrueTime now, const Record& record) override {
    if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->item.token)
        name(now, landed->item.resource, *landed->item.token, landed->who, "works under it");
    } else if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      if (asked->item.token)
        name(now, asked->item.resource, *asked->item.token, asked->who, "works under it");
    } else if (const auto* write = std::get_if<WriteAsked>(&record)) {
      take(now, write->who, write->item);
    } else if (const auto* written = std::get_if<WriteLanded>(&record)) {
      take(now, written->who, written->item);
    } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
      const Request& request = submitted->submission.request;
      if (const auto token = token_shown(request)) {
        name(now, resource_of(request), *token, submitted->who, "writes under it");
      }
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      if (const auto* granted = reference_reply<reference::Granted>(applied->reply)) {
        name(now, resource_of(applied->request), granted->token, applied->who, "is granted it", true);
      } else if (reference_reply<reference::Committed>(applied->reply) != nullptr) {
        const auto token = token_shown(applied->request);
        if (token) name(now, resource_of(applied->request), *token, applied->who, "has committed under it");
      }
    } else if (const auto* noted = std::get_if<Noted>(&record)) {
      const auto* believes = std::get_if<Believes>(&noted->note);
      if (believes != nullptr && believes->token) {
        name(now, believes->resource, *believes->token, noted->who, "believes in it", !from_store_);
      }
    }
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

  void take(TrueTime now, Incarnation who, const WriteItem& item) {
    if (item.token) name(now, item.resource, *item.token, who, "writes under it");
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
        violate([&] {
          return Violation{now,
                           fmt::format("{} {} at {}: {}, which nobody was given before", names_.who(who), how,
                                       time_text(now), describe(token)),
                           {who},
                           {}};
        });
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
    violate({now,
             fmt::format("{} has two holders: {} since {}, and {}, which {} at {}{}", describe(token),
                         names_.who(term.holder), time_text(term.since), names_.who(who), how, time_text(now),
                         grants),
             {who, term.holder},
             {}});
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

  Names names_;
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

const char* one_holder_per_epoch::not_applicable(const Scenario& scenario) { return lacks_tokens(scenario); }

std::unique_ptr<Checker> one_holder_per_epoch::make(const CheckerSetup& setup) {
  return std::make_unique<OneHolderPerEpoch>(setup);
}

}  // namespace tenure::sim
