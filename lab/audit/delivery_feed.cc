#include "lab/audit/delivery_feed.h"

#include <algorithm>
#include <variant>

#include "lab/audit/show_records.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::lab {
namespace {

// nullptr: there are several.
const Delivery* only_delivery(const std::vector<reference::Change>& versions) {
  const Delivery& first = versions.front().definition.delivery;
  const bool alike = std::all_of(versions.begin(), versions.end(), [&](const reference::Change& version) {
    return version.definition.delivery == first &&
           version.definition.overlap == versions[0].definition.overlap;
  });
  return alike ? &first : nullptr;
}

}  // namespace

DeliveryFeed::DeliveryFeed(std::unique_ptr<sim::Checker> checker, Shows shows, const JournalHistory& history,
                           const Definitions& definitions)
    : checker_(std::move(checker)), shows_(shows), definitions_(definitions) {
  definitions.tell(*checker_);
  note_doubts(history);
  for (const auto& [who, life] : history.lives)
    if (!life.node_ended) last_lines_[who] = life.lines.back().line;
  if (shows != Shows::known_order) show_runs(history);
}

void DeliveryFeed::note_doubts(const JournalHistory& history) {
  history.for_each_call([&](const JournalCall& call) {
    if (!call.in_doubt()) return;
    in_doubt_.emplace(call.asked->id, &call);
    for (const JournalRow& each : rows_of(call))
      if (each.row.what == reference::Disposition::fired)
        doubted_.insert({each.row.schedule, each.row.slot, 0});
  });
}

void DeliveryFeed::show_runs(const JournalHistory& history) {
  std::map<std::pair<ScheduleId, std::uint64_t>, std::set<StoreTime>> runs;
  for (const auto& [who, life] : history.lives)
    for (const JournalWork& work : life.works)
      if (work.item->event.run != 0)
        runs[{work.item->event.schedule, work.item->event.run}].insert(work.item->event.slot);
  std::uint32_t asked = 0;
  for (const auto& [run, slots] : runs) {
    const auto& [schedule, number] = run;
    const auto known = definitions_.versions.find(schedule);
    const Delivery* delivery = known != definitions_.versions.end() ? only_delivery(known->second) : nullptr;
    if (delivery == nullptr) continue;
    const Incarnation client{sim::kClientNode, 2};
    const reference::BackfillSchedule backfill{{}, schedule, number, {slots.begin(), slots.end()}};
    show_applied({}, client, {client, ++asked}, *slots.begin(), Request{reference::Request{backfill}},
                 Reply{reference::Reply{reference::Edited{}}});
    for (const StoreTime slot : slots) events_[{schedule, slot, number}] = delivery;
  }
}

void DeliveryFeed::see(sim::TrueTime now, const Moment& moment) {
  if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) {
    const journal::Line& line = *wrote->line;
    if (const auto* item = std::get_if<WorkItem>(&line.event))
      begins(now, line.who, *item);
    else if (const auto* asked = std::get_if<journal::Asked>(&line.event))
      asks(now, line.who, *asked);
    else
      show_line(*checker_, now, line);
    const auto last = last_lines_.find(line.who);
    if (last != last_lines_.end() && last->second == &line) forget_all(now, line.who);
  } else if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) {
    const Incarnation who = executed->asked->id.incarnation;
    const StoreTime store_now = executed->answered->store_time;
    const auto* commit = sim::reference_request<reference::CommitFires>(executed->asked->submission.request);
    JournalCall call;
    call.asked = executed->asked;
    call.answered = executed->answered;
    if (commit != nullptr)
      commits(now, who, *commit, rows_of(call), store_now);
    else
      takes(now, *executed->asked, store_now, Reply{*executed->answered->reply});
  } else if (const auto* over = std::get_if<WorkOver>(&moment.what)) {
    ends(now, *over);
  } else if (const auto* lost = std::get_if<EndIsLost>(&moment.what)) {
    checker_->see(now, sim::NodeDied{lost->who, sim::Death::killed});
  }
}

void DeliveryFeed::begins(sim::TrueTime now, Incarnation who, const WorkItem& item) {
  const Delivery* delivery = delivery_of(item.event);
  if (is_of_a_term(item) || delivery == nullptr) return;
  ++attempts_[{who, item.event}];
  if (delivery->kind == Delivery::Kind::push)
    checker_->see(now, sim::DeliveryAsked{who, as_sent(who, item, *delivery)});
  else
    checker_->see(now, sim::WorkAsked{who, item});
}

void DeliveryFeed::ends(sim::TrueTime now, const WorkOver& over) {
  const Delivery* delivery = delivery_of(over.item->event);
  if (over.done == nullptr || delivery == nullptr || delivery->kind != Delivery::Kind::push) return;
  const WorkItem item = as_sent(over.who, *over.item, *delivery);
  const sim::DeliveryOutcome landing = landing_of(over.done->result);
  const Duration wait = std::min(over.done->retry_after, kLongestAsked);
  const bool began = landing == sim::DeliveryOutcome::begun;
  checker_->see(now, sim::DeliveryArrived{over.who, item, landing, {}, began ? Duration{} : wait});
  const sim::Ending ending =
      over.done->result == WorkResult::failed ? sim::Ending::failed : sim::Ending::done;
  if (began) checker_->see(now, sim::DeliveryEnded{over.who, item, ending, wait});
}

void DeliveryFeed::asks(sim::TrueTime now, Incarnation who, const journal::Asked& asked) {
  Submission submission = asked.submission;
  submission.request = of_known(submission.request);
  checker_->see(now, sim::Submitted{who, asked.id, submission});
  const auto doubt = in_doubt_.find(asked.id);
  if (doubt == in_doubt_.end()) return;
  const JournalCall& call = *doubt->second;
  const StoreTime at = call.not_before;
  if (shows_ == Shows::known_order)
    takes(now, asked, at, Reply{reference::Reply{reference::GivenUp{}}});
  else if (const auto* commit = call.request<reference::CommitFires>())
    commits(now, who, *commit, rows_of(call), at);
}

void DeliveryFeed::commits(sim::TrueTime now, Incarnation who, const reference::CommitFires& commit,
                           const std::vector<JournalRow>& rows, StoreTime store_now) {
  reference::CommitFires known{commit.resource, commit.holder, commit.token, {}};
  for (const JournalRow& each : rows) {
    const reference::Change* version = definitions_.find(each.row.schedule, each.row.version);
    if (version == nullptr || each.row.what != reference::Disposition::fired) continue;
    const reference::EventId event{each.row.schedule, each.row.slot, 0};
    if (shows_ == Shows::known_order && doubted_.contains(event)) continue;
    known.rows.push_back(each.row);
    if (events_.try_emplace(event, &version->definition.delivery).second) waiting_.insert(event);
  }
  if (known.rows.empty()) return;
  const reference::Committed covered{
      std::vector<reference::RowResult>(known.rows.size(), reference::RowResult::covered)};
  show_applied(now, who, {}, store_now, Request{reference::Request{std::move(known)}},
               Reply{reference::Reply{covered}});
}

void DeliveryFeed::takes(sim::TrueTime now, const journal::Asked& asked, StoreTime store_now,
                         const Reply& reply) {
  const Request taking = of_known(asked.submission.request);
  if (sim::for_each_taken(taking, [&](const reference::EventId& event) { waiting_.erase(event); }))
    show_applied(now, asked.id.incarnation, asked.id, store_now, taking, reply);
}

// What a life without an end did last is in lines that are lost.
void DeliveryFeed::forget_all(sim::TrueTime now, Incarnation who) {
  if (shows_ != Shows::known_order || waiting_.empty()) return;
  reference::AckEvents all;
  for (const reference::EventId& event : waiting_) all.events.push_back({event});
  const Request taking = of_known(Request{reference::Request{std::move(all)}});
  waiting_.clear();
  show_applied(now, who, {}, {}, taking, Reply{reference::Reply{reference::Acknowledged{}}});
}

void DeliveryFeed::show_applied(sim::TrueTime now, Incarnation who, RequestId id, StoreTime store_now,
                                const Request& request, const Reply& reply) {
  checker_->see(now, sim::Applied{{}, definitions_.branch, store_now, who, id, request, reply});
}

Request DeliveryFeed::of_known(const Request& request) const {
  if (const auto* ack = sim::reference_request<reference::AckEvents>(request)) {
    reference::AckEvents known{ack->resource, {}};
    for (reference::DeliveredEvent had : ack->events) {
      const auto event = events_.find(had.id);
      if (event == events_.end()) continue;
      if (had.to.empty()) had = {had.id, event->second->kind, event->second->destination};
      known.events.push_back(had);
    }
    return Request{reference::Request{std::move(known)}};
  }
  if (const auto* given_up = sim::reference_request<reference::GiveUpEvents>(request)) {
    reference::GiveUpEvents known = *given_up;
    std::erase_if(known.events, [&](const reference::DeadEvent& dead) { return !events_.contains(dead.id); });
    return Request{reference::Request{std::move(known)}};
  }
  return request;
}

const Delivery* DeliveryFeed::delivery_of(const reference::EventId& event) const {
  if (const auto known = events_.find(event); known != events_.end()) return known->second;
  if (shows_ != Shows::all_work) return nullptr;
  static const Delivery kSomewhere{.kind = Delivery::Kind::push};
  const reference::Change* version = definitions_.at(event);
  return version != nullptr ? &version->definition.delivery : &kSomewhere;
}

WorkItem DeliveryFeed::as_sent(Incarnation who, const WorkItem& item, const Delivery& delivery) const {
  WorkItem sent = item;
  sent.destination = delivery.destination;
  const auto attempts = attempts_.find({who, item.event});
  sent.attempt = attempts != attempts_.end() ? attempts->second : 0;
  return sent;
}

}  // namespace tenure::lab
