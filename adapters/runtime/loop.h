// What the runtime's loop thread owns: nodes, their timers, and the requests under way.
//
// Thread rule: post() may be called from any thread; all else belongs to the loop's thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "adapters/runtime/ear.h"
#include "adapters/runtime/runtime.h"
#include "adapters/runtime/troubles.h"

namespace tenure {

class RuntimeLoop : public std::enable_shared_from_this<RuntimeLoop> {
 public:
  RuntimeLoop(JournalSink journal, TroubleSink troubles, ClockError clock_error);
  ~RuntimeLoop();
  RuntimeLoop(const RuntimeLoop&) = delete;

  const MachineClock& clock() const { return clock_; }
  // Runs `what` on the loop's thread.
  void post(std::function<void()> what);

  Incarnation add(HostedNode node);
  void listen(std::unique_ptr<Listener> listener);
  void stop(const std::function<bool(Incarnation)>& which);
  bool wait(Duration timeout);
  // Ends all lives and the thread, and waits for the requests under way. Whoever still holds a part of the loop may
  // post afterwards, in vain.
  void end();

 private:
  friend class StepEnv;

  struct Pending {
    RequestId id;
    StoreId store;
    Part part = Part::elector;
    std::size_t request = 0;  // which of house::Request
    MonoTime sent_at;
    MonoTime deadline;
  };
  struct Life {
    HostedNode hosted;
    Incarnation who;
    std::uint32_t requests = 0;
    bool stopped = false;  // it has said so
    std::map<TimerId, MonoTime> timers;
    std::vector<Pending> pending;
    std::vector<std::function<void()>> effects;         // of the step under way
    std::vector<std::unique_ptr<StoreWorker>> workers;  // by part
  };

  void wake();
  void run();
  void take_posted();
  // Everything whose time has come, timers and deadlines, earliest first.
  void ring();
  std::optional<MonoTime> next_alarm() const;
  void sleep_until(std::optional<MonoTime> alarm);

  void begin(Incarnation who, HostedNode node);
  Life* find(Incarnation who);
  void step(Life& life, const Input& input);
  void answered(Incarnation who, RequestId id, const Answer& answer);
  void work_done(Incarnation who, const WorkDone& done);
  void reply(Life& life, const Pending& pending, const Answer& answer);
  // For a request that nobody has answered: what was asked, and where.
  static std::string no_answer(const Life& life, const Pending& pending);
  // To all lives but one.
  void notify(StoreId store, const Notification& what, std::optional<Incarnation> but);
  // Anything may have happened.
  void notify_of_everything();
  enum class Death : std::uint8_t { stopped, abandoned };
  void bury(Incarnation who, Death how);

  const MachineClock clock_;
  RuntimeJournal journal_;
  Troubles troubles_;
  std::list<Life> lives_;
  // Of lives that are over, until their last request has ended: the loop does not wait for one that may hang.
  std::vector<std::unique_ptr<StoreWorker>> retired_;
  std::vector<std::unique_ptr<Ear>> ears_;

  std::mutex mutex_;
  std::condition_variable empty_;
  std::vector<std::function<void()>> posted_;
  struct TakesPart {
    ResourceId resource;
    bool asked_to_stop = false;
  };
  std::map<Incarnation, TakesPart> alive_;
  bool over_ = false;

  int wake_ = -1;       // eventfd: something was posted
  int alarm_ = -1;      // timerfd
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tenure
