// One life of a design's process: its tasks, what each waits for, and what the world tells it.
//
// A task is a coroutine. A step hands the input to the task that waits for it, and runs until every task waits. Of
// several that are ready, those go first that began to wait first. A life that ends drops its tasks, and runs nothing.
//
// An error that no pcall() takes ends the program, as an uncaught exception would: the node notes it (DesignError), and
// does nothing more in this life.
//
// A scheduler's program hears of its election before each step, and is asked to stop before its election is.
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/design/hosted.h"
#include "adapters/design/lanes.h"
#include "adapters/design/life.h"
#include "adapters/lua/design.h"
#include "adapters/lua/sandbox.h"
#include "adapters/lua/task_stack.h"
#include "core/model/instance.h"

namespace tenure::lua {

// What a function does behind its wait: Lua's lua_KFunction.
using GoesOn = int (*)(lua_State* state, int status, std::intptr_t context);

class Host {
 public:
  Host(const Design& design, design::HostSetup setup);

  void step(const Input& input, Env& env);
  // Of its election, before each step. REQUIRES: it is a scheduler.
  void hear(const Leadership& leadership);
  // What it believes itself, or was told.
  Leadership leadership(const Clock& clock) const;
  bool is_over() const { return life_.is_over(); }
  bool has_tasks() const { return !tasks_.empty(); }

  struct Task {
    int number = 0;  // names it in `t.spawn`'s handle and in messages
    std::string name;
    int anchor = 0;  // of its coroutine, in the registry
    lua_State* coroutine = nullptr;
    enum class Waits : std::uint8_t {
      nothing,
      time,
      store,
      message,
      event,
      stop,
      work,
      write
    } waits = Waits::nothing;
    int arguments = 0;                      // nothing: that it goes on with
    MonoTime until = MonoTime::max();       // time, event, write
    std::vector<int> events = {};           // event: any of them
    std::optional<RequestId> request = {};  // store
    std::optional<StoreReplied> reply = {};
    reference::EventId work = {};          // work
    WorkResult result = WorkResult::done;  // of it
    std::uint64_t write = 0;               // its number
    std::optional<WriteDone> written = {};
    bool cancelled = false;                 // it is dropped when it waits next
    std::unique_ptr<TaskStack> stack = {};  // from its begin on
  };

 private:
  // The functions of `t`.
  friend struct Api;
  friend struct WorkApi;
  friend struct DiskApi;
  friend struct StoreApi;
  friend Env& env_of(lua_State* state);
  friend Task& waiter_of(lua_State* state);
  friend int wait_then(lua_State* state, GoesOn then, std::intptr_t context);

  void start(const Started& started);
  // Into the state, whose errors it may raise.
  void load();
  void stop();
  static constexpr int kBeliefChanged = 0;  // an event

  // Takes the function and its arguments off the top of `from`; it runs once those before it wait. Returns its number.
  int spawn(lua_State* from, int arguments, std::string name);
  void cancel(int number);
  using Tasks = std::list<Task>;
  void drop(Tasks::iterator task);
  // Until every task waits.
  void run();
  void resume(Tasks::iterator task);
  // Of a task, until it waits or is over: as lua_resume().
  int go_on(Task& task);
  static void begin_task(void* self);
  void answer(const StoreReplied& reply);
  void answer(const WorkDone& done);
  void answer(const WriteDone& done);
  static bool waits_for_time(const Task& task);
  void wake_due();
  // True: the program waits again and again for no time at all, and has failed for it.
  bool spins();
  void wake_for_letters();
  void wake_for_event(int number);
  void set_timer();
  void finish_stop();
  void step_down(std::string_view why);
  void fail(const std::string& what);
  // REQUIRES: one is running.
  Task& running();

  const Design& design_;
  const design::HostSetup setup_;
  const Part part_;  // whose connection it uses
  std::uint32_t cluster_size_ = 1;
  Sandbox sandbox_;
  design::Life life_;
  Env* env_ = nullptr;  // for the length of a step
  Incarnation self_;    // number 0: before Started
  Tasks tasks_;         // in the order in which they began to wait
  int spawned_ = 0;
  Task* running_ = nullptr;
  struct Running {
    lua_State* coroutine = nullptr;
    int arguments = 0;
    TaskStack* stack = nullptr;
    int status = 0;  // when it is over
  } run_;
  std::vector<std::unique_ptr<TaskStack>> stacks_;  // of tasks that are gone
  struct Letter {
    NodeId from;
    Message message;
  };
  std::vector<Letter> letters_;  // that no task has received yet
  int on_stop_ = 0;              // the number of the task that waits for a stop; 0: none
  bool stopping_ = false;        // asked to
  Leadership told_;              // a scheduler's: of its election
  std::uint64_t writes_ = 0;     // to the outside world, by it
  std::uint64_t written_ = 0;    // to its disk: the number of the last write
  design::Lanes lanes_;          // the connections that it names
};

}  // namespace tenure::lua
