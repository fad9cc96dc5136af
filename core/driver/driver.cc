#include "core/driver/driver.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/driver/driver_env.h"
#include "core/model/no_disk.h"

namespace tenure {
namespace {

Alarm deadline_of(const Driver::Pending& pending) {
  return {.timer = std::nullopt, .request = pending.id, .deadline = pending.deadline};
}

std::size_t index_of(Part part) { return static_cast<std::size_t>(part); }

}  // namespace

// ---- lives -------------------------------------------------------------------------------------------------

void Driver::start(std::unique_ptr<Node> node, const Readings& now, DriverHost& host) {
  start(std::move(node), who_.number + 1, now, host);
}

void Driver::start(std::unique_ptr<Node> node, std::uint32_t number, const Readings& now, DriverHost& host) {
  CHECK(!alive() && number > 0, "I1: one life at a time");
  who_.number = number;
  node_ = std::move(node);
  step(Started{who_, cluster_size_}, now, host);
}

void Driver::terminate() {
  node_.reset();
  stop_asked_ = stopped_ = false;
  timers_.clear();
  pending_.clear();
  queue_.clear();
  left_ = 0;
  requests_ = 0;
  connections_ = {};
  belief_.reset();
}

void Driver::end_if_finished() {
  if (stopped_ && !has_effects()) terminate();
}

// ---- inputs ------------------------------------------------------------------------------------------------

void Driver::step(const Input& input, const Readings& now, DriverHost& host) {
  host.stepping(input);
  if (node_.use_count() > 1) node_ = node_->clone();
  DriverEnv env(*this, now, host);
  NoDisk none;
  Disk* const disk = host.disk();
  Env interfaces{env, env, env, env, env, host, disk != nullptr ? *disk : none};
  node_->step(input, interfaces);
  end_if_finished();
}

bool Driver::deliver(Incarnation to, Input&& input, const Readings& now, DriverHost& host) {
  if (!hears(to)) return false;
  if (auto* reply = std::get_if<StoreReplied>(&input)) {
    const auto place = std::find_if(pending_.begin(), pending_.end(),
                                    [&](const Pending& pending) { return pending.id == reply->id; });
    if (place == pending_.end()) return false;  // I3: answered already
    const Pending pending = *place;
    pending_.erase(place);
    host.alarm_dropped(deadline_of(pending));
    reply->store = pending.store;
    reply->part = pending.part;
    reply->sent_at = pending.sent_at;
    if (reply->outcome == RequestOutcome::unknown) give_up_connection(pending);
  } else if (std::holds_alternative<StopAsked>(input)) {
    if (std::exchange(stop_asked_, true)) return false;  // a life is asked once
  }
  step(input, now, host);
  return true;
}

bool Driver::fire(TimerId timer, const Readings& now, DriverHost& host) {
  const auto place =
      std::find_if(timers_.begin(), timers_.end(), [timer](const Timer& t) { return t.id == timer; });
  if (place == timers_.end() || now.mono < place->deadline) return false;
  timers_.erase(place);
  step(TimerFired{timer}, now, host);
  return true;
}

bool Driver::give_up(RequestId id, const Readings& now, DriverHost& host) {
  const auto place = std::find_if(pending_.begin(), pending_.end(),
                                  [id](const Pending& pending) { return pending.id == id; });
  if (place == pending_.end() || now.mono < place->deadline) return false;
  const StoreReplied unknown = unknown_answer(*place);
  give_up_connection(*place);
  pending_.erase(place);
  step(unknown, now, host);
  return true;
}

std::vector<StoreReplied> Driver::lose_sessions() {
  for (Connections& part : connections_)
    for (std::optional<std::uint32_t>& newest : part.newest)
      if (newest) newest = ++part.opened;
  std::vector<StoreReplied> answers;
  for (const Pending& pending : pending_)
    if (pending.connection) answers.push_back(unknown_answer(pending));
  return answers;
}

// One of those that had been on it, if there were several, is enough.
void Driver::give_up_connection(const Pending& pending) {
  if (!pending.connection) return;
  Connections& part = connections_[index_of(pending.part)];
  const auto broken = std::find(part.newest.begin(), part.newest.end(), pending.connection);
  if (broken != part.newest.end()) *broken = ++part.opened;
}

StoreReplied Driver::unknown_answer(const Pending& pending) const {
  StoreReplied answer;
  answer.store = pending.store;
  answer.part = pending.part;
  answer.id = pending.id;
  answer.sent_at = pending.sent_at;
  answer.outcome = RequestOutcome::unknown;
  return answer;
}

// ---- effects -----------------------------------------------------------------------------------------------

Effect Driver::leave() {
  CHECK(has_effects(), "I2: something waits to leave");
  Effect effect = std::move(queue_[left_++]);
  if (!has_effects()) {
    queue_.clear();
    left_ = 0;
  }
  if (auto* submit = std::get_if<SubmitEffect>(&effect)) {
    Connections& part = connections_[index_of(submit->submission.part)];
    std::optional<std::uint32_t>& newest = part.newest[submit->submission.lane];
    if (!newest) newest = ++part.opened;
    submit->connection = *newest;
    for (Pending& pending : pending_)
      if (pending.id == submit->id) pending.connection = submit->connection;
  }
  end_if_finished();
  return effect;
}

// ---- what the driver waits for -----------------------------------------------------------------------------

const Driver::Pending* Driver::pending(RequestId id) const {
  for (const Pending& pending : pending_)
    if (pending.id == id) return &pending;
  return nullptr;
}

std::optional<MonoTime> Driver::next_alarm() const {
  std::optional<MonoTime> next;
  for (const Timer& timer : timers_)
    if (!next || timer.deadline < *next) next = timer.deadline;
  for (const Pending& pending : pending_)
    if (!next || pending.deadline < *next) next = pending.deadline;
  return next;
}

void Driver::due(MonoTime now, std::vector<Alarm>& alarms) const {
  for (const Timer& timer : timers_)
    if (timer.deadline <= now) alarms.push_back({timer.id, {}, timer.deadline});
  for (const Pending& pending : pending_)
    if (pending.deadline <= now) alarms.push_back(deadline_of(pending));
}

bool Driver::believes(const Readings& now) const {
  if (!belief_) return false;
  if (const auto* until = std::get_if<MonoTime>(&belief_->until)) return now.mono < *until;
  if (const auto* until = std::get_if<WallTime>(&belief_->until)) return now.wall < *until;
  return true;
}

}  // namespace tenure
