#include "lab/audit/show_records.h"

#include <variant>

#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

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

}  // namespace

void show_line(sim::Checker& checker, sim::TrueTime now, const journal::Line& line) {
  std::visit(ShowEvent{checker, now, line.who}, line.event);
}

void show_executed(sim::Checker& checker, sim::TrueTime now, const StoreExecuted& it) {
  const auto* granted = it.answered->reply_as<reference::Granted>();
  const auto shown = sim::token_shown(it.asked->submission.request);
  const std::uint32_t branch = granted != nullptr ? granted->token.branch : shown ? shown->branch : 0;
  const Reply reply{*it.answered->reply};
  checker.see(now, sim::Applied{it.answered->store, branch, it.answered->store_time, it.asked->id.incarnation,
                                it.asked->id, it.asked->submission.request, reply});
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
