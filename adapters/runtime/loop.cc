#include "adapters/runtime/loop.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "adapters/runtime/entropy.h"
#include "adapters/runtime/step_env.h"
#include "core/base/check.h"
#include "core/journal/kinds.h"

namespace tenure {
namespace {

// CLOCK_BOOTTIME may run slower than the clock of the nodes, by as much as a time daemon slews it. So the loop sleeps
// for a part of a long wait, and looks again.
Duration nap(Duration left) { return left > Duration::millis(10) ? left - left / 8 : left; }

}  // namespace

RuntimeLoop::RuntimeLoop(JournalSink journal, TroubleSink troubles, ClockError clock_error)
    : clock_(clock_error),
      journal_(std::move(journal)),
      troubles_(std::move(troubles)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      alarm_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  CHECK(wake_ >= 0 && alarm_ >= 0, "the system has file descriptors left");
  thread_ = std::thread([this] { run(); });
}

RuntimeLoop::~RuntimeLoop() {
  close(wake_);
  close(alarm_);
}

void RuntimeLoop::end() {
  ears_.clear();
  post([this] {
    while (!lives_.empty()) bury(lives_.front().who, Death::abandoned);
    over_ = true;
  });
  thread_.join();
  retired_.clear();
}

void RuntimeLoop::post(std::function<void()> what) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(what));
  }
  wake();
}

void RuntimeLoop::wake() {
  const std::uint64_t one = 1;
  CHECK(write(wake_, &one, sizeof one) == sizeof one || errno == EAGAIN, "an eventfd can be written to");
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
            fmt::format("two participants of this runtime have the id {}: give each an id of its own",
                        who.node.value));
      CHECK(part.resource != node.resource,
            fmt::format("participants {} and {} of this runtime are both about resource {}, and only one can "
                        "lead: give "
                        "each a resource of its own (or, on another store, a runtime)",
                        other.node.value, who.node.value, node.resource.value));
    }
    alive_.emplace(who, TakesPart{node.resource});
    // A std::function must be copyable, and a node is not.
    posted_.emplace_back([this, who, shared = std::make_shared<HostedNode>(std::move(node))] {
      begin(who, std::move(*shared));
    });
  }
  wake();
  return who;
}

void RuntimeLoop::begin(Incarnation who, HostedNode node) {
  Life& life = lives_.emplace_back();
  life.hosted = std::move(node);
  life.who = who;
  for (int part = 0; part < 2; ++part)
    life.workers.push_back(std::make_unique<StoreWorker>(life.hosted.connect, clock_));
  journal_.write(clock_.now(), life.who, journal::LifeBegan{boot_id(), life.hosted.settings});
  step(life, Started{life.who, 1});
}

void RuntimeLoop::listen(std::unique_ptr<Listener> listener) {
  auto ear = std::make_unique<Ear>(std::move(listener), [this](const Heard& heard) {
    post([this, heard] {
      if (!heard.trouble.empty()) troubles_.say(heard.over ? Level::info : Level::error, heard.trouble);
      if (heard.missed) notify_of_everything();
      for (const Notification& what : heard.notifications) notify({}, what, std::nullopt);
    });
  });
  const std::lock_guard lock(mutex_);
  ears_.push_back(std::move(ear));
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
      for (const Incarnation who : asked)
        if (Life* life = find(who)) step(*life, StopAsked{});
    });
  }
  wake();
}

bool RuntimeLoop::wait(Duration timeout) {
  std::unique_lock lock(mutex_);
  return empty_.wait_for(lock, std::chrono::nanoseconds(timeout.ns()), [this] { return alive_.empty(); });
}

// ---- the loop ----------------------------------------------------------------------------------------------

void RuntimeLoop::run() {
  while (!over_) {
    take_posted();
    if (over_) return;
    ring();
    std::erase_if(retired_, [](const std::unique_ptr<StoreWorker>& worker) { return worker->ended(); });
    sleep_until(next_alarm());
  }
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
  const MonoTime now = clock_.mono();
  struct Due {
    MonoTime at;
    Incarnation who;
    std::optional<TimerId> timer;  // none: the deadline of `request`
    RequestId request;
  };
  std::vector<Due> due;
  for (const Life& life : lives_) {
    for (const auto& [timer, at] : life.timers)
      if (at <= now) due.push_back({at, life.who, timer, {}});
    for (const Pending& pending : life.pending)
      if (pending.deadline <= now) due.push_back({pending.deadline, life.who, std::nullopt, pending.id});
  }
  std::stable_sort(due.begin(), due.end(), [](const Due& a, const Due& b) { return a.at < b.at; });
  for (const Due& one : due) {
    Life* life = find(one.who);
    if (life == nullptr) continue;
    if (!one.timer) {
      const auto pending = std::find_if(life->pending.begin(), life->pending.end(),
                                        [&](const Pending& p) { return p.id == one.request; });
      if (pending != life->pending.end())
        answered(one.who, one.request, unknown(Trouble::lost, no_answer(*life, *pending)));
      continue;
    }
    // Another step may have set it anew or cancelled it meanwhile.
    const auto timer = life->timers.find(*one.timer);
    if (timer == life->timers.end() || timer->second > now) continue;
    life->timers.erase(timer);
    step(*life, TimerFired{*one.timer});
  }
}

std::optional<MonoTime> RuntimeLoop::next_alarm() const {
  std::optional<MonoTime> next;
  const auto consider = [&](MonoTime at) {
    if (!next || at < *next) next = at;
  };
  for (const Life& life : lives_) {
    for (const auto& timer : life.timers) consider(timer.second);
    for (const Pending& pending : life.pending) consider(pending.deadline);
  }
  return next;
}

void RuntimeLoop::sleep_until(std::optional<MonoTime> alarm) {
  itimerspec set{};  // all zeros: no alarm
  if (alarm && *alarm != MonoTime::max()) {
    const std::int64_t left = std::max<std::int64_t>(nap(*alarm - clock_.mono()).ns(), 1);
    set.it_value = {.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
  }
  CHECK(timerfd_settime(alarm_, 0, &set, nullptr) == 0, "a timer can be set");
  pollfd fds[] = {{.fd = wake_, .events = POLLIN, .revents = 0},
                  {.fd = alarm_, .events = POLLIN, .revents = 0}};
  poll(fds, 2, -1);  // interrupted or not: whoever wakes looks at everything
  std::uint64_t count = 0;
  for (const pollfd& fd : fds)
    if ((fd.revents & POLLIN) != 0) CHECK(read(fd.fd, &count, sizeof count) >= 0 || errno == EAGAIN);
}

// ---- nodes -------------------------------------------------------------------------------------------------

RuntimeLoop::Life* RuntimeLoop::find(Incarnation who) {
  const auto life = std::find_if(lives_.begin(), lives_.end(), [&](const Life& l) { return l.who == who; });
  return life == lives_.end() ? nullptr : &*life;
}

void RuntimeLoop::step(Life& life, const Input& input) {
  StepEnv env(*this, life);
  life.hosted.node->step(input, env.env());
  for (const auto& effect : std::exchange(life.effects, {})) effect();
  if (life.stopped) bury(life.who, Death::stopped);
}

void RuntimeLoop::answered(Incarnation who, RequestId id, const Answer& answer) {
  Life* life = find(who);
  if (life == nullptr) return;
  const auto place = std::find_if(life->pending.begin(), life->pending.end(),
                                  [&](const Pending& pending) { return pending.id == id; });
  if (place == life->pending.end()) return;  // its deadline came first
  const Pending pending = *place;
  life->pending.erase(place);
  reply(*life, pending, answer);
}

void RuntimeLoop::work_done(Incarnation who, const WorkDone& done) {
  Life* life = find(who);
  if (life == nullptr) return;
  journal_.write(clock_.now(), who, done);
  step(*life, done);
}

void RuntimeLoop::reply(Life& life, const Pending& pending, const Answer& answer) {
  const StoreReplied replied{.store = pending.store,
                             .part = pending.part,
                             .id = pending.id,
                             .sent_at = pending.sent_at,
                             .outcome = answer.outcome,
                             .rejection = answer.rejection,
                             .store_time = answer.store_time,
                             .reply = answer.reply};
  const Incarnation who = life.who;
  journal_.answered(clock_.now(), replied, answer);
  troubles_.answered({who, pending.part, pending.request, pending.sent_at}, answer, clock_.mono());
  for (const std::string& warning : answer.warnings)
    troubles_.say(Level::warning, fmt::format("node {}: {}", who.node.value, warning));
  step(life, replied);
  for (const Notification& what : answer.notifications) notify(pending.store, what, who);
}

std::string RuntimeLoop::no_answer(const Life& life, const Pending& pending) {
  return fmt::format("{}: no answer to {} by the request's deadline",
                     life.workers[static_cast<std::size_t>(pending.part)]->place(),
                     journal::kRequestKinds.at(pending.request));
}

void RuntimeLoop::notify(StoreId store, const Notification& what, std::optional<Incarnation> but) {
  std::vector<Incarnation> others;
  for (const Life& other : lives_)
    if (other.who != but) others.push_back(other.who);
  for (const Incarnation other : others)
    if (Life* listener = find(other)) step(*listener, ChangeNotified{store, what});
}

void RuntimeLoop::notify_of_everything() {
  std::set<ResourceId> resources;
  for (const Life& life : lives_) resources.insert(life.hosted.resource);
  for (const ResourceId resource : resources)
    for (const auto what : {Notification::What::lease_freed, Notification::What::schedules_changed})
      notify({}, {what, resource}, std::nullopt);
}

void RuntimeLoop::bury(Incarnation who, Death how) {
  const auto life = std::find_if(lives_.begin(), lives_.end(), [&](const Life& l) { return l.who == who; });
  CHECK(life != lives_.end());
  journal_.write(clock_.now(), who, journal::LifeEnded{.stopped = how == Death::stopped});
  for (std::unique_ptr<StoreWorker>& worker : life->workers) {
    how == Death::stopped ? worker->finish() : worker->stop();
    retired_.push_back(std::move(worker));
  }
  lives_.erase(life);
  {
    const std::lock_guard lock(mutex_);
    alive_.erase(who);
  }
  troubles_.forget(who);
  empty_.notify_all();
}

}  // namespace tenure
