// What plain designs do: every second, if I believe to lead, run what is due, then push next_run on.
//
// README.md has the pseudo-code and its weak points. The model exists to show them: leadership is checked once, before
// the read; next_run moves when the work is over (or, with advance_first, as it begins); the update has no guard.
//
// Thread rule: one instance belongs to one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/protocols/kind_parts.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure {

class Ticker final : public CopyableScheduler<Ticker> {
 public:
  struct Settings {
    Duration tick_period;
    Duration request_timeout;
    bool advance_first = false;
  };
  explicit Ticker(const SchedulerSetup& setup);

  void step(const Input& input, const Leadership& leadership, Env& env) override;
  bool idle() const override { return running_ == 0 && writing_ == 0; }
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  void tick(const Leadership& leadership, Env& env);
  void run(const schedule_table::Runs& runs, Env& env);
  void on_reply(const StoreReplied& reply, Env& env);
  void on_work_done(const reference::EventId& event, Env& env);
  RequestId advance(ScheduleId schedule, StoreTime next, Env& env);
  bool is_at_work(ScheduleId schedule) const;
  RequestId submit(schedule_table::Request request, bool as_leader, Env& env) const;

  StoreId store_;
  ResourceId resource_;
  Settings settings_;

  bool started_ = false;
  bool stopping_ = false;
  std::optional<RequestId> reading_;
  std::optional<Token> token_;  // the token under which the read under way was begun
  std::size_t writing_ = 0;     // updates of next_run under way
  std::size_t running_ = 0;     // work under way
  struct AtWork {
    ScheduleId schedule;
    StoreTime slot;
    StoreTime next;
    std::optional<RequestId> update = {};  // of next_run, once the work is over
  };
  std::vector<AtWork> at_work_;  // kept until the update is answered; empty with advance_first
};

extern const SchedulerKind kTicker;

}  // namespace tenure
