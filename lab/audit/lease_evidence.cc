#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/model/describe.h"
#include "lab/audit/evidence.h"
#include "lab/audit/id_compaction.h"
#include "sim/checkers/names.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kPromiseKept = "promise-kept";

std::string life_text(Incarnation who) { return sim::who_text(who, NodeNames::by_id); }

struct Grant {
  Incarnation who;
  Token token;
  StoreTime at;
  StoreTime end;
};
struct Refusal {
  const JournalCall* call = nullptr;
  reference::Denial why = reference::Denial::no_lease;
  std::optional<Token> shown;          // none: an acquire
  std::optional<StoreTime> lease_end;  // of whoever holds it
  bool by_stranger = false;            // it names a holder of whom there is no journal
};
struct GivenBack {
  const JournalCall* call = nullptr;
  Token token;
};

class LeaseStory : Evidence {
 public:
  LeaseStory(const Evidence& evidence, ResourceId resource)
      : Evidence(evidence),
        resource_(resource),
        no_order_(std::find(clock_went_back_.begin(), clock_went_back_.end(), resource) !=
                  clock_went_back_.end()) {
    history_.for_each_call(resource, [&](const JournalCall& call) {
      take_in(call);
      begins_late_ = begins_late_ || history_.lives.at(call.who()).begins_late();
    });
    std::stable_sort(grants_.begin(), grants_.end(),
                     [](const Grant& a, const Grant& b) { return a.at < b.at; });
    std::stable_sort(refusals_.begin(), refusals_.end(),
                     [](const Refusal& a, const Refusal& b) { return a.call->at() < b.call->at(); });
  }

  LeaseFacts compare() {
    findings_.examined(kPromiseKept, grants_.size());
    if (!no_order_)
      for (const Refusal& refusal : refusals_) judge_promise(refusal);
    say_strangers();
    find_missing_epochs();
    if (!no_order_) find_unseen_holders();
    LeaseFacts facts;
    facts.complete =
        !lacking_ && !begins_late_ && !grants_.empty() &&
        std::any_of(grants_.begin(), grants_.end(), [](const Grant& g) { return g.token.epoch == 1; });
    for (const Grant& grant : grants_) {
      if (!facts.terms.empty() && facts.terms.back().token == grant.token &&
          facts.terms.back().who == grant.who)
        facts.terms.back().end = std::max(facts.terms.back().end, grant.end);
      else
        facts.terms.push_back({grant.who, grant.token, grant.at, grant.end});
    }
    return facts;
  }

 private:
  void take_in(const JournalCall& call) {
    const auto* acquire = call.request<reference::Acquire>();
    const auto* release = call.request<reference::Release>();
    if (acquire != nullptr && acquire->epoch_seen > 0) mentioned_.insert(acquire->epoch_seen);
    if (acquire != nullptr && !nonces_.insert(acquire->nonce).second)
      findings_.lacks(
          fmt::format("{} asked for {} at {} with a nonce that was drawn before: one of them is not true",
                      life_text(call.who()), resource_text(resource_), sim::time_text(call.sent)));
    if (call.in_doubt()) {
      if (acquire != nullptr || call.request<reference::Renew>() != nullptr) doubts_.push_back(&call);
      if (release != nullptr) given_back_.push_back({&call, release->token});
      return;
    }
    const auto shown = sim::token_shown(call.asked->submission.request);
    if (const auto* granted = call.reply<reference::Granted>()) {
      grants_.push_back({call.who(), granted->token, call.at(), call.at() + granted->duration});
    } else if (const auto* refused = call.reply<reference::Refused>()) {
      Refusal refusal{&call, refused->why, shown, std::nullopt};
      if (refused->epoch > 0) mentioned_.insert(refused->epoch);
      refusal.by_stranger = refused->holder.number == kNotHere;
      if (refusal.by_stranger) strangers_[refused->holder.node].push_back(&call);
      if (refused->remaining > Duration{}) refusal.lease_end = call.at() + refused->remaining;
      refusals_.push_back(refusal);
    } else if (const auto* commit = call.reply<reference::CommitRefused>()) {
      if (!commit->held) refusals_.push_back({&call, commit->why, shown, std::nullopt});
    } else if (call.reply<reference::Released>() != nullptr && release != nullptr) {
      given_back_.push_back({&call, release->token});
    }
  }

  // ---- promise-kept ----

  void judge_promise(const Refusal& refusal) {
    using reference::Denial;
    if (refusal.why == Denial::clock_stepped || refusal.why == Denial::other_branch ||
        refusal.why == Denial::stale_view)
      return;
    const Incarnation who = refusal.call->who();
    const StoreTime at = refusal.call->at();
    const Grant* promise = nullptr;  // the one that reaches farthest
    for (const Grant& grant : grants_) {
      if (grant.who != who || grant.at > at || (refusal.shown && grant.token != *refusal.shown)) continue;
      if (promise == nullptr || grant.end > promise->end) promise = &grant;
    }
    if (promise == nullptr || at >= promise->end || gave_back(*promise, refusal)) return;
    if (rests_on_nothing(*promise, at)) return;
    if (refusal.why == Denial::stale_token &&
        (may_have_acquired_anew(*promise, refusal) || granted_anew(*promise, at)))
      return;
    findings_.violate(
        kPromiseKept, refusal.call->heard,
        fmt::format(
            "{} was refused at {} ({}), and the store had granted it {} until {} later: somebody else was "
            "granted it meanwhile, or the store forgot it",
            life_text(who), sim::time_text(refusal.call->heard), tenure::name_of(refusal.why),
            resource_text(resource_), describe(promise->end - at)));
  }

  bool gave_back(const Grant& promise, const Refusal& refusal) const {
    return std::any_of(given_back_.begin(), given_back_.end(), [&](const GivenBack& one) {
      if (one.call->who() != promise.who || one.token != promise.token) return false;
      return one.call->applied() ? one.call->at() <= refusal.call->at()
                                 : one.call->sent <= refusal.call->heard;
    });
  }
  // The store's clock went back since, or another branch took over.
  bool rests_on_nothing(const Grant& promise, StoreTime at) const {
    for (const Refusal& other : refusals_) {
      const bool again =
          other.why == reference::Denial::clock_stepped || other.why == reference::Denial::other_branch;
      if (again && other.call->at() >= promise.at && other.call->at() <= at) return true;
    }
    return std::any_of(grants_.begin(), grants_.end(),
                       [&](const Grant& grant) { return grant.token.branch > promise.token.branch; });
  }
  // By an acquire of which nothing came back, between the promise and the refusal. A renewal gives no new token.
  bool may_have_acquired_anew(const Grant& promise, const Refusal& refusal) const {
    StoreTime since = promise.at;  // of the token, not of its last renewal
    for (const Grant& grant : grants_)
      if (grant.who == promise.who && grant.token == promise.token) since = std::min(since, grant.at);
    return std::any_of(doubts_.begin(), doubts_.end(), [&](const JournalCall* call) {
      return call->who() == promise.who && call->not_before >= since && call->sent <= refusal.call->heard &&
             call->request<reference::Acquire>() != nullptr;
    });
  }
  bool granted_anew(const Grant& promise, StoreTime at) const {
    return std::any_of(grants_.begin(), grants_.end(), [&](const Grant& grant) {
      return grant.who == promise.who && grant.token != promise.token && grant.at >= promise.at &&
             grant.at <= at;
    });
  }

  // ---- who is missing ----

  void lacks(std::string what) {
    lacking_ = true;
    findings_.lacks(std::move(what));
  }

  // Whom the store named as the holder, and no journal here is of.
  void say_strangers() {
    for (auto& [node, calls] : strangers_) {
      std::stable_sort(calls.begin(), calls.end(),
                       [](const JournalCall* a, const JournalCall* b) { return a->at() < b->at(); });
      std::set<std::uint64_t> epochs;
      for (const JournalCall* call : calls)
        epochs.insert(call->answered->reply_as<reference::Refused>()->epoch);
      epochs.erase(0);
      named_.insert(epochs.begin(), epochs.end());
      std::string under;
      for (const std::uint64_t epoch : epochs) under += fmt::format("{}{}", under.empty() ? "" : ", ", epoch);
      const JournalCall& first = *calls.front();
      lacks(fmt::format(
          "node {} held {}{}, as {} was told at {}{}, and no journal here was written by that life of it",
          node.value, resource_text(resource_), under.empty() ? "" : fmt::format(" (epoch {})", under),
          life_text(first.who()), sim::time_text(first.heard), and_more(calls.size())));
    }
  }

  // An acquire of which nothing came back may have been granted the epoch after the one that it had seen.
  bool may_be_a_doubt(std::uint64_t epoch) const {
    return std::any_of(doubts_.begin(), doubts_.end(), [&](const JournalCall* call) {
      const auto* acquire = call->request<reference::Acquire>();
      return acquire != nullptr && acquire->epoch_seen + 1 == epoch;
    });
  }

  void find_missing_epochs() {
    std::set<std::uint64_t> granted = named_;
    for (const Grant& grant : grants_) granted.insert(grant.token.epoch);
    std::set<std::uint64_t> known = mentioned_;
    known.insert(granted.begin(), granted.end());
    if (known.empty()) return;
    // The first that is known of may have been granted before these journals begin.
    std::uint64_t before = *known.begin();
    for (const std::uint64_t epoch : known) {
      // `epoch` itself is known of, and so were all since `before`.
      std::uint64_t first = before + 1;
      while (first <= epoch && (granted.contains(first) || may_be_a_doubt(first))) ++first;
      std::uint64_t last = epoch;
      while (last > first && (granted.contains(last) || may_be_a_doubt(last))) --last;
      if (first <= last && epoch > before) say_epochs(first, last);
      before = epoch;
    }
  }
  void say_epochs(std::uint64_t first, std::uint64_t last) {
    const bool one = first == last;
    lacks(fmt::format(
        "{} of {} {} granted, and no journal here was written by whom: a participant's journal is "
        "missing, or lines of one are",
        one ? fmt::format("epoch {}", first) : fmt::format("epochs {} to {}", first, last),
        resource_text(resource_), one ? "was" : "were"));
  }

  // Whoever shows a token is told of the last holder, even when that lease is over.
  bool somebody_held_it(const Refusal& refusal) const {
    const Incarnation but = refusal.call->who();
    const StoreTime at = refusal.call->at();
    for (const Grant& grant : grants_) {
      if (grant.who == but || grant.at > at) continue;
      if (refusal.shown) return true;
      StoreTime end = grant.end;
      for (const Grant& more : grants_)
        if (more.token == grant.token && more.at <= at) end = std::max(end, more.end);
      if (end > at) return true;
    }
    if (was_counted_again(but, at)) return true;
    return std::any_of(doubts_.begin(), doubts_.end(),
                       [&](const JournalCall* call) { return call->who() != but && call->not_before <= at; });
  }
  // After a failover, or a step of the clock, the store counts the promise that it knows of again, in full: it says to
  // whom. That holder's grant must be known, and may have run out long ago, or be of a branch that went on elsewhere.
  bool was_counted_again(Incarnation but, StoreTime at) const {
    return std::any_of(refusals_.begin(), refusals_.end(), [&](const Refusal& other) {
      if (other.why != reference::Denial::clock_stepped && other.why != reference::Denial::other_branch)
        return false;
      if (other.call->at() > at || !other.lease_end || *other.lease_end <= at) return false;
      const auto* told = other.call->reply<reference::Refused>();
      return told->holder != but && std::any_of(grants_.begin(), grants_.end(), [&](const Grant& grant) {
               return grant.who == told->holder && grant.token.epoch == told->epoch;
             });
    });
  }
  bool explains_end(StoreTime end) const {
    return std::any_of(grants_.begin(), grants_.end(), [&](const Grant& grant) { return grant.end == end; });
  }
  // A renewal of which nothing came back; or one that counted a promise again.
  bool end_is_open(Incarnation but, StoreTime at) const {
    if (std::any_of(doubts_.begin(), doubts_.end(),
                    [&](const JournalCall* call) { return call->who() != but && call->not_before <= at; }))
      return true;
    return std::any_of(refusals_.begin(), refusals_.end(), [&](const Refusal& other) {
      return (other.why == reference::Denial::clock_stepped ||
              other.why == reference::Denial::other_branch) &&
             other.call->at() <= at;
    });
  }

  void find_unseen_holders() {
    std::vector<const Refusal*> nobody;
    std::vector<const Refusal*> other_end;
    for (const Refusal& refusal : refusals_) {
      if (refusal.why != reference::Denial::other_holder || refusal.by_stranger)
        continue;  // that is said by name
      const Incarnation who = refusal.call->who();
      const StoreTime at = refusal.call->at();
      if (!somebody_held_it(refusal))
        nobody.push_back(&refusal);
      else if (refusal.lease_end && !explains_end(*refusal.lease_end) && !end_is_open(who, at))
        other_end.push_back(&refusal);
    }
    if (!nobody.empty())
      lacks(
          fmt::format("somebody held {} when {} was refused at {}{}, and nobody whose journal is here did: a "
                      "participant's journal is missing, or lines of one are",
                      resource_text(resource_), life_text(nobody.front()->call->who()),
                      sim::time_text(nobody.front()->call->heard), and_more(nobody.size())));
    if (!other_end.empty()) {
      const Refusal& first = *other_end.front();
      lacks(fmt::format(
          "{} was told at {} that {} is held for another {}{}, and no grant in these journals ends then: "
          "the journal of a participant is missing, or lines of one are",
          life_text(first.call->who()), sim::time_text(first.call->heard), resource_text(resource_),
          describe(*first.lease_end - first.call->at()), and_more(other_end.size())));
    }
  }
  static std::string and_more(std::size_t times) {
    return times == 1 ? std::string{} : fmt::format(", and {} more times", times - 1);
  }

  ResourceId resource_;
  bool no_order_;
  bool lacking_ = false;
  bool begins_late_ = false;  // a life of which the beginning is in no journal
  std::vector<Grant> grants_;
  std::vector<Refusal> refusals_;
  std::vector<GivenBack> given_back_;
  std::vector<const JournalCall*> doubts_;  // acquires and renewals of which nothing came back
  std::map<NodeId, std::vector<const JournalCall*>> strangers_;  // refusals, by the holder that they name
  std::set<std::uint64_t> mentioned_;
  std::set<std::uint64_t> nonces_;  // each acquire draws its own
  std::set<std::uint64_t> named_;   // epochs of strangers
};

// ---- lost ends ----

// Whether the change just before the acquire is one after which nothing else can have been: of the lease, or under its
// token. (Postgres gives other changes positions of their own count.)
bool follows_what_is_known(const JournalHistory& history, ResourceId resource, const JournalCall& acquire) {
  if (acquire.request<reference::Acquire>() == nullptr) return false;
  bool known = false;
  history.for_each_call(resource, [&](const JournalCall& call) {
    const bool of_the_lease =
        call.request<reference::Acquire>() != nullptr || sim::token_shown(call.asked->submission.request);
    known = known || (of_the_lease && call.applied() && call.answered->changed &&
                      call.answered->position + 1 == acquire.answered->position);
  });
  return known;
}

}  // namespace

void compare_leases(Evidence& evidence) {
  for (const ResourceId resource : evidence.history_.resources())
    evidence.leases_[resource] = LeaseStory(evidence, resource).compare();
}

std::vector<LostEnd> lost_ends(const JournalHistory& history) {
  std::vector<LostEnd> lost;
  for (const ResourceId resource : history.resources()) {
    std::vector<const JournalCall*> grants;
    history.for_each_call(resource, [&](const JournalCall& call) {
      if (call.reply<reference::Granted>() != nullptr) grants.push_back(&call);
    });
    for (const auto& [who, life] : history.lives) {
      if (life.node_ended) continue;
      std::optional<Token> last;  // that it was granted
      StoreTime end = StoreTime::min();
      for (const JournalCall* own : grants) {
        if (own->who() != who) continue;
        const auto& granted = *own->reply<reference::Granted>();
        if (!last || last->older_than(granted.token)) last = granted.token;
        end = std::max(end, own->at() + granted.duration);
      }
      const JournalCall* next = nullptr;  // of a later token, to another life
      for (const JournalCall* other : grants)
        if (last && other->who() != who && last->older_than(other->reply<reference::Granted>()->token) &&
            (next == nullptr || other->at() < next->at()))
          next = other;
      if (next == nullptr || next->heard < life.lines.back().at) continue;
      if (follows_what_is_known(history, resource, *next)) continue;
      lost.push_back({who, resource, life.lines.back().at, end, next->who(), next->at(), next->heard});
    }
  }
  return lost;
}

std::string text_of(const LostEnd& lost) {
  return fmt::format(
      "{}'s journal has no end, its last line is at {}, and {} was granted {} at {}, {} before the lease of "
      "{} was "
      "over: it gave it back in lines that are missing, or both had it",
      sim::who_text(lost.who, NodeNames::by_id), sim::time_text(lost.since),
      sim::who_text(lost.next, NodeNames::by_id), resource_text(lost.resource), sim::time_text(lost.heard),
      describe(lost.lease_end - lost.granted), sim::who_text(lost.who, NodeNames::by_id));
}

}  // namespace tenure::lab
