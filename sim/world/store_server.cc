#include "sim/world/store_server.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "sim/world/chance.h"

namespace tenure::sim {
namespace {

// The server's events on the timeline.
constexpr std::uint8_t kExecutionDone = 0;  // an execution's end
constexpr std::uint8_t kTimeOut = 1;

// A process that was started again has new connections: it does not wait for what its last life had asked.
bool same_connection(const InFlightRequest& a, const InFlightRequest& b) {
  return a.from == b.from && a.part == b.part && a.who == b.who && a.connection == b.connection;
}

}  // namespace

StoreServer::StoreServer(Timeline& timeline, History& history, StoreWorld& world, KeyedRng rng,
                         Setting setting, std::vector<std::unique_ptr<StoreMachine>> machines)
    : timeline_(timeline),
      history_(history),
      world_(world),
      rng_(rng.of("store").of(setting.id.value)),
      setting_(std::move(setting)),
      clock_(setting_.clock),
      handler_(timeline.add_handler(*this)),
      machines_(std::move(machines)) {}

void StoreServer::arrive(InFlightRequest&& transit) {
  const StoreKnobs knobs = this->knobs();
  meet_turned([](const StoreKnobs& its) { return its.down || its.hang || its.slow > Duration{}; });
  if (knobs.down) return refuse(transit, Rejection::unreachable);
  const KeyedRng rng = next_noise();
  if (happens(rng.of("request lost"), knobs.request_lost_ppm))
    return meet_turned([](const StoreKnobs& its) { return its.request_lost_ppm > 0; });
  if (happens(rng.of("rejected"), knobs.rejected_ppm)) {
    meet_turned([](const StoreKnobs& its) { return its.rejected_ppm > 0; });
    return refuse(transit, Rejection::overloaded);
  }
  if (fails_in_part(transit, rng)) return;
  admit(std::move(transit));
}

bool StoreServer::fails_in_part(const InFlightRequest& transit, KeyedRng rng) {
  const auto hits = [&](Turned<StoreOutage>& broken) {
    const StoreOutage& outage = broken.what;
    const bool meets =
        std::find(outage.nodes.begin(), outage.nodes.end(), transit.who.node) != outage.nodes.end() &&
        fails(outage.of, transit.part, transit.request);
    const bool hit = meets && happens(rng.of("fails in part").of(broken.fault), outage.ppm);
    broken.met = broken.met || hit;
    return hit;
  };
  const auto broken = std::find_if(broken_.begin(), broken_.end(), hits);
  if (broken == broken_.end()) return false;
  if (!broken->what.silent) refuse(transit, broken->what.why);
  return true;
}

void StoreServer::admit(InFlightRequest&& transit) {
  if (has_place() && !knobs().hang && in_turn(transit)) return begin(std::move(transit));
  if (std::ssize(queue_) >= setting_.queue) return refuse(transit, Rejection::overloaded);
  queue_.push_back(std::move(transit));
}

bool StoreServer::has_place() const {
  const auto waiting = waits_aside() ? 0 : std::ssize(waiting_);
  return std::ssize(executing_) + std::ssize(blocked_) + waiting < setting_.concurrent;
}

// I2: a request waits while an earlier one of its connection is executed, even when there is a place.
bool StoreServer::in_turn(const InFlightRequest& transit) const {
  const auto before = [&](const Execution& e) { return same_connection(e.transit, transit); };
  return std::none_of(executing_.begin(), executing_.end(), before) &&
         std::none_of(blocked_.begin(), blocked_.end(), before) &&
         (waits_aside() || std::none_of(waiting_.begin(), waiting_.end(), before));
}

void StoreServer::begin(InFlightRequest&& transit) {
  const Duration takes =
      setting_.latency_for(transit.request).draw(next_noise().of("latency")) + knobs().slow;
  const EventHandle done =
      timeline_.at(timeline_.now() + takes, {handler_, kExecutionDone, setting_.id.value, ++serial_});
  executing_.emplace_back(std::move(transit), done, serial_, timeline_.now() + takes);
}

void StoreServer::on_event(const Event& event) {
  if (event.kind == kTimeOut) return time_out();
  const auto place = std::find_if(executing_.begin(), executing_.end(),
                                  [&](const Execution& e) { return e.serial == event.payload; });
  CHECK(place != executing_.end(), "an execution that was lost had its end cancelled");
  Execution execution = std::move(*place);
  executing_.erase(place);
  if (must_wait_for_lock(execution.transit.request)) {
    execution.left = {};
    blocked_.push_back(std::move(execution));
    return;
  }
  finish(std::move(execution));
  fill_places();
}

// Nobody queues behind one who waits: a lock that the holder shares is given at once, as Postgres does.
bool StoreServer::must_wait_for_lock(const Request& request) {
  if (turned_.empty()) return false;
  const RowLock wanted = machine_for(request).lease_lock(request);
  bool waits = false;
  for (Turned<StoreKnobs>& turned : turned_) {
    const RowLock held = turned.what.lease_lock;
    const bool meets = held != RowLock::none && conflict(held, wanted);
    turned.met = turned.met || meets;
    waits = waits || meets;
  }
  return waits;
}

void StoreServer::fill_places() {
  for (auto next = queue_.begin(); next != queue_.end() && has_place();) {
    if (!in_turn(*next)) {
      ++next;
      continue;
    }
    InFlightRequest transit = std::move(*next);
    next = queue_.erase(next);
    begin(std::move(transit));
  }
}

void StoreServer::finish(Execution&& execution) {
  StoreMachine& machine = machine_for(execution.transit.request);
  if (SessionStore* const sessions = machine.sessions())
    return begin_in_session(*sessions, std::move(execution));
  const InFlightRequest& transit = execution.transit;
  answer(transit, apply(transit.who, transit.id, transit.request));
}

void StoreServer::answer(const InFlightRequest& transit, Reply&& reply) {
  StoreReplied replied{.store = setting_.id,
                       .part = transit.part,
                       .id = transit.id,
                       .sent_at = transit.sent_at,
                       .outcome = RequestOutcome::applied,
                       .store_time = now(),
                       .reply = std::move(reply)};
  if (happens(next_noise().of("ack lost"), knobs().ack_lost_ppm))
    meet_turned([](const StoreKnobs& its) { return its.ack_lost_ppm > 0; });
  else
    world_.store_answered(transit, std::move(replied));
  for (const Notification& what : std::exchange(notifications_, {})) world_.store_notified(setting_.id, what);
}

StoreMachine& StoreServer::machine_for(const Request& request) {
  const auto machine =
      std::find_if(machines_.begin(), machines_.end(), [&](const auto& m) { return m->handles(request); });
  CHECK(machine != machines_.end(), "a request goes to a store that runs its machine");
  return **machine;
}

Reply StoreServer::apply(Incarnation who, RequestId id, const Request& request) {
  Reply reply = machine_for(request).apply(request, now(), notifications_);
  history_.emit(Applied{setting_.id, branch_, now(), who, id, request, reply});
  return reply;
}

Reply StoreServer::apply_now(Incarnation who, const Request& request) {
  Reply reply = apply(who, RequestId{who, 0}, request);
  notifications_.clear();
  return reply;
}

void StoreServer::say_that_it_broke(const InFlightRequest& transit) {
  timeline_.mix(Hasher().add(transit.id).add(RequestOutcome::unknown).value());  // in no record either
  world_.store_answered(transit, StoreReplied{.store = setting_.id,
                                              .part = transit.part,
                                              .id = transit.id,
                                              .sent_at = transit.sent_at,
                                              .outcome = RequestOutcome::unknown,
                                              .store_time = {},
                                              .reply = {}});
}

void StoreServer::refuse(const InFlightRequest& transit, Rejection why) {
  timeline_.mix(Hasher().add(transit.id).add(why).value());  // a refusal is in no record
  world_.store_answered(transit, StoreReplied{.store = setting_.id,
                                              .part = transit.part,
                                              .id = transit.id,
                                              .sent_at = transit.sent_at,
                                              .outcome = RequestOutcome::rejected,
                                              .rejection = why,
                                              .store_time = {},
                                              .reply = {}});
}

void StoreServer::step_clock(Duration by) {
  clock_.step(timeline_.now(), by);
  history_.emit(StoreClockStepped{setting_.id, by});
  if (SessionStore* const sessions = this->sessions()) follow(*sessions);
}

void StoreServer::deliver_again() {
  SessionStore* const sessions = this->sessions();
  if (sessions == nullptr) return;
  sessions->deliver_again(now());
  follow(*sessions);
}

// ---- servers that are parted --------------------------------------------------------------------------------

void StoreServer::part_servers(std::uint64_t fault, const ServerSplit& split) {
  CHECK(!servers_parted(), "one partition at a time");
  parted_by_ = fault;
  sessions()->cluster()->part(split, now());
  follow(*sessions());
}

void StoreServer::elect(std::uint64_t fault) {
  if (parted_by_ != fault) return;
  sessions()->cluster()->elect(now());
  follow(*sessions());
}

void StoreServer::depose_old_leader(std::uint64_t fault) {
  if (parted_by_ == fault) sessions()->cluster()->depose(now());
}

void StoreServer::rejoin_servers(std::uint64_t fault, bool carries_out) {
  if (parted_by_ != fault) return;
  parted_by_.reset();
  sessions()->cluster()->rejoin(carries_out, now());
  follow(*sessions());
}

// ---- a store with sessions ---------------------------------------------------------------------------------

SessionStore* StoreServer::sessions() const {
  for (const auto& machine : machines_)
    if (SessionStore* const sessions = machine->sessions()) return sessions;
  return nullptr;
}

void StoreServer::begin_in_session(SessionStore& sessions, Execution&& execution) {
  const InFlightRequest& transit = execution.transit;
  if (servers_parted() && sessions.cluster()->loses(transit.who.node, transit.request, now())) return;
  std::optional<Reply> reply = sessions.begin({transit.who, transit.part, transit.connection, transit.lane},
                                              execution.serial, transit.request, now());
  if (reply) {
    history_.emit(Applied{setting_.id, branch_, now(), transit.who, transit.id, transit.request, *reply});
    answer(transit, std::move(*reply));
  } else {
    waiting_.push_back(std::move(execution));
  }
  follow(sessions);
}

void StoreServer::follow(SessionStore& sessions) {
  for (auto& [ticket, reply] : sessions.take_completed()) {
    const auto place = std::find_if(waiting_.begin(), waiting_.end(),
                                    [serial = ticket](const Execution& e) { return e.serial == serial; });
    CHECK(place != waiting_.end(), "what is completed had waited");
    const InFlightRequest transit = std::move(place->transit);
    waiting_.erase(place);
    history_.emit(Applied{setting_.id, branch_, now(), transit.who, transit.id, transit.request, reply});
    answer(transit, std::move(reply));
  }
  timeline_.cancel(time_out_);
  time_out_ = {};
  const StoreKnobs knobs = this->knobs();
  if (const std::optional<StoreTime> next = sessions.next_time_out(); next && !knobs.hang && !knobs.down)
    time_out_ = timeline_.at(clock_.when(next->ns()), {handler_, kTimeOut, setting_.id.value, 0});
}

void StoreServer::time_out() {
  SessionStore* const sessions = this->sessions();
  sessions->time_out(now());
  follow(*sessions);
  fill_places();
}

void StoreServer::client_is_gone(Incarnation who) {
  if (knobs().hang) return gone_.push_back(who);
  SessionStore* const sessions = this->sessions();
  sessions->client_is_gone(who, now());
  follow(*sessions);
  fill_places();
}

// ---- failover ----------------------------------------------------------------------------------------------

void StoreServer::stall_replica() {
  CHECK(!replica_stalled(), "one failover at a time");
  for (const auto& machine : machines_) replica_.push_back(machine->clone());
  history_.emit(StoreReplicaStalled{setting_.id});
}

void StoreServer::fail_over() {
  CHECK(replica_stalled(), "a failover begins with a replica that stands still");
  server_dies();
  machines_ = std::exchange(replica_, {});
  ++branch_;
  for (const auto& machine : machines_) machine->promote(branch_);
  history_.emit(StoreFailedOver{setting_.id, branch_});
}

// ---- knobs -------------------------------------------------------------------------------------------------

StoreKnobs StoreServer::knobs() const {
  StoreKnobs sum;
  for (const auto& turned : turned_) {
    const StoreKnobs& knobs = turned.what;
    sum.down = sum.down || knobs.down;
    sum.hang = sum.hang || knobs.hang;
    sum.slow += knobs.slow;
    sum.ack_lost_ppm = std::max(sum.ack_lost_ppm, knobs.ack_lost_ppm);
    sum.request_lost_ppm = std::max(sum.request_lost_ppm, knobs.request_lost_ppm);
    sum.rejected_ppm = std::max(sum.rejected_ppm, knobs.rejected_ppm);
    sum.lease_lock =
        std::max(sum.lease_lock, knobs.lease_lock);  // the stronger excludes what the weaker does
  }
  return sum;
}

void StoreServer::turn(std::uint64_t fault, const StoreKnobs& knobs) {
  const StoreKnobs before = this->knobs();
  turned_.push_back({fault, knobs});
  const bool is_used = !executing_.empty() || !blocked_.empty() || !waiting_.empty() || !queue_.empty();
  if (is_used || (knobs.down && has_sessions()))
    meet_turned([](const StoreKnobs& its) { return its.down || its.hang || its.slow > Duration{}; });
  say_if_turned(before, !broken_.empty());
  if (!before.down && this->knobs().down) down_since_ = timeline_.now();
  if (this->knobs().down) server_dies();
  if (this->knobs().hang && !before.hang) stand_still();
}

template <class Has>
void StoreServer::meet_turned(Has&& has) {
  for (Turned<StoreKnobs>& turned : turned_) turned.met = turned.met || has(turned.what);
}

bool StoreServer::met(std::uint64_t fault) const {
  const auto meets = [fault](const auto& turned) { return turned.fault == fault && turned.met; };
  return std::any_of(turned_.begin(), turned_.end(), meets) ||
         std::any_of(broken_.begin(), broken_.end(), meets);
}

void StoreServer::break_part(std::uint64_t fault, StoreOutage outage) {
  const bool was_broken = !broken_.empty();
  broken_.push_back({fault, std::move(outage)});
  say_if_turned(knobs(), was_broken);
}

void StoreServer::say_if_turned(const StoreKnobs& before, bool was_broken) {
  const StoreKnobs now = knobs();
  const bool broken = !broken_.empty();
  if (now != before || broken != was_broken) history_.emit(StoreDegraded{setting_.id, now, broken});
}

// What is being executed keeps its place, and what is left of its time.
void StoreServer::stand_still() {
  for (Execution& execution : executing_) {
    timeline_.cancel(execution.done);
    execution.left = execution.ends - timeline_.now();
  }
  timeline_.cancel(time_out_);
}

void StoreServer::turn_back(std::uint64_t fault) {
  const StoreKnobs before = knobs();
  const bool was_broken = !broken_.empty();
  std::erase_if(turned_, [&](const auto& turned) { return turned.fault == fault; });
  std::erase_if(broken_, [&](const auto& broken) { return broken.fault == fault; });
  say_if_turned(before, was_broken);
  if (before.down && !knobs().down) world_.store_returned(setting_.id, down_since_);
  if (SessionStore* const sessions = this->sessions(); sessions != nullptr && before.down && !knobs().down) {
    sessions->restart(now());
    follow(*sessions);
  }
  if (before.hang && !knobs().hang) {
    // What stood still goes on before anything else takes a place.
    for (Execution& execution : std::exchange(executing_, {})) go_on(std::move(execution));
    for (const Incarnation who : std::exchange(gone_, {})) client_is_gone(who);
    if (SessionStore* const sessions = this->sessions()) follow(*sessions);
    mix_queue(fault);
    fill_places();
  }
  if (knobs().lease_lock == before.lease_lock) return;
  // Each looks again whether it may; those that may are applied in the order in which they came to wait.
  for (Execution& execution : std::exchange(blocked_, {})) go_on(std::move(execution));
}

// A server that wakes up serves whichever connection it looks at first, and each in its own order.
void StoreServer::mix_queue(std::uint64_t fault) {
  const KeyedRng rng = rng_.of("after a hang").of(fault);
  std::deque<InFlightRequest> mixed;
  while (!queue_.empty()) {
    const auto drawn =
        queue_.begin() + static_cast<std::ptrdiff_t>(rng.of(queue_.size()).below(queue_.size()));
    const auto next = std::find_if(queue_.begin(), drawn,
                                   [&](const InFlightRequest& r) { return same_connection(r, *drawn); });
    mixed.push_back(std::move(*next));
    queue_.erase(next);
  }
  queue_ = std::move(mixed);
}

// With what is left of its time. A store that hangs keeps it until then.
void StoreServer::go_on(Execution&& execution) {
  execution.ends = timeline_.now() + execution.left;
  if (!knobs().hang)
    execution.done =
        timeline_.at(execution.ends, {handler_, kExecutionDone, setting_.id.value, execution.serial});
  executing_.push_back(std::move(execution));
}

// The connections broke, so that each answer is unknown to its driver; it learns so at its deadline. Only who waits for
// something to happen has no deadline to speak of, and is told by the end of its connection. What comes up next, the
// same server or a replica, has no transaction open and does not hang.
void StoreServer::server_dies() {
  for (const Execution& execution : executing_) timeline_.cancel(execution.done);
  executing_.clear();
  blocked_.clear();
  for (const Execution& execution : std::exchange(waiting_, {}))
    if (waits_aside()) say_that_it_broke(execution.transit);
  queue_.clear();
  if (SessionStore* const sessions = this->sessions()) {
    sessions->restart(now());
    for (const Incarnation who : std::exchange(gone_, {})) sessions->client_is_gone(who, now());
    follow(*sessions);
  }
  for (const auto& machine : machines_) machine->crash();
  for (auto& turned : turned_) {
    turned.what.lease_lock = RowLock::none;
    turned.what.hang = false;
  }
}

KeyedRng StoreServer::next_noise() {
  const std::int64_t second = timeline_.now().ns() / Duration::seconds(1).ns();
  if (second != second_) ordinal_ = 0;
  second_ = second;
  return rng_.of(static_cast<std::uint64_t>(second)).of(ordinal_++);
}

}  // namespace tenure::sim
