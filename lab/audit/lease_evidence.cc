#include "lab/audit/lease_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/model/describe.h"
#include "lab/audit/id_compaction.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kPromiseKept = "promise-kept";

std::string life_text(Incarnation who) { return who_text(who, NodeNames::by_id); }

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

class LeaseStory {
 public:
  LeaseStory(const JournalHistory& history, ResourceId resource, bool clock_went_back,
             AuditFindings& findings)
      : resource_(resource), clock_went_back_(clock_went_back), findings_(findings) {
    history.for_each_call(resource, [&](const JournalCall& call) {
      take_in(call);
      begins_late_ = begins_late_ || begins_late(*history.lives.at(call.who()).lines.front().line);
    });
    std::stable_sort(grants_.begin(), grants_.end(),
                     [](const Grant& a, const Grant& b) { return a.at < b.at; });
    std::stable_sort(refusals_.begin(), refusals_.end(),
                     [](const Refusal& a, const Refusal& b) { return a.call->at() < b.call->at(); });
  }

  LeaseFacts compare() {
    findings_.examined(kPromiseKept, grants_.size());
    if (!clock_went_back_)
      for (const Refusal& refusal : refusals_) judge_promise(refusal);
    say_strangers();
    find_missing_epochs();
    if (!clock_went_back_) find_unseen_holders();
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
    const Request& request = call.asked->submission.request;
    const auto* acquire = reference_request<reference::Acquire>(request);
    const auto* release = reference_request<reference::Release>(request);
    const bool renews = reference_request<reference::Renew>(request) != nullptr;
    if (acquire != nullptr && acquire->epoch_seen > 0) mentioned_.insert(acquire->epoch_seen);
    if (call.in_doubt()) {
      if (acquire != nullptr || renews) doubts_.push_back(&call);
      if (release != nullptr) given_back_.push_back({&call, release->token});
      return;
    }
    if (!call.applied()) return;
    const reference::Reply& reply = *call.answered->reply;
    const auto shown = token_shown(request);
    if (const auto* granted = std::get_if<reference::Granted>(&reply)) {
      grants_.push_back({call.who(), granted->token, call.at(), call.at() + granted->duration});
    } else if (const auto* refused = std::get_if<reference::Refused>(&reply)) {
      Refusal refusal{&call, refused->why, shown, std::nullopt};
      if (refused->epoch > 0) mentioned_.insert(refused->epoch);
      refusal.by_stranger = refused->holder.number == kNotHere;
      if (refusal.by_stranger) strangers_[refused->holder.node].push_back(&call);
      if (refused->remaining > Duration{}) refusal.lease_end = call.at() + refused->remaining;
      refusals_.push_back(refusal);
    } else if (const auto* commit = std::get_if<reference::CommitRefused>(&reply)) {
      if (!commit->held) refusals_.push_back({&call, commit->why, shown, std::nullopt});
    } else if (std::holds_alternative<reference::Released>(reply) && release != nullptr) {
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
            life_text(who), time_text(refusal.call->heard), tenure::name_of(refusal.why),
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
             reference_request<reference::Acquire>(call->asked->submission.request) != nullptr;
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
          life_text(first.who()), time_text(first.heard),
          calls.size() == 1 ? "" : fmt::format(", and {} more times", calls.size() - 1)));
    }
  }

  // An acquire of which nothing came back may have been granted the epoch after the one that it had seen.
  bool may_be_a_doubt(std::uint64_t epoch) const {
    return std::any_of(doubts_.begin(), doubts_.end(), [&](const JournalCall* call) {
      const auto* acquire = reference_request<reference::Acquire>(call->asked->submission.request);
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

  bool somebody_held_it(Incarnation but, StoreTime at) const {
    for (const Grant& grant : grants_) {
      if (grant.who == but || grant.at > at) continue;
      StoreTime end = grant.end;
      for (const Grant& more : grants_)
        if (more.token == grant.token && more.at <= at) end = std::max(end, more.end);
      if (end > at) return true;
    }
    return std::any_of(doubts_.begin(), doubts_.end(),
                       [&](const JournalCall* call) { return call->who() != but && call->not_before <= at; });
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
    struct Count {
      const Refusal* first = nullptr;
      std::uint64_t times = 0;
    };
    Count nobody;
    Count other_end;
    for (const Refusal& refusal : refusals_) {
      if (refusal.why != reference::Denial::other_holder || refusal.by_stranger)
        continue;  // that is said by name
      const Incarnation who = refusal.call->who();
      const StoreTime at = refusal.call->at();
      Count* count = nullptr;
      if (!somebody_held_it(who, at))
        count = &nobody;
      else if (refusal.lease_end && !explains_end(*refusal.lease_end) && !end_is_open(who, at))
        count = &other_end;
      if (count == nullptr) continue;
      if (count->times++ == 0) count->first = &refusal;
    }
    const auto more = [](const Count& count) {
      return count.times == 1 ? std::string{} : fmt::format(", and {} more times", count.times - 1);
    };
    if (nobody.times > 0)
      lacks(
          fmt::format("somebody held {} when {} was refused at {}{}, and nobody whose journal is here did: a "
                      "participant's journal is missing, or lines of one are",
                      resource_text(resource_), life_text(nobody.first->call->who()),
                      time_text(nobody.first->call->heard), more(nobody)));
    if (other_end.times > 0)
      lacks(fmt::format(
          "{} was told at {} that {} is held for another {}{}, and no grant in these journals ends then: "
          "the journal of a participant is missing, or lines of one are",
          life_text(other_end.first->call->who()), time_text(other_end.first->call->heard),
          resource_text(resource_), describe(*other_end.first->lease_end - other_end.first->call->at()),
          more(other_end)));
  }

  ResourceId resource_;
  bool clock_went_back_;
  AuditFindings& findings_;
  bool lacking_ = false;
  bool begins_late_ = false;  // a life of which the beginning is in no journal
  std::vector<Grant> grants_;
  std::vector<Refusal> refusals_;
  std::vector<GivenBack> given_back_;
  std::vector<const JournalCall*> doubts_;  // acquires and renewals of which nothing came back
  std::map<NodeId, std::vector<const JournalCall*>> strangers_;  // refusals, by the holder that they name
  std::set<std::uint64_t> mentioned_;
  std::set<std::uint64_t> named_;  // epochs of strangers
};

}  // namespace

std::map<ResourceId, LeaseFacts> compare_leases(const JournalHistory& history,
                                                const std::vector<ResourceId>& clock_went_back,
                                                AuditFindings& findings) {
  std::map<ResourceId, LeaseFacts> facts;
  for (const ResourceId resource : history.resources()) {
    const bool back =
        std::find(clock_went_back.begin(), clock_went_back.end(), resource) != clock_went_back.end();
    facts[resource] = LeaseStory(history, resource, back, findings).compare();
  }
  return facts;
}

}  // namespace tenure::sim
