// fenced-writes: no write of a deposed leader is accepted, by the store or by the outside world.
//
// Reads: every request that shows a token and was not refused, held against a model of the lease that is the
// checker's own (lease_model.h): incarnation, branch, epoch, nonce, and unexpired at the store time of the commit.
// Grants too: a lease that another holds, unexpired, is not to be granted. And work that begins under a token: none
// may be older than one under which work has begun at that resource before. The same goes for a leader's write. That
// holds whether or not the scenario lets the resource check tokens: a resource that does not is how stale writes get
// in. Work that shows no token, though the protocol has them, is what no resource could refuse.
// Not applicable: protocols without tokens; an election that writes nothing under them.
// One opportunity: an accepted write, a grant over an earlier lease, work under a token after other such work, or work
// without one.
#include <fmt/format.h>

#include <map>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/lease_model.h"
#include "sim/checkers/trackers/store_history.h"

namespace tenure::sim {
namespace {

class FencedWrites final : public CheckerOf<FencedWrites> {
 public:
  using CheckerOf::CheckerOf;

  std::uint32_t wants() const override { return StoreHistory<Known>::kReads | CheckerOf::wants(); }
  void before(TrueTime, const Record& record) { history_.see(record); }
  void on(TrueTime now, const WorkArrived& landed) {
    if (landed.landing == DeliveryOutcome::begun)
      act(now, {landed.who, landed.item.resource, landed.item.token, landed.item.event});
  }
  void on(TrueTime now, const WriteLanded& written) {
    if (!written.fenced) act(now, {written.who, written.item.resource, written.item.token, {}});
  }
  void on(TrueTime now, const Applied& applied) {
    if (!std::holds_alternative<reference::Request>(applied.request)) return;
    if (reference_request<reference::Acquire>(applied.request) != nullptr) {
      if (reference_reply<reference::Granted>(applied.reply) != nullptr) grant(now, applied);
    } else if (const auto token = token_shown(applied.request)) {
      if (accepted(applied.reply)) write(now, applied, *token);
    }
    history_->model.see(applied);
  }

 private:
  struct Known {
    LeaseModel model;
    void went_back(const Known&, std::uint32_t branch) { model.failed_over(branch); }
  };
  struct Newest {
    Token token;
    Incarnation who;
    TrueTime at;
  };

  static bool accepted(const Reply& reply) {
    return reference_reply<reference::Refused>(reply) == nullptr &&
           reference_reply<reference::CommitRefused>(reply) == nullptr;
  }

  void write(TrueTime now, const Applied& applied, const Token& token) {
    const ResourceId resource = resource_of(applied.request);
    const TokenStanding standing =
        history_->model.standing(resource, applied.branch, applied.who, token, applied.store_now);
    if (standing == TokenStanding::unknown) return;
    examined();
    if (standing == TokenStanding::good) return;
    const auto held = history_->model.held(resource, applied.branch);
    violate(now, culprits(applied.who, held), {},
            fmt::format("the store accepted a write of {} under {} at {}, {}", names_.who(applied.who),
                        describe(token), time_text(now), why(standing, held, applied.store_now)));
  }

  void grant(TrueTime now, const Applied& applied) {
    const auto held = history_->model.held(resource_of(applied.request), applied.branch);
    if (!held) return;
    examined();
    if (held->holder == applied.who || applied.store_now >= held->expires) return;
    violate(now, culprits(applied.who, held), {},
            fmt::format("the store granted the lease to {} at {}, {}", names_.who(applied.who),
                        time_text(now), why(TokenStanding::other_holder, held, applied.store_now)));
  }

  // Something that was done in the outside world: a fire's work, or a write.
  struct Act {
    Incarnation who;
    ResourceId resource;
    std::optional<Token> token;
    std::optional<reference::EventId> event;  // none: a write
  };
  std::string what(const Act& act) const {
    return act.event ? "began " + names_.event(*act.event) : "wrote to the resource";
  }
  static std::vector<ScheduleId> schedules(const Act& act) {
    return act.event ? std::vector{act.event->schedule} : std::vector<ScheduleId>{};
  }

  void act(TrueTime now, const Act& act) {
    if (!act.token.has_value()) {
      examined();
      violate(now, {act.who}, schedules(act),
              fmt::format("{} {} at {} without showing a token, so that nobody could refuse it",
                          names_.who(act.who), what(act), time_text(now)));
      return;
    }
    const auto [it, first] = newest_.try_emplace(act.resource, Newest{*act.token, act.who, now});
    if (first) return;
    examined();
    Newest& newest = it->second;
    if (!act.token->older_than(newest.token)) {
      newest = Newest{*act.token, act.who, now};
      return;
    }
    violate(now, {act.who, newest.who}, schedules(act),
            fmt::format("{} {} under {} at {}, after {} had {} under {} at {}", names_.who(act.who),
                        what(act), describe(*act.token), time_text(now), names_.who(newest.who),
                        act.event ? "begun work" : "acted", describe(newest.token), time_text(newest.at)));
  }

  std::string why(TokenStanding standing, const std::optional<HeldLease>& held, StoreTime now) const {
    if (!held) return "when nobody held the lease";
    if (standing == TokenStanding::expired)
      return fmt::format("{} after its lease had expired", describe(now - held->expires));
    const std::string who = names_.who(held->holder);
    if (now >= held->expires) return fmt::format("when the lease was {}'s, and expired", who);
    if (held->expires == StoreTime::max())
      return fmt::format(
          "when {} had held the lease before a failover, and its promise was not counted again", who);
    return fmt::format("when {} held the lease under {}, for another {}", who, describe(held->token),
                       describe(held->expires - now));
  }

  static std::vector<Incarnation> culprits(Incarnation who, const std::optional<HeldLease>& held) {
    if (!held || held->holder == who) return {who};
    return {who, held->holder};
  }

  StoreHistory<Known> history_;
  std::map<ResourceId, Newest> newest_;
};

}  // namespace

const char* fenced_writes::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_tokens(scenario)) return why;
  const bool acts = lacks_fires(scenario) == nullptr || leaders_write(scenario);
  if (!offers(scenario.protocol->store, &StoreKind::issues_tokens) && !acts) {
    return "nothing is written under the protocol's tokens";
  }
  return nullptr;
}

TENURE_MADE_AS(fenced_writes, FencedWrites)

}  // namespace tenure::sim
