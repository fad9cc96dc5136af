// The runtime's loop. Its thread owns nodes with their drivers, and their connections to stores.
//
// The driver (core/driver) decides what follows from an input. The loop tells it what was posted and which alarms are
// due, in the order of their deadlines. A step's effects leave as soon as the step is over.
//
// Thread rule: add(), listen(), stop(), wait(), tell() and post() may be called from any thread, end() from the thread
// that made it; everything else belongs to the loop's thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "adapters/runtime/listener_thread.h"
#include "adapters/runtime/loop_platform.h"
#include "adapters/runtime/runtime.h"
#include "adapters/runtime/store_health_reporter.h"
#include "core/driver/driver.h"

namespace tenure {

class RuntimeLoop : public std::enable_shared_from_this<RuntimeLoop> {
 public:
  RuntimeLoop(JournalSink journal, TroubleSink troubles, std::unique_ptr<LoopPlatform> platform);
  RuntimeLoop(const RuntimeLoop&) = delete;

  // Begins the loop's thread. Without it, the maker of the loop calls turn(), and waits between the calls.
  void launch();
  // Handles everything that was posted and every alarm that is due. False: the loop is over.
  bool turn();
  std::optional<MonoTime> next_alarm() const;
  // Runs `what` on the loop's thread.
  void post(std::function<void()> what);

  Incarnation add(HostedNode node);
  void listen(std::unique_ptr<Listener> listener);
  void stop(const std::function<bool(Incarnation)>& which);
  bool wait(Duration timeout);
  void tell(journal::ClientChange change);
  // Ends all lives and the thread, and waits for the requests under way. A later post() has no effect.
  void end();

 private:
  friend class RuntimeEnv;

  struct AskedRequest {
    std::size_t kind = 0;         // which of reference::Request
    std::vector<StoreTime> dues;  // of a commit: when its rows were due
  };
  struct RunningNode {
    HostedNode hosted;  // the driver owns its node
    Driver driver;
    std::map<std::uint32_t, AskedRequest> asked;          // those under way, by counter
    std::vector<std::unique_ptr<StoreChannel>> channels;  // by part
    std::string identity;                                 // of its store, as in its journal
    std::uint64_t looked_in = 0;                          // the latest epoch in which it looked for schedules
    bool found_schedules = false;
  };

  void run();
  void take_posted();
  // Calls the driver for all timers and deadlines that are due, earliest first.
  void ring();

  void begin(Incarnation who, HostedNode node);
  RunningNode* find(Incarnation who);
  void deliver(Incarnation who, Input input);
  void answered(RequestId id, const Answer& answer);
  void give_up(RequestId id);
  // After each call of its driver: effects leave, and a life that has ended is cleaned up.
  void settle(RunningNode& node);
  void dispatch(RunningNode& node, Effect effect);
  void begin_work(RunningNode& node, const WorkItem& item);
  // Of a node that fires nothing and leads: once in each of its terms, until some are found.
  void look_for_schedules(RunningNode& node, std::uint64_t epoch);
  // To all nodes but one.
  void notify(StoreId store, const Notification& what, std::optional<Incarnation> but);
  // Tells all nodes that anything may have changed.
  void notify_of_everything();
  enum class Death : std::uint8_t { stopped, abandoned };
  void retire(Incarnation who, Death how);
  void end_journal(Incarnation who, Death how);
  // Of what clients changed, so many at most; nothing before there is a life that has clients.
  void write_told(std::size_t most);
  void say_what_is_untold();

  const std::unique_ptr<LoopPlatform> platform_;
  RuntimeJournal journal_;
  StoreHealthReporter store_health_;
  std::list<RunningNode> nodes_;
  // Channels of ended lives, until their last request has ended: the loop does not wait, because a request may hang.
  std::vector<std::unique_ptr<StoreChannel>> retired_;
  std::vector<std::unique_ptr<ListenerThread>> listeners_;
  std::optional<Incarnation> has_clients_;  // its journal is told what they change
  bool clients_go_on_ = false;              // although it has stopped
  bool said_lost_ = false;                  // that some of it is lost

  std::mutex mutex_;
  std::condition_variable empty_;
  std::vector<std::function<void()>> posted_;
  struct TakesPart {
    ResourceId resource;
    bool asked_to_stop = false;
  };
  std::map<Incarnation, TakesPart> alive_;
  std::deque<journal::ClientChange> told_;  // what is to be written
  std::size_t lost_ = 0;                    // how many more there were
  bool over_ = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tenure
