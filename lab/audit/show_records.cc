#include "lab/audit/show_records.h"

#include <variant>

#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

// Shows an observer a line that speaks for itself.
struct ShowEvent {
  sim::Observer& observer;
  sim::TrueTime now;
  Incarnation who;

  void operator()(const journal::LifeBegan&) const { observer.see(now, sim::NodeStarted{who}); }
  void operator()(const journal::LifeEnded& it) const {
    observer.see(now, sim::NodeDied{who, it.stopped ? sim::Death::stopped : sim::Death::killed});
  }
  // Who has looked whether it leads relies on that, as who asks as the leader.
  void operator()(const Note& note) const {
    observer.see(now, sim::Noted{who, note});
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
    observer.see(now, sim::Submitted{who, id, asked});
  }
  void operator()(const WorkItem& it) const { observer.see(now, sim::WorkAsked{who, it}); }
  void operator()(const journal::Answered&) const {}  // told as StoreExecuted, and as WorkOver
  void operator()(const WorkDone&) const {}
  void operator()(const journal::StoreFound&) const {}
  void operator()(const journal::ClientChange&) const {}  // of no node: only positions are held against it
  void operator()(const StopAsked&) const { observer.see(now, sim::StopHeard{who}); }
};

sim::Ending ending_of(const WorkDone* done) {
  if (done == nullptr) return sim::Ending::died;
  if (done->result == WorkResult::stopped) return sim::Ending::stopped;
  return done->result == WorkResult::failed ? sim::Ending::failed : sim::Ending::done;
}

}  // namespace

void show_line(sim::Observer& observer, sim::TrueTime now, const journal::Line& line) {
  std::visit(ShowEvent{observer, now, line.who}, line.event);
}

void show_executed(sim::Observer& observer, sim::TrueTime now, const StoreExecuted& it) {
  const auto* granted = it.answered->reply_as<reference::Granted>();
  const auto shown = sim::token_shown(it.asked->submission.request);
  const std::uint32_t branch = granted != nullptr ? granted->token.branch : shown ? shown->branch : 0;
  const Reply reply{*it.answered->reply};
  observer.see(now,
               sim::Applied{it.answered->store, branch, it.answered->store_time, it.asked->id.incarnation,
                            it.asked->id, it.asked->submission.request, reply});
}

void show_moment(sim::Observer& observer, sim::TrueTime now, const Moment& moment) {
  if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) {
    show_line(observer, now, *wrote->line);
  } else if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) {
    show_executed(observer, now, *executed);
  } else if (const auto* began = std::get_if<WorkBegan>(&moment.what)) {
    const auto landing =
        began->done != nullptr ? landing_of(began->done->result) : sim::DeliveryOutcome::begun;
    observer.see(now, sim::WorkArrived{began->who, *began->item, landing, began->at_most});
  } else if (const auto* over = std::get_if<WorkOver>(&moment.what)) {
    if (over->done == nullptr || landing_of(over->done->result) == sim::DeliveryOutcome::begun)
      observer.see(now, sim::WorkEnded{over->who, *over->item, ending_of(over->done)});
  } else if (const auto* lost = std::get_if<EndIsLost>(&moment.what)) {
    observer.see(now, sim::NodeDied{lost->who, sim::Death::killed});
  }
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

}  // namespace tenure::lab
