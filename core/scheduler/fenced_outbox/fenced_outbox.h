// Fires committed under the lease, delivered from an outbox: the scheduler of the reference store.
//
// README.md has the pseudo-code, and what each part guards against. In short: every instance follows the change feed
// and the store's clock. The leader reads what is due, commits fires in batches at their slots, and does the work of an
// event only after the store has said that it is committed. After any doubt, the leader reads everything again.
//
// Invariants:
//   1. A protected request leaves only in a step in which leadership was seen to hold, with its token.
//   2. The leader, the poll and the acknowledgements each have one request under way at a time. All use one connection,
//      so the store executes them in the order in which they were submitted, unless one is lost.
//   3. Work is executed only while leading, only for an event that the store said is in the outbox, and not for an
//      event that is in dispatcher_. Within a version of a schedule, the order is that of slots.
//   4. Nothing is committed while the queue may differ from the store: a commit leaves only when term_->loading is
//      `nothing` and term_->unmerged is empty.
//   5. The requests of a leader that has read everything take turns: committing fires, reading ahead, reading the
//      outbox, pruning, reading what waits for destinations. Each waits for at most one request of each of the others,
//      whatever the periods are.
//
// Thread rule: one instance belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/model/instance.h"
#include "core/scheduler/fenced_outbox/clock_watch.h"
#include "core/scheduler/fenced_outbox/delivery_dispatcher.h"
#include "core/scheduler/fenced_outbox/leader_term.h"
#include "core/scheduler/fenced_outbox/round_robin.h"
#include "core/scheduler/fenced_outbox/schedule_table.h"
#include "core/scheduler/fenced_outbox/settings.h"
#include "core/scheduler/fenced_outbox/stall_watch.h"

namespace tenure {

class FencedOutbox final : public Scheduler {
 public:
  FencedOutbox(StoreId store, ResourceId resource, const FencedOutboxSettings& settings);

  void step(const Input& input, const Leadership& leadership, Env& env) override;
  bool idle() const override;
  std::optional<StepAside> take_step_aside() override { return std::exchange(step_aside_, std::nullopt); }
  std::unique_ptr<Scheduler> clone() const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  using InFlight = LeaderTerm::InFlight;
  using Loading = LeaderTerm::Loading;
  using RequestKind = LeaderTerm::RequestKind;
  using TaskKind = LeaderTerm::TaskKind;
  using Source = DeliveryDispatcher::Source;
  // What a leader must be able to do. When it cannot do several things, its reason is the first of them here. To read
  // is wanted all the time until it is done; the others are tried now and then (stall_watch.h).
  enum class Duty : std::uint8_t {
    read,  // what is due, its definitions and the outbox, anew or as they come
    commit,
    hold,
    look  // through the outbox, now and then
  };
  static constexpr std::size_t kDuties = 4;
  enum class Report : std::uint8_t { delivered, given_up };

  // The instance, leading or not: fenced_outbox.cc.
  void start(const Started& started, Env& env);
  void act(Env& env);
  void on_reply(const StoreReplied& reply, Env& env);
  void on_hint(const ChangeNotified& hint);
  // What the store has answered; nullptr if it has not executed the request, or nobody knows.
  static const reference::Reply* answer_of(const StoreReplied& reply) {
    const bool applied = reply.outcome == RequestOutcome::applied;
    return applied ? std::get_if<reference::Reply>(&reply.reply) : nullptr;
  }
  void on_poll(const StoreReplied& reply, MonoTime now);
  void change_feeds(MonoTime now);
  void read_feed_anew(bool keep_all);
  void on_acknowledgement(const StoreReplied& reply, MonoTime now);
  void on_work_done(const WorkDone& done, Env& env);
  void poll(MonoTime now, Env& env);
  void poll_later(MonoTime now);
  void acknowledge(MonoTime now, Env& env);
  void finish(MonoTime now);
  void arm(MonoTime now, Env& env);
  MonoTime next_wake(MonoTime now) const;
  bool commits() const;
  std::size_t free_workers() const;
  void see_hold(const StoreReplied& reply, bool held, bool own, MonoTime now);
  RequestId submit(reference::Request request, bool as_leader, Env& env) const;

  // The leader: leading.cc. The functions for tasks say whether there was anything to do.
  void follow(const Leadership& leadership, MonoTime now);
  void give_up_request();
  void reload();
  void reload_due();
  void back_off(MonoTime until);
  void look_again();
  void lead(MonoTime now, Env& env);
  bool take(TaskKind task, MonoTime now, Env& env);
  bool read_ahead(MonoTime now, Env& env);
  bool read_outbox(MonoTime now, Env& env);
  bool read_next_page(Source source, Env& env);
  bool prune(MonoTime now, Env& env);
  bool fire(StoreTime store_now, Env& env);
  void ask(RequestKind kind, reference::Request request, Env& env);
  void read_due(Env& env);
  void read_page(const DeliveryDispatcher::Page& page, Env& env);
  bool may_commit() const;
  bool rows_wait(MonoTime now) const;
  bool fires_wait(MonoTime now) const;
  DestinationQueue::FiresWait whether_fires_wait() const;
  void begin(MonoTime now, Env& env);
  void execute(const reference::EventId& event, Env& env);
  MonoTime next_act(MonoTime now) const;

  // How the leader uses the answers: answers.cc.
  void on_answer(const StoreReplied& reply, const InFlight& asked, Env& env);
  void on_due(const StoreReplied& reply, const reference::Due& due, MonoTime now);
  void on_outbox(const DeliveryDispatcher::Page& page, const reference::Outbox& outbox, MonoTime now);
  void has_fired(std::size_t row, Env& env);
  void on_committed(const reference::Committed& committed, Env& env);
  void on_hold_set(const StoreReplied& reply, const reference::HoldSet& set, MonoTime now);
  void on_refused(const StoreReplied& reply, const reference::CommitRefused& refused, const InFlight& asked,
                  MonoTime now);
  void on_change(const reference::Change& change, std::uint32_t branch);
  void merge();

  // Whether another instance should lead: stepping_aside.cc.
  StallWatch& stall(Duty duty) { return stalls_[static_cast<std::size_t>(duty)]; }
  void forget_stalls();
  std::string_view why_unread(MonoTime now) const;
  bool unreadable_is_due(MonoTime now) const;
  void note_failure(const InFlight& asked, MonoTime tried);
  void note_poll(MonoTime tried);
  void watch_commits(MonoTime now);
  void watch_progress(MonoTime now, Env& env);
  void quarantine(Env& env);
  void put(const reference::Segment& segment, const Definition& definition);

  StoreId store_;
  ResourceId resource_;
  FencedOutboxSettings settings_;

  std::optional<Incarnation> self_;  // from Started on
  std::optional<MonoTime> armed_;    // the latest moment at which the timer that is set fires

  ClockWatch watch_;
  std::uint32_t hold_counter_ = 0;  // counter of our last request that set or cleared the hold

  ScheduleTable table_;
  std::optional<RequestId> poll_;
  bool poll_now_ = false;
  MonoTime next_poll_;
  Duration poll_again_;  // a standby's wait after the next poll that fails

  DeliveryDispatcher dispatcher_;
  std::optional<RequestId> acknowledgement_;
  MonoTime acknowledge_at_;
  RoundRobin<Report, 2> reports_{{Report::delivered, Report::given_up}};

  std::optional<LeaderTerm> term_;
  // Nobody knows what became of a commit under this token, the last one. It may be executed yet: then a row that cannot
  // be covered may be its row.
  std::optional<Token> lost_commit_;
  std::array<StallWatch, kDuties> stalls_;  // by duty
  // It has stepped aside for these once and does not do so again: it leads on, and fires the rest.
  std::set<std::pair<ScheduleId, std::uint32_t>> quarantined_;
  bool poll_failed_ = false;
  std::optional<StepAside> step_aside_;  // for the elector, within the step

  bool stopping_ = false;
  std::optional<MonoTime> give_up_at_;  // on telling the outbox, once all else is finished
  bool gave_up_ = false;
};

}  // namespace tenure
