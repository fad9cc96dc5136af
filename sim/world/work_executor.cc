#include "sim/world/work_executor.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "sim/world/landing.h"

namespace tenure::sim {
namespace {

// nullopt: the work begins.
std::optional<WorkResult> refusal(DeliveryOutcome landing) {
  switch (landing) {
    case DeliveryOutcome::begun: return std::nullopt;
    case DeliveryOutcome::fenced: return WorkResult::fenced;
    case DeliveryOutcome::running: return WorkResult::running;
    case DeliveryOutcome::duplicate: break;
  }
  return WorkResult::duplicate;
}

}  // namespace

WorkExecutor::WorkExecutor(Timeline& timeline, History& history, WorkWorld& world, KeyedRng rng,
                           WorkSetting setting, const std::vector<DestinationSetting>& destinations)
    : timeline_(timeline),
      history_(history),
      world_(world),
      rng_(rng.of("work")),
      setting_(std::move(setting)),
      resource_(setting_.fenced, setting_.honours_event_id),
      handler_(timeline.add_handler(*this)) {
  if (!destinations.empty())
    destinations_ = std::make_unique<Destinations>(timeline, history, world, rng, destinations,
                                                   setting_.fenced, setting_.honours_event_id);
}

void WorkExecutor::execute(Incarnation who, const WorkItem& item) {
  if (!item.destination.empty()) {
    CHECK(destinations_ != nullptr, "a scenario has the destinations that its schedules name");
    return destinations_->send(who, item);
  }
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(jobs_.size());
    jobs_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  jobs_[slot] = Job{.who = who, .item = item, .left = {}, .stretch_began = {}, .stretch = {}, .next = {}};
  timeline_.at(timeline_.now() + world_.resource_latency(who.node), {handler_, kLand, who.node.value, slot});
}

void WorkExecutor::write(Incarnation who, const WriteItem& item) {
  const std::uint64_t serial = ++written_;
  writes_.emplace(serial, Write{who, item});
  timeline_.at(timeline_.now() + world_.resource_latency(who.node),
               {handler_, kWriteLands, who.node.value, serial});
}

// What had left lands, whatever has become of its process.
void WorkExecutor::write_lands(std::uint64_t serial) {
  Write& write = writes_.at(serial);
  write.fenced = !resource_.admits(write.item.resource, write.item.token);
  history_.emit(WriteLanded{write.who, write.item, write.fenced});
  timeline_.at(timeline_.now() + world_.resource_latency(write.who.node),
               {handler_, kWriteDone, write.who.node.value, serial});
}

void WorkExecutor::write_is_answered(std::uint64_t serial) {
  const auto write = writes_.find(serial);
  const Write answered = write->second;
  writes_.erase(write);
  world_.write_done(answered.who, {answered.item.number, answered.fenced});
}

void WorkExecutor::see(TrueTime now, const Record& record) {
  if (std::holds_alternative<StoreReplicaStalled>(record)) may_lose_ = true;
  if (std::holds_alternative<StoreFailedOver>(record)) may_lose_ = false;
  const auto* applied = std::get_if<Applied>(&record);
  const auto* request = applied != nullptr ? std::get_if<reference::Request>(&applied->request) : nullptr;
  const auto* ack = request != nullptr ? std::get_if<reference::AckEvents>(request) : nullptr;
  if (ack == nullptr || may_lose_) return;
  for (const reference::DeliveredEvent& had : ack->events) {
    if (had.to.empty())
      resource_.acknowledged(now, had.id);
    else if (destinations_)
      destinations_->acknowledged(had);
  }
}

void WorkExecutor::land(std::uint32_t slot) {
  const WorkItem& item = jobs_[slot].item;
  const Incarnation who = jobs_[slot].who;
  const DeliveryOutcome landing = outcome_of(resource_.land(timeline_.now(), item));
  history_.emit(WorkArrived{who, item, landing, world_.fire_clock()});
  if (const auto refused = refusal(landing)) return answer(slot, *refused);

  const KeyedRng rng = rng_.of(item.event.schedule.value)
                           .of(static_cast<std::uint64_t>(item.event.slot.ns()))
                           .of(item.event.run);
  Job& job = jobs_[slot];
  job.left = setting_.duration.draw(rng);
  if (setting_.failing_ppm > 0) {
    const auto before = failures_.find(item.event);
    const KeyedRng draw = rng.of("fails").of(before != failures_.end() ? before->second : 0);
    job.fails = draw.below(1'000'000) < static_cast<std::uint64_t>(setting_.failing_ppm);
  }
  if (job.left <= Duration{}) return end(slot, WorkResult::done);
  if (!world_.alive(
          who)) {  // what had left before its process died still landed; nobody is there to go on with it
    died(slot);
    return;
  }
  running_.push_back(slot);
  run_stretch(slot);
}

// Work goes on until its end, or until it next looks whether its node leads, whichever is first.
void WorkExecutor::run_stretch(std::uint32_t slot) {
  Job& job = jobs_[slot];
  job.stretch_began = timeline_.now();
  job.stretch = job.stopping ? job.left : std::min(job.left, setting_.check_every);
  job.next = !world_.paused(job.who)
                 ? timeline_.at(timeline_.now() + job.stretch, {handler_, kRun, job.who.node.value, slot})
                 : EventHandle{};
}

void WorkExecutor::stretch_over(std::uint32_t slot) {
  Job& job = jobs_[slot];
  job.left -= job.stretch;
  job.next = EventHandle{};
  if (job.left <= Duration{}) return end(slot, job.stopping ? WorkResult::stopped : WorkResult::done);
  if (!job.stopping && !world_.still_leads(job.who, job.item.token)) {
    if (setting_.stop_latency <= Duration{}) return end(slot, WorkResult::stopped);
    job.stopping = true;
    job.left = setting_.stop_latency;
  }
  run_stretch(slot);
}

void WorkExecutor::end(std::uint32_t slot, WorkResult result) {
  const Job& job = jobs_[slot];
  std::erase(running_, slot);
  if (result == WorkResult::done && job.fails) result = WorkResult::failed;
  if (result == WorkResult::failed) {
    ++failures_[job.item.event];
    resource_.failed(job.item.event);
  } else {
    failures_.erase(job.item.event);
    resource_.ended(timeline_.now(), job.item.event);
  }
  const Ending ending = result == WorkResult::stopped  ? Ending::stopped
                        : result == WorkResult::failed ? Ending::failed
                                                       : Ending::done;
  history_.emit(WorkEnded{job.who, job.item, ending});
  answer(slot, result);
}

void WorkExecutor::answer(std::uint32_t slot, WorkResult result) {
  Job& job = jobs_[slot];
  job.result = result;
  timeline_.at(timeline_.now() + world_.resource_latency(job.who.node),
               {handler_, kDone, job.who.node.value, slot});
}

void WorkExecutor::process_paused(Incarnation who) {
  for (const std::uint32_t slot : running_) {
    Job& job = jobs_[slot];
    if (job.who != who || !timeline_.cancel(job.next)) continue;
    const Duration ran = timeline_.now() - job.stretch_began;
    job.left -= ran;
    job.next = EventHandle{};
  }
}

void WorkExecutor::process_resumed(Incarnation who) {
  for (const std::uint32_t slot : running_)
    if (jobs_[slot].who == who && jobs_[slot].next.generation == 0) run_stretch(slot);
}

void WorkExecutor::process_died(Incarnation who) {
  for (const std::uint32_t slot : std::vector<std::uint32_t>(running_)) {
    Job& job = jobs_[slot];
    if (job.who != who) continue;
    timeline_.cancel(job.next);
    std::erase(running_, slot);
    died(slot);
  }
}

void WorkExecutor::died(std::uint32_t slot) {
  const Job& job = jobs_[slot];
  resource_.ended(timeline_.now(), job.item.event);
  history_.emit(WorkEnded{job.who, job.item, Ending::died});
  release(slot);
}

void WorkExecutor::release(std::uint32_t slot) { free_.push_back(slot); }

void WorkExecutor::on_event(const Event& event) {
  const auto slot = static_cast<std::uint32_t>(event.payload);
  switch (static_cast<Kind>(event.kind)) {
    case kLand: land(slot); break;
    case kRun: stretch_over(slot); break;
    case kDone:
      world_.work_done(jobs_[slot].who, {jobs_[slot].item.event, jobs_[slot].result});
      release(slot);
      break;
    case kWriteLands: write_lands(event.payload); break;
    case kWriteDone: write_is_answered(event.payload); break;
  }
}

}  // namespace tenure::sim
