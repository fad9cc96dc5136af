#include "sim/world/world.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/store/listening.h"
#include "core/store/store_kind.h"
#include "sim/stores/statements/requests.h"
#include "sim/world/digest.h"
#include "sim/world/payloads.h"

namespace tenure::sim {
namespace {

constexpr ResourceId kResource{0};
constexpr StoreId kStore{0};
constexpr Incarnation kClient{kClientNode, 1};
// Monotonic clocks start somewhere in this range: no two nodes agree on what zero means.
constexpr Duration kMonoStartMax = Duration::hours(24 * 30);

Duration drawn(KeyedRng rng, const Range<Duration>& range) {
  return Duration::nanos(rng.between(range.low.ns(), range.high.ns()));
}
std::int64_t drawn(KeyedRng rng, const Range<std::int64_t>& range) {
  return rng.between(range.low, range.high);
}

}  // namespace

World::World(const Scenario& scenario, std::uint64_t seed)
    : scenario_(scenario), rng_(seed), history_(timeline_), handler_(timeline_.add_handler(*this)) {
  CHECK(scenario.protocol != nullptr && !scenario.instances.empty());
  CHECK(
      scenario.protocol->make_node == nullptr || scenario.scheduler == nullptr ||
          (scenario.scheduler->design != nullptr && scenario.protocol->design == scenario.scheduler->design),
      "a whole node has no room for another's scheduler");
  furnish_processes();
  furnish_stores();
  if (!scenario.workers.empty())
    workers_ = std::make_unique<Workers>(timeline_, history_, *network_, rng_, scenario.workers);
}

World::~World() = default;

void World::furnish_processes() {
  const auto size = static_cast<std::uint32_t>(scenario_.instances.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const InstanceSetting& instance = scenario_.instances[i];
    const KeyedRng rng = rng_.of("clock").of(i);
    const auto mono = MonoTime::from_ns(rng.of("mono").between(0, kMonoStartMax.ns()));
    const auto wall = WallTime::from_ns(scenario_.start_ns) + drawn(rng.of("offset"), instance.clock.offset);
    const std::int64_t rate = drawn(rng.of("rate"), instance.clock.rate_ppm);
    processes_.push_back(std::make_unique<SimProcess>(
        timeline_, history_, *this, rng_,
        SimProcess::Setting{NodeId{i}, size, NodeClock{mono, wall, rate}, scenario_.departure, first_start(i),
                            scenario_.work.program}));
    election_.push_back(instance.election);
  }
  was_paused_.resize(size);
  was_alive_.resize(size);
  const std::uint32_t stores = scenario_.protocol->stores;
  const auto workers = static_cast<std::uint32_t>(worker_processes(scenario_.workers).size());
  Links links(rng_, SimNetwork::endpoints(size, stores, workers), scenario_.network.latency,
              scenario_.network.loss_ppm);
  network_ = std::make_unique<SimNetwork>(timeline_, *this, std::move(links), size, stores, workers);
  work_ = std::make_unique<WorkExecutor>(timeline_, history_, *this, rng_, scenario_.work,
                                         scenario_.destinations);
  history_.add(*work_);
}

namespace {

// The kind of store that stands in for `kind` on this engine; `kind` itself where the engine runs no such store.
const StoreKind* stand_in(const StoreKind* kind, const StoreKind* engine) {
  if (engine == nullptr) return kind;
  if (!kind->schema.empty()) return engine->with_schema != nullptr ? engine->with_schema(kind->schema) : kind;
  return kind->may_run_on_engines && engine->make != nullptr ? engine : kind;
}

}  // namespace

// The first server runs the machine that the protocol needs and the one that the scheduler needs, if it is another. The
// others run the protocol's.
void World::furnish_stores() {
  const StoreSetting& setting = scenario_.store;
  for (StoreId id; id.value < scenario_.protocol->stores; ++id.value) {
    std::vector<std::unique_ptr<StoreMachine>> machines;
    const auto add = [&](const StoreKind* kind) {
      if (kind == nullptr) return;
      machines.push_back(stand_in(kind, setting.engine)->make());
    };
    const bool joint = scenario_.joint_store != nullptr;
    add(joint ? scenario_.joint_store : scenario_.protocol->store);
    if (!joint && id == kStore && scenario_.scheduler != nullptr &&
        scenario_.scheduler->store != scenario_.protocol->store)
      add(scenario_.scheduler->store);
    stores_.push_back(std::make_unique<StoreServer>(
        timeline_, history_, *this, rng_,
        StoreServer::Setting{id, setting.latency, setting.latency_of, setting.concurrent, setting.queue,
                             store_clock(id)},
        std::move(machines)));
  }
}

RateClock World::store_clock(StoreId id) const {
  const ClockSetting& setting = scenario_.store.clock;
  const KeyedRng any = rng_.of("store clock");
  const KeyedRng rng = id == kStore ? any : any.of(id.value);
  const Duration offset = drawn(rng.of("offset"), setting.offset);
  const std::int64_t rate = drawn(rng.of("rate"), setting.rate_ppm);
  return {(WallTime::from_ns(scenario_.start_ns) + offset).ns(), rate};
}

void World::furnish_schedules() {
  if (scenario_.scheduler == nullptr) return;
  const StoreKind* kind = scenario_.scheduler->store;
  for (std::uint32_t i = 0; i < scenario_.schedules.size(); ++i) {
    const ScheduleSetting& schedule = scenario_.schedules[i];
    if (scenario_.scheduler->edit != nullptr) {
      const auto request = design_edit(ScheduleId{i}, schedule.name, &schedule.definition);
      if (request) judge_edit(store().apply_now(kClient, *request));
      continue;
    }
    CHECK(kind != nullptr && kind->put_schedule != nullptr, "schedulers name stores that keep schedules");
    store().apply_now(kClient, kind->put_schedule(kResource, ScheduleId{i}, schedule.definition));
    if (!schedule.payload.empty())
      store().apply_now(kClient,
                        put_payload(kResource, ScheduleId{i}, schedule.definition, schedule.payload));
  }
}

std::optional<Request> World::design_edit(ScheduleId schedule, std::string_view name,
                                          const Definition* definition) {
  const auto made = scenario_.scheduler->edit({kResource, schedule, name, definition, store().now()});
  if (const auto* request = std::get_if<Request>(&made)) return *request;
  history_.emit(Noted{kClient, DesignError{std::get<std::string>(made)}});
  return std::nullopt;
}

void World::judge_edit(const Reply& reply) {
  const auto* answer = message_as<statements::Reply>(reply);
  const auto* failed = answer != nullptr ? std::get_if<statements::SqlFailed>(answer) : nullptr;
  if (failed == nullptr) return;
  const std::string what = "the statement that writes a schedule failed: " + failed->sqlstate +
                           (failed->sqlstate.empty() ? "" : " ") + failed->message;
  history_.emit(Noted{kClient, DesignError{what}});
}

std::uint32_t World::schedule_count() const {
  auto count = static_cast<std::uint32_t>(scenario_.schedules.size());
  for (const ChangeSetting& change : scenario_.changes) count = std::max(count, change.schedule.value + 1);
  return count;
}

void World::begin() {
  furnish_schedules();
  for (std::uint32_t i = 0; i < processes_.size(); ++i)
    at(first_start(i), [this, i] { processes_[i]->start(); });
  if (workers_ != nullptr) workers_->begin();
}

TrueTime World::first_start(std::uint32_t node) const {
  return TrueTime::from_ns(
      rng_.of("start").of(node).between(scenario_.start_spread.low.ns(), scenario_.start_spread.high.ns()));
}

void World::run_to(TrueTime until) {
  while (timeline_.run_next(until)) {
  }
}

void World::at(TrueTime at, std::function<void()> act) {
  std::uint32_t slot = 0;
  if (free_acts_.empty()) {
    slot = static_cast<std::uint32_t>(acts_.size());
    acts_.push_back(std::move(act));
  } else {
    slot = free_acts_.back();
    free_acts_.pop_back();
    acts_[slot] = std::move(act);
  }
  timeline_.at(at, {handler_, 0, 0, slot});
}

void World::on_event(const Event& event) {
  const auto slot = static_cast<std::uint32_t>(event.payload);
  const auto act = std::exchange(acts_[slot], nullptr);
  free_acts_.push_back(slot);
  act();
}

// ---- processes -------------------------------------------------------------------------------------------

std::unique_ptr<Node> World::make_node(NodeId node) {
  const ElectorSetup setup{node,
                           static_cast<std::uint32_t>(processes_.size()),
                           kStore,
                           kResource,
                           election_[node.value],
                           schedule_count()};
  if (scenario_.protocol->make_node != nullptr) return scenario_.protocol->make_node(setup);
  auto elector = scenario_.protocol->make(setup);
  std::unique_ptr<Scheduler> scheduler;
  if (scenario_.scheduler != nullptr)
    scheduler = scenario_.scheduler->make({kStore, kResource, scenario_.scheduling, setup.schedules});
  return std::make_unique<Instance>(std::move(elector), std::move(scheduler));
}

void World::effect_left(Incarnation who, Effect effect) {
  if (auto* send = std::get_if<SendEffect>(&effect)) {
    // Messages are in no record, so what they say joins the trace hash here.
    timeline_.mix(Hasher().add(send->to).add(digest(send->message)).value());
    if (send->to.value < processes_.size() && process(send->to).alive())
      network_->send({who.node, process(send->to).who(), std::move(send->message)});
  } else if (auto* submit = std::get_if<SubmitEffect>(&effect)) {
    history_.emit(RequestLeft{submit->id});
    network_->request({.from = network_->node_endpoint(who.node),
                       .who = who,
                       .store = submit->submission.store,
                       .part = submit->submission.part,
                       .connection = submit->connection,
                       .lane = submit->submission.lane,
                       .id = submit->id,
                       .sent_at = submit->sent_at,
                       .request = std::move(submit->submission.request)});
  } else if (const auto* write = std::get_if<WriteEffect>(&effect)) {
    work_->write(who, write->item);
  } else {
    work_->execute(who, std::get<WorkEffect>(effect).item);
  }
}

void World::process_changed(NodeId node) {
  const SimProcess& changed = process(node);
  Incarnation& was = was_alive_[node.value];
  if (was.number != 0 && (!changed.alive() || changed.who() != was)) {
    work_->process_died(was);
    for (const auto& each : stores_)
      if (each->has_sessions()) network_->close(network_->node_endpoint(node), {was, each->id()});
    was_paused_[node.value] = false;
  }
  was = changed.alive() ? changed.who() : Incarnation{};
  if (!changed.alive() || changed.paused() == was_paused_[node.value]) return;
  was_paused_[node.value] = changed.paused();
  if (changed.paused())
    work_->process_paused(changed.who());
  else
    work_->process_resumed(changed.who());
}

void World::message_arrived(const MessageTransit& transit) {
  process(transit.to.node)
      .arrive(transit.to, {ChannelKind::message, transit.from.value},
              MessageReceived{transit.from, transit.message});
}

// ---- the store ---------------------------------------------------------------------------------------------

void World::request_arrived(InFlightRequest&& transit) {
  history_.emit(RequestArrived{transit.id});
  StoreServer& to = store(transit.store);
  to.arrive(std::move(transit));
}

void World::store_answered(const InFlightRequest& transit, StoreReplied&& reply) {
  network_->reply(transit, std::move(reply));
}

void World::reply_arrived(ReplyTransit&& transit) {
  if (transit.who.node == kClientNode) return answer_client(transit.reply);
  if (is_worker(transit.who.node)) return workers_->reply_arrived(transit.who, transit.reply);
  if (!misreadings_.empty()) {
    auto* reference = std::get_if<reference::Reply>(&transit.reply.reply);
    auto* changes = reference != nullptr ? std::get_if<reference::Changes>(reference) : nullptr;
    if (changes != nullptr) {
      for (reference::Change& change : changes->changes) {
        if (change.deleted || reads(transit.who.node, change.segment.schedule)) continue;
        change.unreadable = true;
        change.definition = {};
      }
    }
  }
  history_.emit(ReplyArrived{transit.reply.id});
  const auto channel = static_cast<std::uint32_t>(transit.reply.part);
  process(transit.who.node).arrive(transit.who, {ChannelKind::reply, channel}, std::move(transit.reply));
}

void World::misread(std::uint64_t cause, NodeId node, std::vector<ScheduleId> schedules) {
  for (const ScheduleId schedule : schedules)
    if (reads(node, schedule)) history_.emit(DefinitionRead{node, schedule, false});
  misreadings_.push_back({cause, node, std::move(schedules)});
}

void World::read_again(std::uint64_t cause) {
  std::vector<Misreading> over;
  std::erase_if(misreadings_, [&](Misreading& one) {
    if (one.cause != cause) return false;
    over.push_back(std::move(one));
    return true;
  });
  for (const Misreading& one : over)
    for (const ScheduleId schedule : one.schedules)
      if (reads(one.node, schedule)) history_.emit(DefinitionRead{one.node, schedule, true});
}

bool World::reads(NodeId node, ScheduleId schedule) const {
  return std::none_of(misreadings_.begin(), misreadings_.end(), [&](const Misreading& one) {
    return one.node == node &&
           std::find(one.schedules.begin(), one.schedules.end(), schedule) != one.schedules.end();
  });
}

void World::store_notified(StoreId store, const Notification& what) {
  const KeyedRng rng = rng_.of("notification").of(static_cast<std::uint64_t>(timeline_.now().ns()));
  for (const auto& to : processes_)
    if (to->alive())
      network_->notify({to->who().node, to->who(), store, what},
                       scenario_.store.notification.draw(rng.of(to->who().node.value)));
}

// A store that tells at once tells those who begin to listen nothing more.
void World::life_began(Incarnation who) { begins_to_listen(who, {}); }

void World::store_returned(StoreId store, TrueTime since) {
  if (store != kStore) return;
  const std::int64_t tried = (timeline_.now() - since).ns() % kListenAgain.ns();  // so long ago
  const Duration next = tried > 0 ? kListenAgain - Duration::nanos(tried) : Duration{};
  for (const auto& process : processes_)
    if (process->alive()) begins_to_listen(process->who(), next);
}

void World::begins_to_listen(Incarnation who, Duration after) {
  const Quantiles& later = scenario_.store.notification;
  if (later == Quantiles{} || scenario_.protocol->store != &kReferenceStore) return;
  const KeyedRng rng = rng_.of("listens").of(static_cast<std::uint64_t>(timeline_.now().ns()));
  for (const auto what : {Notification::What::lease_freed, Notification::What::schedules_changed,
                          Notification::What::events_added})
    network_->notify({who.node, who, kStore, {what, kResource}}, after + later.draw(rng.of(who.node.value)));
}

void World::notification_arrived(const NotificationTransit& transit) {
  process(transit.to)
      .arrive(transit.who, {ChannelKind::notification, transit.store.value},
              ChangeNotified{transit.store, transit.what});
}

bool World::met(std::uint64_t fault) const {
  const auto meets = [fault](const auto& store) { return store->met(fault); };
  const Destinations* const destinations = work_->destinations();
  return network_->met(fault) || std::any_of(stores_.begin(), stores_.end(), meets) ||
         (destinations != nullptr && destinations->met(fault));
}

bool World::waits_for(RowLock held) const {
  const StoreKind* kind = scenario_.protocol->store;
  return kind != nullptr && conflict(held, kind->strongest_lease_lock);
}

void World::fail_over(StoreId store) {
  network_->lose_requests(store);
  stores_[store.value]->fail_over();
}

void World::client_request(Request request, Duration timeout,
                           std::function<void(const StoreReplied&)> answered) {
  const RequestId id{kClient, ++client_requests_};
  calls_.push_back({id, std::move(answered)});
  network_->request({.from = network_->client_endpoint(),
                     .who = kClient,
                     .store = kStore,
                     .part = Part::scheduler,
                     .id = id,
                     .sent_at = {},
                     .request = std::move(request)});
  at(now() + timeout, [this, id] {
    answer_client(StoreReplied{
        .store = kStore, .part = Part::scheduler, .id = id, .sent_at = {}, .store_time = {}, .reply = {}});
  });
}

void World::answer_client(const StoreReplied& reply) {
  const auto call =
      std::find_if(calls_.begin(), calls_.end(), [&](const ClientCall& c) { return c.id == reply.id; });
  if (call == calls_.end()) return;  // answered already
  const auto answered = std::move(call->answered);
  calls_.erase(call);
  answered(reply);
}

// ---- work and belief ---------------------------------------------------------------------------------------

bool World::still_leads(Incarnation who, const std::optional<Token>& token) const {
  return alive(who) && process(who.node).believes() && process(who.node).believed_token() == token;
}

void World::work_done(Incarnation who, const WorkDone& done) {
  process(who.node).arrive(who, {ChannelKind::work, 0}, done);
}

void World::write_done(Incarnation who, const WriteDone& done) {
  process(who.node).arrive(who, {ChannelKind::work, 0}, done);
}

TrueTime World::true_time_of(NodeId node, const Until& until) const {
  const NodeClock& clock = process(node).clock();
  if (const auto* mono = std::get_if<MonoTime>(&until)) return clock.when(*mono);
  if (const auto* wall = std::get_if<WallTime>(&until)) return clock.when(*wall);
  return TrueTime::max();
}

}  // namespace tenure::sim
