// fenced-writes: no write of a deposed leader is accepted, by the store or by the outside world.
//
// Reads: every request that shows a token and was not refused, held against a model of the lease that is the
// checker's own (lease_model.h): incarnation, branch, epoch, nonce, and unexpired at the store time of the commit.
// Grants too: a lease that another holds, unexpired, is not to be granted. And work that begins under a token: none
// may be older than one under which work has begun at that resource before. That holds whether or not the scenario
// lets the resource check tokens: a resource that does not is how stale writes get in. Work that shows no token, though
// the protocol has them, is what no resource could refuse.
// Not applicable: protocols without tokens; an election that writes nothing under them.
// One opportunity: an accepted write, a grant over an earlier lease, work under a token after other such work, or work
// without one.
#include <fmt/format.h>

#include <map>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/lease_model.h"
#include "sim/checkers/trackers/store_history.h"

namespace tenure::sim {
namespace {

class FencedWrites final : public Checker {
 public:
  explicit FencedWrites(const CheckerSetup& setup) : names_(setup.scenario, setup.nodes) {}

  std::uint32_t wants() const override {
    return StoreHistory<Known>::kReads | record_mask<WorkLanded, Applied>();
  }

  void see(TrueTime now, const Record& record) override {
    history_.see(record);
    if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing == DeliveryOutcome::begun) work(now, *landed);
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      if (!std::holds_alternative<reference::Request>(applied->request)) return;
      if (reference_request<reference::Acquire>(applied->request) != nullptr) {
        if (reference_reply<reference::Granted>(applied->reply) != nullptr) grant(now, *applied);
      } else if (const auto token = token_shown(applied->request)) {
        if (accepted(applied->reply)) write(now, *applied, *token);
      }
      history_->model.see(*applied);
    }
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
    const Standing standing =
        history_->model.standing(resource, applied.branch, applied.who, token, applied.store_now);
    if (standing == Standing::unknown) return;
    examined();
    if (standing == Standing::good) return;
    const auto held = history_->model.held(resource, applied.branch);
    violate([&] {
      return Violation{
          now,
          fmt::format("the store accepted a write of {} under {} at {}, {}", names_.who(applied.who),
                      describe(token), time_text(now), why(standing, held, applied.store_now)),
          culprits(applied.who, held),
          {}};
    });
  }

  void grant(TrueTime now, const Applied& applied) {
    const auto held = history_->model.held(resource_of(applied.request), applied.branch);
    if (!held) return;
    examined();
    if (held->holder == applied.who || applied.store_now >= held->expires) return;
    violate([&] {
      return Violation{now,
                       fmt::format("the store granted the lease to {} at {}, {}", names_.who(applied.who),
                                   time_text(now), why(Standing::other_holder, held, applied.store_now)),
                       culprits(applied.who, held),
                       {}};
    });
  }

  void work(TrueTime now, const WorkLanded& landed) {
    if (!landed.item.token) {
      examined();
      violate([&] {
        return Violation{
            now,
            fmt::format("{} began {} at {} without showing a token, so that nobody could refuse it",
                        names_.who(landed.who), names_.event(landed.item.event), time_text(now)),
            {landed.who},
            {landed.item.event.schedule}};
      });
      return;
    }
    const Token& token = *landed.item.token;
    const auto [it, first] = newest_.try_emplace(landed.item.resource, Newest{token, landed.who, now});
    if (first) return;
    examined();
    Newest& newest = it->second;
    if (!token.older_than(newest.token)) {
      newest = Newest{token, landed.who, now};
      return;
    }
    violate([&] {
      return Violation{
          now,
          fmt::format("{} began {} under {} at {}, after {} had begun work under {} at {}",
                      names_.who(landed.who), names_.event(landed.item.event), describe(token),
                      time_text(now), names_.who(newest.who), describe(newest.token), time_text(newest.at)),
          {landed.who, newest.who},
          {landed.item.event.schedule}};
    });
  }

  std::string why(Standing standing, const std::optional<HeldLease>& held, StoreTime now) const {
    if (!held) return "when nobody held the lease";
    if (standing == Standing::expired)
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

  Names names_;
  StoreHistory<Known> history_;
  std::map<ResourceId, Newest> newest_;
};

}  // namespace

const char* fenced_writes::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_tokens(scenario)) return why;
  if (!offers(scenario.protocol->store, &StoreKind::issues_tokens) && lacks_fires(scenario) != nullptr) {
    return "nothing is written under the protocol's tokens";
  }
  return nullptr;
}

std::unique_ptr<Checker> fenced_writes::make(const CheckerSetup& setup) {
  return std::make_unique<FencedWrites>(setup);
}

}  // namespace tenure::sim
