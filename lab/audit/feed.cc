#include "lab/audit/feed.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "core/base/check.h"
#include "lab/audit/delivery_feed.h"
#include "lab/audit/evidence.h"
#include "lab/audit/history.h"
#include "lab/audit/row_evidence.h"
#include "lab/audit/show_records.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::lab {
namespace {

struct Limit {
  std::string_view checker;
  const char* why;
};
constexpr const char* kPlacesNothing = "no process that writes a journal places items";
constexpr Limit kCannot[] = {
    {"design-error", "no process that writes a journal is a design in a file"},
    {"no-stale-act", "journals do not tell when the outside world takes what a leader has asked for"},
    {"destination-isolation", "journals do not tell when a destination took its time"},
    {"one-live-attempt", "journals do not tell what workers have claimed"},
    {"topic-isolation", "journals do not tell which topic a schedule has"},
    {"no-stale-completion", "journals do not tell what workers have said"},
    {"delivered", "journals do not tell what was still to be delivered when they end"},
    {"leader-elected", "outside of a simulation nothing is healed, so no time is the one to wait from"},
    {"caught-up", "outside of a simulation nothing is healed, so no time is the one to wait from"},
    {"items-run-once", kPlacesNothing},
    {"no-stale-assignment", kPlacesNothing},
    {"items-placed", kPlacesNothing},
};
constexpr Limit kNotShown[] = {
    {"no-drift", "versions whose definition no journal tells, and manual runs"},
    {"no-duplicate-fire",
     "rows of the ledger (commits-follow judges them), work of which nothing came back, and what is begun "
     "again before the store has "
     "heard of its end"},
    {"rows-allowed",
     "versions whose definition no journal tells, slots that came while another of their schedule waited, "
     "and what "
     "overlaps of events that others deliver"},
    {"begun-in-order",
     "events of commits of which no answer came back, what a client put back, manual runs, and what was "
     "under way when a life without an end had written its last line"},
    {"dead-or-delivered",
     "what workers do, and manual runs of schedules of which an edit changed the delivery; what was "
     "delivered is "
     "the sender's word"},
    {"never-early", "work of which nothing came back, and jitter, which rows-allowed judges"},
    {"fenced-writes", "writes while a request about the lease is open or its fate unknown"},
};
constexpr std::string_view kAboutFires[] = {"no-duplicate-fire",   "rows-allowed",   "no-drift",
                                            "work-within-limit",   "never-early",    "versions-take-turns",
                                            "retry-after-honored", "begun-in-order", "dead-or-delivered"};
constexpr std::string_view kFollowEvents[] = {"begun-in-order", "dead-or-delivered"};

const char* find(std::span<const Limit> limits, std::string_view checker) {
  const auto it = std::find_if(limits.begin(), limits.end(),
                               [&](const Limit& limit) { return limit.checker == checker; });
  return it != limits.end() ? it->why : nullptr;
}

// Everything, but for what the checker has no use for.
class PlainFeed final : public Feed {
 public:
  struct Shows {
    bool replies = true;
    bool unfinished_work = false;           // of which nothing came back: it may have been refused
    bool nameless_work = true;              // whose event names nothing: a term of an election
    const BegunAgain* but = nullptr;        // work that it is not shown; may be null
    const Definitions* own_work = nullptr;  // it is shown no work that others do by these; null: all
    const Definitions* known_rows =
        nullptr;               // it is told of these at once, and of rows under those that are known
    bool known_fires = false;  // and of work at slots of those
  };
  PlainFeed(std::unique_ptr<sim::Checker> checker, Shows shows)
      : checker_(std::move(checker)), shows_(shows) {
    if (shows.known_rows != nullptr) shows.known_rows->tell(*checker_);
  }

  void see(sim::TrueTime now, const Moment& moment) override {
    if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) late_ = late_ || begins_late(*wrote->line);
    if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) {
      if (shows_.known_rows != nullptr &&
          sim::reference_request<reference::CommitFires>(executed->asked->submission.request) != nullptr)
        return show_known_rows(now, *executed);
      if (!shows_.replies) return;
    } else if (const auto* began = std::get_if<WorkBegan>(&moment.what)) {
      if (!shown(*began->item, began->done) || begun_again(now, *began)) return;
    } else if (const auto* over = std::get_if<WorkOver>(&moment.what)) {
      if (!shown(*over->item, over->done)) return;
    }
    show_moment(*checker_, now, moment);
  }
  void see(sim::TrueTime now, const sim::Record& record) override { checker_->see(now, record); }
  void finish(sim::TrueTime now) override { checker_->finish(now); }
  std::vector<const sim::Checker*> checkers() const override { return {checker_.get()}; }

 private:
  bool begun_again(sim::TrueTime now, const WorkBegan& it) const {
    return shows_.but != nullptr && shows_.but->contains({it.who, it.item->event, now});
  }
  bool shown(const WorkItem& item, const WorkDone* done) const {
    if (shows_.own_work != nullptr && shows_.own_work->others_deliver(item.event)) return false;
    if (shows_.known_fires && !is_known(item)) return false;
    return (done != nullptr || shows_.unfinished_work) && (!is_of_a_term(item) || shows_.nameless_work);
  }
  // Who asked for a manual run is in no journal.
  bool is_known(const WorkItem& item) const {
    return item.event.run == 0 && (!item.token || is_known_of(*item.token)) &&
           shows_.known_rows->known_at(item.event.schedule, item.event.slot);
  }
  // A failover may have taken back the definitions that another branch had.
  bool is_known_of(const Token& token) const {
    return !shows_.known_rows->failed_over || token.branch == shows_.known_rows->branch;
  }
  // What overlaps depends on work in hand, which a journal that begins late does not tell.
  void show_known_rows(sim::TrueTime now, const StoreExecuted& it) {
    const auto& commit = *sim::reference_request<reference::CommitFires>(it.asked->submission.request);
    const auto* committed = it.answered->reply_as<reference::Committed>();
    if (committed == nullptr || !is_known_of(commit.token)) return;
    reference::CommitFires known{commit.resource, commit.holder, commit.token, {}};
    reference::Committed results;
    for (std::size_t i = 0; i < commit.rows.size() && i < committed->rows.size(); ++i) {
      const reference::LedgerRow& row = commit.rows[i];
      if (shows_.known_rows->find(row.schedule, row.version) == nullptr) continue;
      if (late_ && !shows_.known_fires && row.what == reference::Disposition::overlapped) continue;
      known.rows.push_back(row);
      results.rows.push_back(committed->rows[i]);
    }
    const Request request{reference::Request{std::move(known)}};
    const Reply reply{reference::Reply{std::move(results)}};
    checker_->see(now, sim::Applied{it.answered->store, commit.token.branch, it.answered->store_time,
                                    it.asked->id.incarnation, it.asked->id, request, reply});
  }

  std::unique_ptr<sim::Checker> checker_;
  Shows shows_;
  bool late_ = false;
};

// fenced-writes follows the lease from grant to grant. A request about it whose fate is unknown may have
// changed it: from then on nothing is known of it, until the next acquire that is granted; and so may a life whose
// journal begins late, before it does, and one whose journal has lost its end. What is known after that, a
// checker of its own follows.
class FencedFeed final : public Feed {
 public:
  FencedFeed(const sim::CheckerKind& kind, const sim::CheckerSetup& setup)
      : kind_(kind), setup_(setup), work_(fresh()) {}

  void see(sim::TrueTime now, const Moment& moment) override {
    if (const auto* began = std::get_if<WorkBegan>(&moment.what)) {
      if (began->done != nullptr) show_moment(*work_, now, moment);
    } else if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) {
      if (begins_late(*wrote->line)) known_.clear();
    } else if (const auto* open = std::get_if<MayHaveExecuted>(&moment.what)) {
      known_.erase(sim::resource_of(open->asked->submission.request));
    } else if (const auto* lost = std::get_if<EndIsLost>(&moment.what)) {
      known_.erase(lost->resource);
    } else if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) {
      write(now, *executed, moment);
    }
  }
  void see(sim::TrueTime, const sim::Record&) override {}  // it looks at no belief
  void finish(sim::TrueTime now) override {
    for (const std::unique_ptr<sim::Checker>& checker : all_) checker->finish(now);
  }
  std::vector<const sim::Checker*> checkers() const override {
    std::vector<const sim::Checker*> checkers;
    for (const std::unique_ptr<sim::Checker>& checker : all_) checkers.push_back(checker.get());
    return checkers;
  }

 private:
  void write(sim::TrueTime now, const StoreExecuted& executed, const Moment& moment) {
    const Request& request = executed.asked->submission.request;
    const ResourceId resource = sim::resource_of(request);
    if (const auto* refused = executed.answered->reply_as<reference::Refused>()) {
      // These two change the lease, in a way that the reply does not tell in full.
      if (refused->why == reference::Denial::other_branch || refused->why == reference::Denial::clock_stepped)
        known_.erase(resource);
      return;
    }
    auto known = known_.find(resource);
    if (known == known_.end()) {
      const bool begins = sim::reference_request<reference::Acquire>(request) != nullptr;
      if (!begins || executed.answered->reply_as<reference::Granted>() == nullptr) return;
      known = known_.emplace(resource, fresh()).first;
    }
    show_moment(*known->second, now, moment);
  }

  sim::Checker* fresh() {
    all_.push_back(kind_.make(setup_));
    return all_.back().get();
  }

  const sim::CheckerKind& kind_;
  sim::CheckerSetup setup_;
  std::vector<std::unique_ptr<sim::Checker>> all_;
  sim::Checker* work_;
  std::map<ResourceId, sim::Checker*> known_;
};

}  // namespace

const char* judged_here(std::string_view checker) {
  return checker == kNoLostFire ? "no journal tells what was owed" : nullptr;
}
const char* cannot_be_judged(std::string_view checker) { return find(kCannot, checker); }
const char* not_shown(std::string_view checker) { return find(kNotShown, checker); }
bool is_about_fires(std::string_view checker) {
  return std::find(std::begin(kAboutFires), std::end(kAboutFires), checker) != std::end(kAboutFires);
}
bool follows_events(std::string_view checker) {
  return std::find(std::begin(kFollowEvents), std::end(kFollowEvents), checker) != std::end(kFollowEvents);
}

std::unique_ptr<Feed> make_feed(const sim::CheckerKind& kind, const sim::CheckerSetup& setup,
                                const FeedSources& sources) {
  CHECK(cannot_be_judged(kind.name) == nullptr && judged_here(kind.name) == nullptr);
  const auto deliveries = [&](DeliveryFeed::Shows shows) {
    return std::make_unique<DeliveryFeed>(kind.make(setup), shows, sources.history, sources.definitions);
  };
  if (kind.name == "retry-after-honored") return deliveries(DeliveryFeed::Shows::all_work);
  if (kind.name == "dead-or-delivered") return deliveries(DeliveryFeed::Shows::known_events);
  if (kind.name == "begun-in-order") return deliveries(DeliveryFeed::Shows::known_order);
  if (kind.name == "fenced-writes") return std::make_unique<FencedFeed>(kind, setup);
  const bool rows = kind.name == kRowsAllowed.name;
  PlainFeed::Shows shows;
  shows.replies = kind.name != "no-duplicate-fire";
  shows.unfinished_work = kind.name == "one-worker" || rows;
  shows.nameless_work = !is_about_fires(kind.name) || rows;
  shows.known_fires = kind.name == "no-drift";
  if (shows.known_fires || rows) shows.known_rows = &sources.definitions;
  if (kind.name == "no-duplicate-fire") shows.but = &sources.again;
  if (kind.name == "work-within-limit") shows.own_work = &sources.definitions;
  return std::make_unique<PlainFeed>(
      rows ? make_rows_allowed(setup, sources.moments.heard) : kind.make(setup), shows);
}

}  // namespace tenure::lab
