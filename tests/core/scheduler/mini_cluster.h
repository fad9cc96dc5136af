// A world just large enough for schedulers on a reference store: instances, one store, one outside resource, and
// clients that edit. The test is the election: it moves the lease, and says what each instance believes.
//
// Effects leave one by one; a kill drops what has not left, a pause holds it. Requests are applied in order on
// a connection, unless the driver gives one up (unknown): that one may still be applied later. Everything
// random comes from one seed.
//
// Thread rule: one test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/model/instance.h"
#include "core/model/no_disk.h"
#include "core/scheduler/scheduler_kind.h"
#include "core/store/reference/reference_store.h"
#include "tests/core/scheduler/the_resource.h"

namespace tenure::testing {

using True = std::int64_t;  // nanoseconds since the world began

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kSec = 1'000 * kMs;
inline constexpr std::int64_t kEpochNs = 1'767'225'600 * kSec;  // store time at true time 0

struct Weather {
  std::int64_t lost_request_permille = 0;
  std::int64_t lost_answer_permille = 0;
  std::int64_t late_permille = 0;  // given up by the driver, applied all the same, later
  std::int64_t rejected_permille = 0;
  std::int64_t lost_notification_permille = 0;
  True latency_max = 3 * kMs;
};

// What a test may look at afterwards.
struct CommittedRow {
  reference::LedgerRow row;
  StoreTime store_now;
  Incarnation who;
};
struct BegunWork {
  reference::EventId event;
  Incarnation who;
  StoreTime store_now;
  bool failed = false;  // at its end
};
struct Version {
  ScheduleId schedule;
  std::uint32_t version;
  Definition definition;
  StoreTime begin;
  StoreTime end = StoreTime::max();
  bool deleted_at_end = false;
};

class LittleWorld {
 public:
  class Node;

  LittleWorld(std::uint64_t seed, int instances, const Parameters& parameters)
      : seed_(seed), parameters_(parameters) {
    for (int i = 0; i < instances; ++i) nodes_.push_back(std::make_unique<Node>(*this, i));
  }

  // ---- time and chance -----------------------------------------------------------------------------------
  True now() const { return now_; }
  StoreTime store_now() const { return StoreTime::from_ns(kEpochNs + now_ + store_step_); }
  std::int64_t draw(std::int64_t n) {
    return static_cast<std::int64_t>(
        reduce(Hasher{seed_}.add(++drawn_).value(), static_cast<std::uint64_t>(n)));
  }
  bool chance(std::int64_t permille) { return permille > 0 && draw(1000) < permille; }
  void at(True when, std::function<void()> what) { queue_.emplace(std::max(when, now_), std::move(what)); }
  void run_until(True end) {
    while (!queue_.empty() && queue_.begin()->first <= end) {
      auto event = queue_.extract(queue_.begin());
      now_ = event.key();
      ++events_;
      event.mapped()();
    }
    now_ = end;
  }
  std::uint64_t events() const { return events_; }

  // ---- faults --------------------------------------------------------------------------------------------
  Weather weather;
  void step_store_clock(std::int64_t by) { store_step_ += by; }
  void kill(int node);
  void start(int node);
  void pause(int node, True length);
  bool alive(int node) const;
  void stop(int node);
  bool idle(int node) const;

  // ---- the election --------------------------------------------------------------------------------------
  // Frees the lease and grants it to `node`; whoever held it before goes on believing until told otherwise.
  void grant(int node);
  void forget_leadership(int node);
  // The store frees the lease without telling anybody.
  void release();

  // ---- clients -------------------------------------------------------------------------------------------
  void put(ScheduleId schedule, const Definition& definition);
  void remove(ScheduleId schedule);
  void trigger(ScheduleId schedule, std::uint64_t run);

  // ---- history -------------------------------------------------------------------------------------------
  std::vector<CommittedRow> rows;
  std::vector<BegunWork> begun;
  std::vector<Version> versions;
  std::vector<reference::EventId> manual_runs;
  std::uint64_t unfinished_work = 0;
  std::uint64_t refused_as_duplicate = 0;
  std::uint64_t refused_as_stale = 0;
  std::uint64_t commits_unknown = 0;
  std::map<std::size_t, std::uint64_t> requests;  // by index within reference::Request
  std::vector<std::pair<True, Duration>> alarms;
  bool resource_honours_event_id = true;
  std::int64_t failing_permille = 0;  // of the work that begins
  std::optional<True> work_length;    // drawn for each piece of work if there is none

  const reference::ReferenceStore& store() const { return store_; }
  std::optional<reference::Hold> hold() {
    return std::get<reference::Changes>(ask(reference::ChangesSince{kResource, UINT64_MAX, 1})).hold;
  }
  std::size_t outbox_size() {
    return std::get<reference::Outbox>(ask(reference::ReadOutbox{kResource, UINT32_MAX, 0})).events.size();
  }
  reference::Reply ask(const reference::Request& request);
  Node& node(int i) { return *nodes_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

 private:
  friend class Node;
  Reply apply(Incarnation who, const Request& request);
  void record(Incarnation who, const reference::CommitFires& asked, const reference::Committed& answer);
  WorkResult land(Incarnation who, const WorkItem& item);
  void work_ended(Incarnation who, const reference::EventId& event, WorkResult result);
  void notify(const Notification& what);
  void cut(ScheduleId schedule, StoreTime at);
  void follow_the_store();

  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
  Parameters parameters_;
  True now_ = 0;
  std::int64_t store_step_ = 0;
  std::multimap<True, std::function<void()>> queue_;
  std::uint64_t events_ = 0;
  reference::ReferenceStore store_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::uint64_t epoch_ = 0;
  std::optional<std::pair<Incarnation, Token>> holder_;
  std::map<ScheduleId, std::size_t> in_force_;  // index into versions
  std::set<reference::EventId> begun_ids_;
  std::set<std::pair<reference::EventId, Incarnation>> at_work_;
  std::optional<Token> newest_token_;
};

class LittleWorld::Node final : private Clock,
                                private Network,
                                private Store,
                                private Work,
                                private Journal,
                                private Random {
 public:
  Node(LittleWorld& world, int index)
      : world_(world),
        index_(index),
        rate_ppm_(world.draw(400) - 200),
        zero_(world.draw(1'000'000) * kSec / 1000),
        env_{*this, *this, *this, *this, *this, *this, disk_} {}

  Incarnation self() const { return {NodeId{static_cast<std::uint32_t>(index_)}, life_}; }
  bool alive() const { return scheduler_ != nullptr; }
  bool idle() const { return !alive() || scheduler_->idle(); }
  std::size_t running() const { return running_; }

  void start() {
    ++life_;
    counter_ = 0;
    last_departure_ = last_answer_ = 0;
    leadership_ = {};
    timers_.clear();
    paused_until_ = 0;
    scheduler_ = kFencedOutbox.make({StoreId{0}, kResource, world_.parameters_});
    deliver(Started{self(), static_cast<std::uint32_t>(world_.size())});
  }
  void kill() {
    scheduler_.reset();
    std::erase_if(world_.at_work_, [this](const auto& work) { return work.second == self(); });
    world_.unfinished_work += std::exchange(running_, 0);
  }
  void pause(True length) { paused_until_ = std::max(paused_until_, world_.now_ + length); }
  void believe(const Leadership& leadership) {
    leadership_ = leadership;
    deliver(TimerFired{{Part::elector, 0}});
  }
  // The input arrives now; later if the node stands still by then, in drawn order.
  void deliver(Input input) {
    if (!alive()) return;
    if (world_.now_ < paused_until_) {
      later(paused_until_ + world_.draw(kMs), [this, input = std::move(input)] { deliver(input); });
      return;
    }
    // Every so often the state is copied, and the copy goes on.
    if (world_.draw(64) == 0) scheduler_ = scheduler_->clone();
    scheduler_->step(input, leadership_, env_);
  }

 private:
  MonoTime mono() const override {
    return MonoTime::from_ns(zero_ + world_.now_ + mul_div_floor(world_.now_, rate_ppm_, 1'000'000));
  }
  WallTime wall() const override { return WallTime::from_ns(world_.now_); }
  True true_time_of(MonoTime t) const {
    True when = mul_div_ceil(t.ns() - zero_, 1'000'000, 1'000'000 + rate_ppm_);
    return std::max(when, world_.now_);
  }
  void set_timer(TimerId timer, MonoTime deadline) override {
    const std::uint64_t stamp = ++timers_[timer];
    wait_for(timer, stamp, deadline);
  }
  void wait_for(TimerId timer, std::uint64_t stamp, MonoTime deadline) {
    later(true_time_of(deadline), [this, timer, stamp, deadline] {
      if (timers_[timer] != stamp) return;
      if (mono() < deadline) return wait_for(timer, stamp, deadline);
      deliver(TimerFired{timer});
    });
  }
  void cancel_timer(TimerId timer) override { ++timers_[timer]; }
  void send(NodeId, Message) override {}
  void note(const Note& note) override {
    if (const auto* alarm = std::get_if<ClockAlarm>(&note))
      world_.alarms.emplace_back(world_.now_, alarm->jump);
  }
  std::uint64_t choose(std::uint64_t n, std::string_view) override {
    return static_cast<std::uint64_t>(world_.draw(static_cast<std::int64_t>(n)));
  }
  std::uint64_t nonce(std::string_view) override { return 1 + choose(UINT32_MAX, ""); }

  // For this life only.
  void later(True when, std::function<void()> what) {
    world_.at(when, [this, life = life_, what = std::move(what)] {
      if (alive() && life == life_) what();
    });
  }
  // Effects leave in order, each later than the one before, and not while the node stands still.
  void depart(std::function<void()> what) {
    last_departure_ = std::max(last_departure_, world_.now_) + 1'000 + world_.draw(40'000);
    later(last_departure_, [this, what = std::move(what)] { leave(what); });
  }
  void leave(const std::function<void()>& what) {
    if (world_.now_ >= paused_until_) return what();
    later(paused_until_, [this, what] { leave(what); });
  }

  RequestId submit(Submission submission) override {
    const RequestId id{self(), ++counter_};
    StoreReplied answer;
    answer.part = submission.part;
    answer.id = id;
    answer.sent_at = mono();
    const True give_up = true_time_of(submission.deadline);
    depart([this, answer, give_up, request = std::move(submission.request)] {
      travel(answer, give_up, request);
    });
    return id;
  }
  void travel(StoreReplied answer, True give_up, const Request& request) {
    LittleWorld& w = world_;
    const True latency = 100'000 + w.draw(w.weather.latency_max);
    if (w.chance(w.weather.rejected_permille)) {
      answer.outcome = RequestOutcome::rejected;
      answer.rejection = Rejection::overloaded;
      later(w.now_ + latency, [this, answer] { deliver(answer); });
      return;
    }
    const bool lost = w.chance(w.weather.lost_request_permille);
    const bool late = !lost && w.chance(w.weather.late_permille);
    const bool mute = !lost && !late && w.chance(w.weather.lost_answer_permille);
    if (lost || late || mute) {
      if (std::holds_alternative<reference::Request>(request) &&
          std::holds_alternative<reference::CommitFires>(std::get<reference::Request>(request)))
        ++w.commits_unknown;
      answer.outcome = RequestOutcome::unknown;
      later(give_up, [this, answer] { deliver(answer); });
      // Once it has left, it no longer depends on the life of its sender.
      if (late)
        w.at(give_up + w.draw(5 * kSec),
             [&w, who = answer.id.incarnation, request] { w.apply(who, request); });
      if (mute) w.at(arrival(latency), [&w, who = answer.id.incarnation, request] { w.apply(who, request); });
      return;
    }
    w.at(arrival(latency), [this, answer, request, latency]() mutable {
      answer.outcome = RequestOutcome::applied;
      answer.store_time = world_.store_now();
      answer.reply = world_.apply(answer.id.incarnation, request);
      last_answer_ = std::max(last_answer_ + 1, world_.now_ + 100'000 + world_.draw(latency));
      world_.at(last_answer_, [this, answer] {
        if (answer.id.incarnation == self()) deliver(answer);
      });
    });
  }
  True arrival(True latency) { return last_arrival_ = std::max(last_arrival_ + 1, world_.now_ + latency); }

  void write(const WriteItem&) override { CHECK(false, "a scheduler writes nothing by itself"); }
  void execute(const WorkItem& item) override {
    ++running_;
    depart([this, item] {
      const WorkResult result = world_.land(self(), item);
      const bool begins = result == WorkResult::done || result == WorkResult::failed;
      const True drawn = begins ? world_.draw(world_.chance(100) ? 20 * kSec : 50 * kMs) : 100'000;
      const True length = world_.work_length.value_or(drawn);
      later(world_.now_ + length, [this, item, result] {
        --running_;
        world_.work_ended(self(), item.event, result);
        deliver(WorkDone{item.event, result});
      });
    });
  }

  LittleWorld& world_;
  int index_;
  std::int64_t rate_ppm_;
  std::int64_t zero_;
  NoDisk disk_;
  Env env_;
  std::uint32_t life_ = 0;
  std::uint32_t counter_ = 0;
  std::unique_ptr<Scheduler> scheduler_;
  Leadership leadership_;
  True paused_until_ = 0;
  True last_departure_ = 0;
  True last_arrival_ = 0;
  True last_answer_ = 0;
  std::map<TimerId, std::uint64_t> timers_;
  std::size_t running_ = 0;
};

inline void LittleWorld::kill(int i) { node(i).kill(); }
inline void LittleWorld::start(int i) {
  if (!node(i).alive()) node(i).start();
}
inline void LittleWorld::pause(int i, True length) { node(i).pause(length); }
inline bool LittleWorld::alive(int i) const { return nodes_[static_cast<std::size_t>(i)]->alive(); }
inline void LittleWorld::stop(int i) { node(i).deliver(StopAsked{}); }
inline bool LittleWorld::idle(int i) const { return nodes_[static_cast<std::size_t>(i)]->idle(); }

inline reference::Reply LittleWorld::ask(const reference::Request& request) {
  return std::get<reference::Reply>(apply({NodeId{99}, 1}, Request{request}));
}

inline void LittleWorld::release() {
  if (holder_) ask(reference::Release{kResource, holder_->first, holder_->second});
  holder_.reset();
}

inline void LittleWorld::grant(int i) {
  if (!alive(i)) return;
  const Incarnation who = node(i).self();
  if (holder_ && holder_->first == who) release();  // a new epoch
  release();
  const reference::Acquire asked{kResource, who, epoch_, ++drawn_, Duration::hours(10'000)};
  const reference::Reply reply = ask(asked);
  const auto* granted = std::get_if<reference::Granted>(&reply);
  if (!granted) return;
  epoch_ = granted->token.epoch;
  holder_ = {who, granted->token};
  node(i).believe({granted->token, MonoTime::max()});
}

inline void LittleWorld::forget_leadership(int i) {
  if (alive(i)) node(i).believe({});
}

inline void LittleWorld::put(ScheduleId schedule, const Definition& definition) {
  const auto known = in_force_.find(schedule);
  if (known != in_force_.end() && versions[known->second].deleted_at_end) return;
  const std::uint32_t before = known == in_force_.end() ? 0 : versions[known->second].version;
  const reference::Reply reply = ask(reference::PutSchedule{kResource, schedule, before, definition});
  const auto& edited = std::get<reference::Edited>(reply);
  if (edited.version == before) return;
  cut(schedule, edited.since);
  in_force_[schedule] = versions.size();
  versions.push_back({schedule, edited.version, definition, edited.since});
}

inline void LittleWorld::cut(ScheduleId schedule, StoreTime at) {
  for (Version& version : versions) {
    if (version.schedule != schedule) continue;
    version.end = std::min(version.end, at);
    version.begin = std::min(version.begin, at);
  }
}

// Versions that began in a false future are drawn back with a hold; by what rule, the store's own tests ask.
inline void LittleWorld::follow_the_store() {
  for (const reference::Segment& segment : store_.ledger(kResource).watermarks) {
    if (segment.end != StoreTime::max()) continue;
    Version& version = versions[in_force_.at(segment.schedule)];
    if (version.begin == segment.begin) continue;
    cut(segment.schedule, segment.begin);
    version.end = StoreTime::max();
  }
}

inline void LittleWorld::remove(ScheduleId schedule) {
  const auto known = in_force_.find(schedule);
  if (known == in_force_.end() || versions[known->second].deleted_at_end) return;
  Version& version = versions[known->second];
  const reference::Reply reply = ask(reference::DeleteSchedule{kResource, schedule, version.version});
  cut(schedule, std::get<reference::Edited>(reply).since);
  for (Version& v : versions)
    if (v.schedule == schedule) v.deleted_at_end = true;  // what was not covered by then never will be
}

inline void LittleWorld::trigger(ScheduleId schedule, std::uint64_t run) {
  const StoreTime at = store_now();
  const reference::Reply reply = ask(reference::TriggerSchedule{kResource, schedule, run, at});
  if (std::holds_alternative<reference::Edited>(reply)) manual_runs.push_back({schedule, at, run});
}

inline Reply LittleWorld::apply(Incarnation who, const Request& request) {
  std::vector<Notification> notifications;
  const auto& asked = std::get<reference::Request>(request);
  if (who.node != NodeId{99}) ++requests[asked.index()];
  Reply reply = store_.apply(request, store_now(), notifications);
  const auto& answer = std::get<reference::Reply>(reply);
  if (const auto* committed = std::get_if<reference::Committed>(&answer))
    record(who, std::get<reference::CommitFires>(asked), *committed);
  if (std::holds_alternative<reference::ClearHold>(asked)) follow_the_store();
  for (const Notification& what : notifications) notify(what);
  return reply;
}

inline void LittleWorld::record(Incarnation who, const reference::CommitFires& asked,
                                const reference::Committed& answer) {
  for (std::size_t i = 0; i < asked.rows.size(); ++i)
    if (answer.rows[i] == reference::RowResult::covered) rows.push_back({asked.rows[i], store_now(), who});
}

inline WorkResult LittleWorld::land(Incarnation who, const WorkItem& item) {
  if (newest_token_ && item.token->older_than(*newest_token_)) {
    ++refused_as_stale;
    return WorkResult::fenced;
  }
  newest_token_ = item.token;
  if (!begun_ids_.insert(item.event).second && resource_honours_event_id) {
    ++refused_as_duplicate;
    const auto work = at_work_.lower_bound({item.event, Incarnation{}});
    const bool runs = work != at_work_.end() && work->first == item.event;
    return runs ? WorkResult::running : WorkResult::duplicate;
  }
  at_work_.insert({item.event, who});
  begun.push_back({item.event, who, store_now()});
  return chance(failing_permille) ? WorkResult::failed : WorkResult::done;
}

inline void LittleWorld::work_ended(Incarnation who, const reference::EventId& event, WorkResult result) {
  at_work_.erase({event, who});
  if (result != WorkResult::failed) return;
  begun_ids_.erase(event);  // to be admitted again
  const auto work = std::find_if(begun.rbegin(), begun.rend(), [&](const BegunWork& each) {
    return each.event == event && each.who == who;
  });
  work->failed = true;
}

inline void LittleWorld::notify(const Notification& what) {
  for (auto& node : nodes_) {
    if (!node->alive() || chance(weather.lost_notification_permille)) continue;
    at(now_ + 100'000 + draw(weather.latency_max), [node = node.get(), what] {
      node->deliver(ChangeNotified{StoreId{0}, what});
    });
  }
}

}  // namespace tenure::testing
