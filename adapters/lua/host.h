// One life of a design's process: its tasks, what each waits for, and what the world tells it.
//
// A task is a coroutine. A step hands the input to the task that waits for it, and runs until every task waits. Of
// several that are ready, those go first that began to wait first. A life that ends drops its tasks, and runs nothing.
//
// An error that no pcall() takes ends the program, as an uncaught exception would: the node notes it (DesignError), and
// does nothing more in this life.
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/lua/design.h"
#include "adapters/lua/sandbox.h"
#include "core/model/instance.h"

namespace tenure::lua {

class Host {
 public:
  Host(const Design& design, const ElectorSetup& setup);

  void step(const Input& input, Env& env);
  Leadership leadership(const Clock& clock) const;

 private:
  friend struct Api;
  struct Task {
    int number = 0;  // names it in `t.spawn`'s handle and in messages
    std::string name;
    int anchor = 0;  // of its coroutine, in the registry
    lua_State* coroutine = nullptr;
    enum class Waits : std::uint8_t { nothing, time, store, message, event, stop } waits = Waits::nothing;
    int arguments = 0;                      // nothing: that it goes on with
    MonoTime until = MonoTime::max();       // time, event
    std::vector<int> events = {};           // event: any of them
    std::optional<RequestId> request = {};  // store
    std::optional<StoreReplied> reply = {};
    bool cancelled = false;  // it is dropped when it waits next
  };

  void start(const Started& started);
  // Into the state, whose errors it may raise.
  void load();
  void stop();
  static constexpr int kBeliefChanged = 0;  // an event

  // Takes the function and its arguments off the top of `from`; it runs once those before it wait. Returns its number.
  int spawn(lua_State* from, int arguments, std::string name);
  void cancel(int number);
  void drop(std::size_t place);
  // Until every task waits.
  void run();
  void resume(std::size_t place);
  void answer(const StoreReplied& reply);
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
  const ElectorSetup setup_;
  Sandbox sandbox_;
  Env* env_ = nullptr;                // for the length of a step
  Incarnation self_;                  // number 0: before Started
  MonoTime woken_ = MonoTime::min();  // by the timer, last
  int wakes_ = 0;                     // at that instant
  std::vector<Task> tasks_;
  int spawned_ = 0;
  int running_ = 0;  // a number; 0: none
  struct Letter {
    NodeId from;
    Message message;
  };
  std::vector<Letter> letters_;  // that no task has received yet
  int on_stop_ = 0;              // the number of the task that waits for a stop; 0: none
  bool stopping_ = false;        // asked to
  bool over_ = false;            // stopped, or failed
  std::optional<Until> belief_;
  std::optional<Token> token_;
};

}  // namespace tenure::lua
