#include "tests/judge/outbox.h"

#include <algorithm>

#include "tests/judge/delivery_model.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
std::vector<reference::EventId> Deaths::by(const KeptApplied& applied) {
  std::vector<reference::EventId> dead;
  const auto* asked = as_reference<reference::GiveUpEvents>(applied.request);
  if (asked == nullptr || as_reference<reference::GivenUp>(applied.reply) == nullptr) return dead;
  for (const reference::DeadEvent& one : asked->events)
    if (known_.insert({one.id, asked->token.branch, one.seq}).second || one.seq == 0) dead.push_back(one.id);
  return dead;
}

namespace {

using reference::EventId;
using reference::Standing;
std::vector<EventId> out_by(const KeptApplied& applied, Deaths& deaths) {
  std::vector<EventId> out = deaths.by(applied);
  for (const auto& [token, word, standing] : answers_in(applied))
    if (word != Word::lives &&
        (standing == Standing::completed || standing == Standing::dead || standing == Standing::replaced))
      out.push_back(token.event);
  return out;
}

class Writer {
 public:
  void read(const History& history) {
    for (std::size_t place = 0; place < history.facts.size(); ++place) {
      const Kept& kept = history.facts[place];
      if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
        for (const Intake::Put& put : now_.intake.take(*applied)) {
          if (now_.open.contains(put.event)) continue;
          begin({.event = put.event, .position = ++position_, .from = place, .rules = put.rules});
        }
        for (const EventId& event : out_by(*applied, deaths_)) end(event, place);
        if (const auto* ack = as_reference<reference::AckEvents>(applied->request))
          for (const reference::DeliveredEvent& had : ack->events)
            if (const auto open = now_.open.find(had.id);
                open != now_.open.end() && all_[had.id.schedule][open->second].rules.is_for(had))
              end(had.id, place);
      } else if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) {
        replica_ = now_;
        stalled_ = place;
      } else if (std::holds_alternative<sim::StoreFailedOver>(kept.fact) && replica_) {
        fail_over(place);
      }
    }
  }
  std::map<ScheduleId, std::vector<Waiting>> take() { return std::move(all_); }

 private:
  struct State {
    std::map<EventId, std::size_t> open;  // which one of its schedule
    Intake intake;
  };

  void begin(Waiting waiting) {
    std::vector<Waiting>& own = all_[waiting.event.schedule];
    now_.open[waiting.event] = own.size();
    own.push_back(std::move(waiting));
  }
  void end(const EventId& event, std::size_t place) {
    const auto open = now_.open.find(event);
    if (open == now_.open.end()) return;
    Waiting& waiting = all_[event.schedule][open->second];
    waiting.to = place;
    now_.open.erase(open);
  }
  void fail_over(std::size_t place) {
    const std::map<EventId, std::size_t> before = now_.open;
    for (const auto& [event, which] : before)
      if (!replica_->open.contains(event)) end(event, place);
    for (const auto& [event, which] : replica_->open) {
      if (before.contains(event)) continue;
      Waiting again = all_[event.schedule][which];
      again.before.emplace_back(again.from, stalled_);
      again.from = place;
      again.to = kNoPlace;
      again.given_back = true;
      begin(again);
    }
    now_.intake = replica_->intake;
    replica_.reset();
  }

  std::map<ScheduleId, std::vector<Waiting>> all_;
  State now_;
  Deaths deaths_;
  std::optional<State> replica_;
  std::size_t stalled_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace

std::map<ScheduleId, std::vector<Waiting>> waiting_events(const History& history) {
  Writer writer;
  writer.read(history);
  return writer.take();
}

const Waiting* waiting_at(const std::map<ScheduleId, std::vector<Waiting>>& all, const EventId& event,
                          std::size_t place) {
  const auto own = all.find(event.schedule);
  if (own == all.end()) return nullptr;
  for (const Waiting& each : own->second)
    if (each.event == event && each.is_here(place)) return &each;
  return nullptr;
}

std::optional<Rules> rules_before(const std::map<ScheduleId, std::vector<Waiting>>& all, const EventId& event,
                                  std::size_t place) {
  const auto own = all.find(event.schedule);
  if (own == all.end()) return std::nullopt;
  const Waiting* last = nullptr;
  for (const Waiting& each : own->second)
    if (each.event == event && !each.given_back && each.from < place &&
        (last == nullptr || last->from < each.from))
      last = &each;
  if (last == nullptr || last->rules.is_own_work()) return std::nullopt;
  return last->rules;
}

std::map<ScheduleId, std::string> topics_of(const sim::Scenario& scenario) {
  std::map<ScheduleId, std::string> topics;
  for (std::uint32_t i = 0; i < scenario.schedules.size(); ++i)
    topics[ScheduleId{i}] = scenario.schedules[i].payload.topic;
  for (const sim::ChangeSetting& change : scenario.changes)
    if (change.action == sim::ChangeAction::create) topics[change.schedule] = change.payload.topic;
  return topics;
}

std::vector<reference::EventId> taken_by(const Request& request) {
  std::vector<reference::EventId> taken;
  if (const auto* ack = as_reference<reference::AckEvents>(request))
    for (const reference::DeliveredEvent& had : ack->events) taken.push_back(had.id);
  if (const auto* given_up = as_reference<reference::GiveUpEvents>(request))
    for (const reference::DeadEvent& dead : given_up->events) taken.push_back(dead.id);
  return taken;
}

// ---- what is committed, and by which version -----------------------------------------------------------------

std::vector<Intake::Put> Intake::take(const KeptApplied& applied) {
  std::vector<Put> put;
  const auto* asked = as_reference<reference::CommitFires>(applied.request);
  const auto* committed = as_reference<reference::Committed>(applied.reply);
  if (asked != nullptr && committed != nullptr)
    for (std::size_t i = 0; i < asked->rows.size() && i < committed->rows.size(); ++i) {
      const reference::LedgerRow& row = asked->rows[i];
      if (committed->rows[i] == reference::RowResult::covered && row.what == reference::Disposition::fired)
        put.push_back({{row.schedule, row.slot, 0}, of(row.schedule, row.version)});
    }
  const auto learns = [&](ScheduleId schedule, std::uint32_t version, const Definition& definition) {
    versions_[schedule].try_emplace(version, Rules{definition.overlap, definition.delivery});
  };
  if (const auto* named = as_reference<reference::NamedEdited>(applied.reply))
    if (const auto* edit = as_reference<reference::PutNamed>(applied.request))
      learns(named->edition.schedule, named->edition.version, edit->definition);
  const auto* edited = as_reference<reference::Edited>(applied.reply);
  if (edited == nullptr) return put;
  if (const auto* edit = as_reference<reference::PutSchedule>(applied.request))
    learns(edit->schedule, edited->version, edit->definition);
  if (const auto* trigger = as_reference<reference::TriggerSchedule>(applied.request);
      trigger != nullptr && runs_.insert({trigger->schedule, trigger->run}).second)
    put.push_back({{trigger->schedule, trigger->at, trigger->run}, in_force(trigger->schedule)});
  if (const auto* backfill = as_reference<reference::BackfillSchedule>(applied.request);
      backfill != nullptr && runs_.insert({backfill->schedule, backfill->run}).second)
    for (const StoreTime slot : backfill->slots)
      put.push_back({{backfill->schedule, slot, backfill->run}, in_force(backfill->schedule)});
  return put;
}

Rules Intake::of(ScheduleId schedule, std::uint32_t version) const {
  const auto known = versions_.find(schedule);
  if (known == versions_.end()) return {};
  const auto found = known->second.find(version);
  return found != known->second.end() ? found->second : Rules{};
}

Rules Intake::in_force(ScheduleId schedule) const {
  const auto known = versions_.find(schedule);
  return known != versions_.end() ? known->second.rbegin()->second : Rules{};
}

Deliveries deliveries_of(const History& history) {
  Deliveries all;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Fact& fact = history.facts[place].fact;
    if (const auto* landed = std::get_if<KeptDeliveryLanding>(&fact)) {
      if (landed->landing == sim::DeliveryOutcome::duplicate)
        all.try_emplace({landed->item.event, landed->item.destination}, place);
    } else if (const auto* ended = std::get_if<KeptDeliveryEnding>(&fact)) {
      if (ended->ending == sim::Ending::done)
        all.try_emplace({ended->item.event, ended->item.destination}, place);
    } else if (const auto* worked = std::get_if<sim::WorkerExecution>(&fact)) {
      if (worked->ending == sim::Ending::done) all.try_emplace({worked->token.event, {}}, place);
    }
  }
  return all;
}

bool was_delivered(const Deliveries& deliveries, const EventId& event, const std::string& destination,
                   std::size_t before) {
  const auto found = deliveries.find({event, destination});
  return found != deliveries.end() && found->second < before;
}

}  // namespace tenure::judging
