// Work as what it is by the definition that fired its event: the leader's own, or sent to a destination.
//
// The checkers of deliveries are shown no event that these journals do not tell the commit of, and no work of events
// whose commit has no answer: when they came is not known. Manual runs are of the version that was in force when a
// client asked for them, which no line tells: they are shown where all versions of their schedule deliver alike.
//
// Thread rule: a feed belongs to one audit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "lab/audit/feed.h"

namespace tenure::lab {

class DeliveryFeed final : public Feed {
 public:
  enum class Shows : std::uint8_t {
    all_work,      // also of events of which no commit is told, by the definition at their slot
    known_events,  // and commits without an answer as executed: by whose rules an event goes is known then
    known_order,   // and what may have been taken from the outbox as taken
  };
  // The history and the definitions must outlive it.
  DeliveryFeed(std::unique_ptr<sim::Checker> checker, Shows shows, const JournalHistory& history,
               const Definitions& definitions);

  void see(sim::TrueTime now, const Moment& moment) override;
  void see(sim::TrueTime now, const sim::Record& record) override { checker_->see(now, record); }
  void finish(sim::TrueTime now) override { checker_->finish(now); }
  std::vector<const sim::Checker*> checkers() const override { return {checker_.get()}; }

 private:
  void note_doubts(const JournalHistory& history);
  void show_runs(const JournalHistory& history);
  void begins(sim::TrueTime now, Incarnation who, const WorkItem& item);
  void ends(sim::TrueTime now, const WorkOver& over);
  void asks(sim::TrueTime now, Incarnation who, const journal::Asked& asked);
  void commits(sim::TrueTime now, Incarnation who, const reference::CommitFires& commit,
               const std::vector<JournalRow>& rows, StoreTime store_now);
  void takes(sim::TrueTime now, const journal::Asked& asked, StoreTime store_now, const Reply& reply);
  void forget_all(sim::TrueTime now, Incarnation who);
  void show_applied(sim::TrueTime now, Incarnation who, RequestId id, StoreTime store_now,
                    const Request& request, const Reply& reply);

  // Those events of the request that are known, each with who has had it by its definition if the journal does not say.
  Request of_known(const Request& request) const;
  const Delivery* delivery_of(const reference::EventId& event) const;
  WorkItem as_sent(Incarnation who, const WorkItem& item, const Delivery& delivery) const;

  std::unique_ptr<sim::Checker> checker_;
  const Shows shows_;
  const Definitions& definitions_;
  std::map<RequestId, const JournalCall*> in_doubt_;
  std::set<reference::EventId> doubted_;                    // that calls in doubt may have committed
  std::map<Incarnation, const journal::Line*> last_lines_;  // of lives that have no end
  std::map<reference::EventId, const Delivery*> events_;    // whose commit was shown
  std::set<reference::EventId> waiting_;                    // of those, in the outbox
  std::map<std::pair<Incarnation, reference::EventId>, std::uint32_t> attempts_;
};

}  // namespace tenure::lab
