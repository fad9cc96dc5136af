#include "lab/audit/feed.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "core/base/check.h"
#include "lab/audit/evidence.h"
#include "lab/audit/history.h"
#include "lab/audit/row_evidence.h"
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
    {"begun-in-order",
     "commits of which no answer came back, and what clients have begun again, have no place in the order"},
    {"dead-or-delivered",
     "journals do not tell what a destination or a worker has done; work-was-done judges what is given up"},
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
    {"never-early", "work of which nothing came back, and jitter, which rows-allowed judges"},
    {"fenced-writes", "writes while a request about the lease is open or its fate unknown"},
};
constexpr std::string_view kAboutFires[] = {"no-duplicate-fire",  "rows-allowed", "no-drift",
                                            "work-within-limit",  "never-early",  "versions-take-turns",
                                            "retry-after-honored"};

const char* find(std::span<const Limit> limits, std::string_view checker) {
  const auto it = std::find_if(limits.begin(), limits.end(),
                               [&](const Limit& limit) { return limit.checker == checker; });
  return it != limits.end() ? it->why : nullptr;
}

sim::DeliveryOutcome landing_of(WorkResult result) {
  switch (result) {
    case WorkResult::fenced: return sim::DeliveryOutcome::fenced;
    case WorkResult::running: return sim::DeliveryOutcome::running;
    case WorkResult::duplicate: return sim::DeliveryOutcome::duplicate;
    case WorkResult::done:
    case WorkResult::stopped:
    case WorkResult::failed: break;
  }
  return sim::DeliveryOutcome::begun;
}
bool is_refused(const WorkDone& done) { return landing_of(done.result) != sim::DeliveryOutcome::begun; }

// Shows a checker a line that speaks for itself.
struct ShowEvent {
  sim::Checker& checker;
  sim::TrueTime now;
  Incarnation who;

  void operator()(const journal::LifeBegan&) const { checker.see(now, sim::NodeStarted{who}); }
  void operator()(const journal::LifeEnded& it) const {
    checker.see(now, sim::NodeDied{who, it.stopped ? sim::Death::stopped : sim::Death::killed});
  }
  // Who has looked whether it leads relies on that, as who asks as the leader.
  void operator()(const Note& note) const {
    checker.see(now, sim::Noted{who, note});
    const auto* checked = std::get_if<LeadershipChecked>(&note);
    if (checked == nullptr) return;
    reference::ReadDue relies;
    relies.resource = checked->resource;
    submit({}, {{}, Part::scheduler, relies, MonoTime::max(), true});
  }
  // As the leader's that only a leader may make, whatever it says of itself.
  void operator()(const journal::Asked& it) const {
    if (it.submission.as_leader || !is_a_leaders(it.submission.request)) return submit(it.id, it.submission);
    Submission asked = it.submission;
    asked.as_leader = true;
    submit(it.id, asked);
  }
  void submit(RequestId id, const Submission& asked) const {
    checker.see(now, sim::Submitted{who, id, asked});
  }
  void operator()(const WorkItem& it) const { checker.see(now, sim::WorkAsked{who, it}); }
  void operator()(const journal::Answered&) const {}  // told as StoreExecuted, and as WorkOver
  void operator()(const WorkDone&) const {}
  void operator()(const journal::StoreFound&) const {}
  void operator()(const journal::ClientChange&) const {}  // of no node: only positions are held against it
  void operator()(const StopAsked&) const { checker.see(now, sim::StopHeard{who}); }
};

void show_executed(sim::Checker& checker, sim::TrueTime now, const StoreExecuted& it) {
  const auto* granted = it.answered->reply_as<reference::Granted>();
  const auto shown = sim::token_shown(it.asked->submission.request);
  const std::uint32_t branch = granted != nullptr ? granted->token.branch : shown ? shown->branch : 0;
  const Reply reply{*it.answered->reply};
  checker.see(now, sim::Applied{it.answered->store, branch, it.answered->store_time, it.asked->id.incarnation,
                                it.asked->id, it.asked->submission.request, reply});
}

void show_began(sim::Checker& checker, sim::TrueTime now, const WorkBegan& it) {
  const sim::DeliveryOutcome landing =
      it.done != nullptr ? landing_of(it.done->result) : sim::DeliveryOutcome::begun;
  checker.see(now, sim::WorkLanded{it.who, *it.item, landing, it.at_most});
}

void show_over(sim::Checker& checker, sim::TrueTime now, const WorkOver& it) {
  if (it.done != nullptr && is_refused(*it.done)) return;
  const sim::Ending ending = it.done == nullptr                       ? sim::Ending::died
                             : it.done->result == WorkResult::stopped ? sim::Ending::stopped
                             : it.done->result == WorkResult::failed  ? sim::Ending::failed
                                                                      : sim::Ending::done;
  checker.see(now, sim::WorkEnded{it.who, *it.item, ending});
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
    const Definitions* sends_by = nullptr;  // it is shown all work as sent to the destinations of these
    const Definitions* known_rows =
        nullptr;               // it is told of these at once, and of rows under those that are known
    bool known_fires = false;  // and of work at slots of those
  };
  PlainFeed(std::unique_ptr<sim::Checker> checker, Shows shows)
      : checker_(std::move(checker)), shows_(shows) {
    if (shows.known_rows != nullptr) shows.known_rows->tell(*checker_);
  }

  void see(sim::TrueTime now, const Moment& moment) override {
    if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) {
      late_ = late_ || begins_late(*wrote->line);
      std::visit(ShowEvent{*checker_, now, wrote->line->who}, wrote->line->event);
    } else if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) {
      if (shows_.known_rows != nullptr &&
          sim::reference_request<reference::CommitFires>(executed->asked->submission.request) != nullptr)
        show_known_rows(now, *executed);
      else if (shows_.replies)
        show_executed(*checker_, now, *executed);
    } else if (shows_.sends_by != nullptr) {
      show_sent(now, moment);
    } else if (const auto* began = std::get_if<WorkBegan>(&moment.what)) {
      if (shown(*began->item, began->done) && !begun_again(now, *began)) show_began(*checker_, now, *began);
    } else if (const auto* over = std::get_if<WorkOver>(&moment.what)) {
      if (shown(*over->item, over->done)) show_over(*checker_, now, *over);
    } else if (const auto* lost = std::get_if<EndIsLost>(&moment.what)) {
      checker_->see(now, sim::NodeDied{lost->who, sim::Death::killed});
    }
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
  void show_sent(sim::TrueTime now, const Moment& moment) {
    const auto* began = std::get_if<WorkBegan>(&moment.what);
    const auto* over = std::get_if<WorkOver>(&moment.what);
    if (began == nullptr && over == nullptr) return;
    WorkItem item = began != nullptr ? *began->item : *over->item;
    if (const reference::Change* version = shows_.sends_by->at(item.event))
      item.destination = version->definition.delivery.destination;
    if (began != nullptr)
      checker_->see(now, sim::DeliveryAsked{began->who, item});
    else if (over->done != nullptr)
      checker_->see(now, sim::DeliveryEnded{over->who, item, sim::Ending::failed,
                                            std::min(over->done->retry_after, kLongestAsked)});
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
      if (began->done != nullptr) show_began(*work_, now, *began);
    } else if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) {
      if (begins_late(*wrote->line)) known_.clear();
    } else if (const auto* open = std::get_if<MayHaveExecuted>(&moment.what)) {
      known_.erase(sim::resource_of(open->asked->submission.request));
    } else if (const auto* lost = std::get_if<EndIsLost>(&moment.what)) {
      known_.erase(lost->resource);
    } else if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) {
      write(now, *executed);
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
  void write(sim::TrueTime now, const StoreExecuted& executed) {
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
    show_executed(*known->second, now, executed);
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

std::unique_ptr<Feed> make_feed(const sim::CheckerKind& kind, const sim::CheckerSetup& setup,
                                const BegunAgain& again, const Definitions& definitions,
                                const Moments& moments) {
  CHECK(cannot_be_judged(kind.name) == nullptr && judged_here(kind.name) == nullptr);
  if (kind.name == "fenced-writes") return std::make_unique<FencedFeed>(kind, setup);
  const bool rows = kind.name == kRowsAllowed.name;
  PlainFeed::Shows shows;
  shows.replies = kind.name != "no-duplicate-fire";
  shows.unfinished_work = kind.name == "one-worker" || rows;
  shows.nameless_work = !is_about_fires(kind.name) || rows;
  shows.known_fires = kind.name == "no-drift";
  if (shows.known_fires || rows) shows.known_rows = &definitions;
  if (kind.name == "no-duplicate-fire") shows.but = &again;
  if (kind.name == "retry-after-honored") shows.sends_by = &definitions;
  if (kind.name == "work-within-limit") shows.own_work = &definitions;
  return std::make_unique<PlainFeed>(rows ? make_rows_allowed(setup, moments.heard) : kind.make(setup),
                                     shows);
}

}  // namespace tenure::lab
