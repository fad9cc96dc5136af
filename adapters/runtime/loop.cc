#include "adapters/runtime/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <utility>

#include "adapters/runtime/entropy.h"
#include "adapters/runtime/runtime_env.h"
#include "core/base/check.h"
#include "core/journal/kinds.h"

namespace tenure {
namespace {

constexpr Duration kToLook = Duration::seconds(5);
// What clients changed waits while the journal's sink blocks, and until the life that has clients begins.
constexpr std::size_t kMostTold = 100'000;
constexpr std::size_t kToldAtOnce = 1'000;  // nodes wait meanwhile

}  // namespace

RuntimeLoop::RuntimeLoop(JournalSink journal, TroubleSink troubles, std::unique_ptr<LoopPlatform> platform)
    : platform_(std::move(platform)), journal_(std::move(journal)), store_health_(std::move(troubles)) {}

void RuntimeLoop::launch() {
  thread_ = std::thread([this] { run(); });
}

void RuntimeLoop::end() {
  listeners_.clear();
  post([this] {
    write_told(kMostTold);
    say_what_is_untold();
    while (!nodes_.empty()) retire(nodes_.front().driver.who(), Death::abandoned);
    if (clients_go_on_) end_journal(*has_clients_, Death::stopped);
    over_ = true;
  });
  if (thread_.joinable())
    thread_.join();
  else
    turn();
  retired_.clear();
}

void RuntimeLoop::post(std::function<void()> what) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(what));
  }
  platform_->wake();
}

// What is to be done is posted under the lock under which `alive_` is written, here and in stop(): one that is marked
// as asked to stop is asked after it has begun. Else a stop() beside an add() could find no life, and leave one that
// goes on.
Incarnation RuntimeLoop::add(HostedNode node) {
  const Incarnation who{node.id, static_cast<std::uint32_t>(random_bits() | 1)};
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [other, part] : alive_) {
      if (part.asked_to_stop) continue;  // it is about to give way
      CHECK(other.node != who.node,
            fmt::format("two participants of this runtime have the id {}: give each its own id",
                        who.node.value));
      CHECK(part.resource != node.resource,
            fmt::format("participants {} and {} of this runtime have the same resource {}, and only one can "
                        "lead: give each its own resource (or, on another store, its own runtime)",
                        other.node.value, who.node.value, node.resource.value));
    }
    alive_.emplace(who, TakesPart{node.resource});
    // A std::function must be copyable, and a node is not.
    posted_.emplace_back([this, who, shared = std::make_shared<HostedNode>(std::move(node))] {
      begin(who, std::move(*shared));
    });
  }
  platform_->wake();
  return who;
}

void RuntimeLoop::begin(Incarnation who, HostedNode node) {
  RunningNode& running = nodes_.emplace_back();
  running.driver = Driver(who.node, 1);
  running.hosted = std::move(node);
  for (int part = 0; part < 2; ++part) running.channels.push_back(platform_->open(running.hosted.connect));
  journal_.write(platform_->now(), who, journal::LifeBegan{boot_id(), running.hosted.settings});
  if (running.hosted.has_clients) {
    CHECK(!has_clients_, "one node of a runtime has clients");
    has_clients_ = who;
  }
  RuntimeEnv env(*this, running);
  running.driver.start(std::move(running.hosted.node), who.number, env.readings(), env);
  settle(running);
}

void RuntimeLoop::listen(std::unique_ptr<Listener> listener) {
  auto ear = std::make_unique<ListenerThread>(std::move(listener), [this](const ListenerEvent& heard) {
    post([this, heard] {
      if (!heard.trouble.empty()) store_health_.say(heard.over ? Level::info : Level::error, heard.trouble);
      if (heard.missed) notify_of_everything();
      for (const Notification& what : heard.notifications) notify({}, what, std::nullopt);
    });
  });
  const std::lock_guard lock(mutex_);
  listeners_.push_back(std::move(ear));
}

void RuntimeLoop::stop(const std::function<bool(Incarnation)>& which) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<Incarnation> asked;
    for (auto& [who, part] : alive_) {
      if (!which(who)) continue;
      part.asked_to_stop = true;
      asked.push_back(who);
    }
    posted_.emplace_back([this, asked = std::move(asked)] {
      for (const Incarnation who : asked) deliver(who, StopAsked{});
    });
  }
  platform_->wake();
}

bool RuntimeLoop::wait(Duration timeout) {
  std::unique_lock lock(mutex_);
  return empty_.wait_for(lock, std::chrono::nanoseconds(timeout.ns()), [this] { return alive_.empty(); });
}

// ---- the loop ----------------------------------------------------------------------------------------------

void RuntimeLoop::run() {
  while (turn()) platform_->wait(next_alarm());
}

bool RuntimeLoop::turn() {
  take_posted();
  if (over_) return false;
  write_told(kToldAtOnce);
  ring();
  std::erase_if(retired_, [](const std::unique_ptr<StoreChannel>& channel) { return channel->ended(); });
  return true;
}

void RuntimeLoop::take_posted() {
  std::vector<std::function<void()>> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& what : posted) what();
}

void RuntimeLoop::ring() {
  const MonoTime now = platform_->now().mono;
  std::vector<std::pair<Incarnation, Alarm>> due;
  std::vector<Alarm> alarms;
  for (const RunningNode& node : nodes_) {
    alarms.clear();
    node.driver.due(now, alarms);
    for (const Alarm& alarm : alarms) due.emplace_back(node.driver.who(), alarm);
  }
  std::stable_sort(due.begin(), due.end(),
                   [](const auto& a, const auto& b) { return a.second.deadline < b.second.deadline; });
  for (const auto& [who, alarm] : due) {
    if (!alarm.timer) {
      give_up(alarm.request);
      continue;
    }
    RunningNode* node = find(who);
    if (node == nullptr) continue;
    // Another step may have set it anew or cancelled it meanwhile: then it is not fired.
    RuntimeEnv env(*this, *node);
    node->driver.fire(*alarm.timer, env.readings(), env);
    settle(*node);
  }
}

std::optional<MonoTime> RuntimeLoop::next_alarm() const {
  std::optional<MonoTime> next;
  for (const RunningNode& node : nodes_) {
    const std::optional<MonoTime> alarm = node.driver.next_alarm();
    if (alarm && (!next || *alarm < *next)) next = alarm;
  }
  return next;
}

// ---- nodes -------------------------------------------------------------------------------------------------

RuntimeLoop::RunningNode* RuntimeLoop::find(Incarnation who) {
  const auto node =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const RunningNode& n) { return n.driver.who() == who; });
  return node == nodes_.end() ? nullptr : &*node;
}

void RuntimeLoop::deliver(Incarnation who, Input input) {
  RunningNode* node = find(who);
  if (node == nullptr) return;
  RuntimeEnv env(*this, *node);
  node->driver.deliver(who, std::move(input), env.readings(), env);
  settle(*node);
}

void RuntimeLoop::answered(RequestId id, const Answer& answer) {
  RunningNode* node = find(id.incarnation);
  if (node == nullptr) return;
  const Driver::Pending* pending = node->driver.pending(id);
  const StoreId store = pending != nullptr ? pending->store : StoreId{};
  // At the life's beginning it is not known: connections are made by the first request.
  if (!answer.identity.empty() && node->identity != answer.identity) {
    node->identity = answer.identity;
    journal_.write(platform_->now(), id.incarnation, journal::StoreFound{answer.identity});
  }
  StoreReplied reply;
  reply.id = id;
  reply.outcome = answer.outcome;
  reply.rejection = answer.rejection;
  reply.store_time = answer.store_time;
  reply.reply = answer.reply;
  RuntimeEnv env(*this, *node, &answer);
  const bool heard = node->driver.deliver(id.incarnation, std::move(reply), env.readings(), env);
  settle(*node);
  if (!heard) return;  // its deadline came first
  for (const Notification& what : answer.notifications) notify(store, what, id.incarnation);
}

void RuntimeLoop::give_up(RequestId id) {
  RunningNode* node = find(id.incarnation);
  if (node == nullptr) return;
  const Driver::Pending* pending = node->driver.pending(id);
  if (pending == nullptr) return;  // a step before this one answered it
  const auto asked = node->asked.find(id.counter);
  CHECK(asked != node->asked.end(), "what is pending was asked");
  const Answer nothing = unknown(StoreError::no_answer,
                                 fmt::format("{}: no answer to {} by the request's deadline",
                                             node->channels[static_cast<std::size_t>(pending->part)]->place(),
                                             journal::kRequestKinds.at(asked->second.kind)));
  RuntimeEnv env(*this, *node, &nothing);
  node->driver.give_up(id, env.readings(), env);
  settle(*node);
}

void RuntimeLoop::settle(RunningNode& node) {
  while (node.driver.has_effects()) dispatch(node, node.driver.leave());
  if (!node.driver.alive()) retire(node.driver.who(), Death::stopped);
}

void RuntimeLoop::dispatch(RunningNode& node, Effect effect) {
  if (auto* submit = std::get_if<SubmitEffect>(&effect)) {
    const Submission& submission = submit->submission;
    node.channels[static_cast<std::size_t>(submission.part)]->submit(
        std::get<reference::Request>(submission.request), submission.deadline,
        [this, id = submit->id](Answer answer) {
          post([this, id, answer = std::move(answer)] { answered(id, answer); });
        });
  } else if (const auto* work = std::get_if<WorkEffect>(&effect)) {
    begin_work(node, work->item);
  }  // Messages are dropped (runtime.h).
}

void RuntimeLoop::begin_work(RunningNode& node, const WorkItem& item) {
  // Work may outlive the runtime.
  const auto said = std::make_shared<std::atomic<bool>>(false);
  const WorkDoneCallback done = [weak = weak_from_this(), who = node.driver.who(), event = item.event,
                                 said](WorkOutcome outcome) {
    const auto alive = weak.lock();
    if (!alive || said->exchange(true)) return;
    alive->post([&loop = *alive, who,
                 done = WorkDone{event, outcome.result, outcome.retry_after, outcome.why, outcome.unsent}] {
      loop.deliver(who, done);
    });
  };
  if (node.hosted.work)
    node.hosted.work(item, done);
  else
    done(WorkResult::done);
}

// On a connection of its own, which is closed at once: its elector's is for renewals.
void RuntimeLoop::look_for_schedules(RunningNode& node, std::uint64_t epoch) {
  if (node.hosted.fires || node.found_schedules || std::exchange(node.looked_in, epoch) == epoch) return;
  std::unique_ptr<StoreChannel> channel = platform_->open(node.hosted.connect);
  const auto found = [this, who = node.driver.who()] {
    RunningNode* leader = find(who);
    if (leader == nullptr || std::exchange(leader->found_schedules, true)) return;
    store_health_.say(
        Level::warning,
        fmt::format("node {} leads over resource {}, which has schedules, and it fires none: another "
                    "application's, which nobody fires meanwhile. Give each application a resource of "
                    "its own",
                    who.node.value, leader->hosted.resource.value));
  };
  channel->submit(reference::ReadDue{node.hosted.resource, StoreTime::max(), 1, {}},
                  platform_->now().mono + kToLook, [this, found](const Answer& answer) {
                    const auto* due = std::get_if<reference::Due>(&answer.reply);
                    if (due != nullptr && !due->segments.empty()) post(found);
                  });
  channel->finish();
  retired_.push_back(std::move(channel));
}

void RuntimeLoop::notify(StoreId store, const Notification& what, std::optional<Incarnation> but) {
  std::vector<Incarnation> others;
  for (const RunningNode& node : nodes_)
    if (node.driver.who() != but) others.push_back(node.driver.who());
  for (const Incarnation other : others) deliver(other, ChangeNotified{store, what});
}

void RuntimeLoop::notify_of_everything() {
  std::set<ResourceId> resources;
  for (const RunningNode& node : nodes_) resources.insert(node.hosted.resource);
  for (const ResourceId resource : resources)
    for (const auto what : {Notification::What::lease_freed, Notification::What::schedules_changed,
                            Notification::What::events_added})
      notify({}, {what, resource}, std::nullopt);
}

void RuntimeLoop::retire(Incarnation who, Death how) {
  const auto node =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const RunningNode& n) { return n.driver.who() == who; });
  CHECK(node != nodes_.end());
  if (who == has_clients_ && how == Death::stopped)
    clients_go_on_ = true;
  else
    end_journal(who, how);
  for (std::unique_ptr<StoreChannel>& channel : node->channels) {
    how == Death::stopped ? channel->finish() : channel->stop();
    retired_.push_back(std::move(channel));
  }
  nodes_.erase(node);
  {
    const std::lock_guard lock(mutex_);
    alive_.erase(who);
  }
  store_health_.forget(who);
  empty_.notify_all();
}

void RuntimeLoop::end_journal(Incarnation who, Death how) {
  journal_.write(platform_->now(), who, journal::LifeEnded{.stopped = how == Death::stopped});
}

// ---- clients -----------------------------------------------------------------------------------------------

void RuntimeLoop::tell(journal::ClientChange change) {
  {
    const std::lock_guard lock(mutex_);
    if (told_.size() >= kMostTold) {
      ++lost_;
      return;
    }
    told_.push_back(std::move(change));
    if (told_.size() > 1) return;  // it was woken for those before
  }
  platform_->wake();
}

void RuntimeLoop::write_told(std::size_t most) {
  if (!has_clients_) return;
  std::vector<journal::ClientChange> some;
  std::size_t lost = 0;
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    for (; !told_.empty() && some.size() < most; told_.pop_front()) some.push_back(std::move(told_.front()));
    lost = std::exchange(lost_, 0);
    more = !told_.empty();
  }
  for (journal::ClientChange& change : some)
    journal_.write(platform_->now(), *has_clients_, std::move(change));
  if (more) platform_->wake();
  if (lost > 0 && !std::exchange(said_lost_, true))
    store_health_.say(Level::error,
                      "the journal is too slow: some changes that clients made will not be in it");
}

void RuntimeLoop::say_what_is_untold() {
  const std::lock_guard lock(mutex_);
  if (told_.empty()) return;
  store_health_.say(Level::error,
                    fmt::format("{} changes that clients made are in no journal: no life has begun "
                                "that has clients",
                                told_.size() + lost_));
}

}  // namespace tenure
