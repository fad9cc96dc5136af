#include "adapters/lua/host.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "adapters/lua/api.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/text.h"
#include "adapters/lua/work.h"
#include "core/base/check.h"

namespace tenure::lua {
namespace {

// What is written in Lua of our own is no place in the user's program.
std::string without_prelude(std::string_view traceback) {
  std::string rest;
  bool first = true;
  for (std::size_t at = 0; at < traceback.size();) {
    const std::size_t end = std::min(traceback.find('\n', at), traceback.size() - 1) + 1;
    std::string_view line = traceback.substr(at, end - at);
    at = end;
    if (std::exchange(first, false) && line.starts_with("prelude:"))
      line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
    if (!line.starts_with("\tprelude:")) rest += line;
  }
  return rest;
}

constexpr int kMostTasks = 1'000;
constexpr int kWaitsAgain = -1;  // in place of a number of results

}  // namespace

Host::Host(const Design& design, design::HostSetup setup)
    : design_(design),
      setup_(std::move(setup)),
      part_(setup_.role == Role::scheduler ? Part::scheduler : Part::elector),
      life_(setup_.resource, part_) {
  set_host(sandbox_.state(), this);
}

void Host::step(const Input& input, Env& env) {
  if (is_over()) return;
  env_ = &env;
  sandbox_.begin_step();
  if (const auto* started = std::get_if<Started>(&input)) {
    if (self_.number == 0) start(*started);
  } else if (const auto* answered = std::get_if<StoreReplied>(&input)) {
    if (answered->part == part_) answer(*answered);
  } else if (const auto* done = std::get_if<WorkDone>(&input)) {
    answer(*done);
  } else if (const auto* written = std::get_if<WriteDone>(&input)) {
    answer(*written);
  } else if (const auto* letter = std::get_if<MessageReceived>(&input)) {
    if (setup_.role != Role::scheduler) letters_.push_back({letter->from, letter->message});
    wake_for_letters();
  } else if (std::holds_alternative<StopAsked>(input)) {
    stop();
  }
  const auto* timer = std::get_if<TimerFired>(&input);
  if (timer != nullptr && timer->timer == life_.timer() && spins()) return;
  wake_due();
  run();
  if (!is_over()) set_timer();
  env_ = nullptr;
}

void Host::start(const Started& started) {
  self_ = started.self;
  cluster_size_ = started.cluster_size;
  lua_State* const state = sandbox_.state();
  // Memory may run out anywhere.
  lua_pushlightuserdata(state, this);
  lua_pushcclosure(
      state,
      [](lua_State* of) {
        static_cast<Host*>(lua_touserdata(of, lua_upvalueindex(1)))->load();
        return 0;
      },
      1);
  if (lua_pcall(state, 0, 0, 0) == LUA_OK) return;
  sandbox_.end();
  fail(plain_text(state, -1));
}

void Host::load() {
  // The file was read before, and was good: here it is run for this life's own state.
  lua_State* const state = sandbox_.state();
  tenure::lua::load(state, design_.chunk());
  lua_call(state, 0, 1);
  lua_getfield(state, -1, "node");
  push_api(state);
  spawn(state, 1, "node");
  sandbox_.check_numbers(state);
}

// ---- tasks ---------------------------------------------------------------------------------------------------------

int Host::spawn(lua_State* from, int arguments, std::string name) {
  if (tasks_.size() >= kMostTasks) luaL_error(from, "more than %d tasks: does each of them end?", kMostTasks);
  Task task;
  task.number = ++spawned_;
  task.name = std::move(name);
  task.coroutine = lua_newthread(from);
  lua_insert(from, -2 - arguments);
  lua_xmove(from, task.coroutine, 1 + arguments);
  task.arguments = arguments;
  task.anchor = luaL_ref(from, LUA_REGISTRYINDEX);
  tasks_.push_back(std::move(task));
  return spawned_;
}

Host::Task& Host::running() {
  CHECK(running_ != nullptr, "what calls is a task");
  return *running_;
}

void Host::cancel(int number) {
  const auto found = std::find_if(tasks_.begin(), tasks_.end(),
                                  [number](const Task& task) { return task.number == number; });
  if (found == tasks_.end()) return;
  if (&*found == running_)
    found->cancelled = true;
  else
    drop(found);
}

void Host::drop(Tasks::iterator task) {
  luaL_unref(sandbox_.state(), LUA_REGISTRYINDEX, task->anchor);
  if (task->stack) stacks_.push_back(std::move(task->stack));
  tasks_.erase(task);
}

void Host::run() {
  while (!is_over()) {
    const auto ready = std::find_if(tasks_.begin(), tasks_.end(),
                                    [](const Task& task) { return task.waits == Task::Waits::nothing; });
    if (ready == tasks_.end()) return;
    resume(ready);
  }
}

void Host::begin_task(void* self) {
  Host& of = *static_cast<Host*>(self);
  int results = 0;
  of.run_.status = lua_resume(of.run_.coroutine, of.sandbox_.state(), of.run_.arguments, &results);
}

int Host::go_on(Task& task) {
  run_ = {task.coroutine, std::exchange(task.arguments, 0), nullptr, LUA_OK};
  if (!kTasksHaveStacks) {
    begin_task(this);
    return run_.status;
  }
  if (task.stack) {
    run_.stack = task.stack.get();
    run_.stack->go_on();
  } else {
    if (stacks_.empty()) stacks_.push_back(std::make_unique<TaskStack>());
    task.stack = std::move(stacks_.back());
    stacks_.pop_back();
    run_.stack = task.stack.get();
    run_.stack->begin(begin_task, this);
  }
  return run_.stack->is_over() ? run_.status : LUA_YIELD;
}

int wait_then(lua_State* state, GoesOn then, std::intptr_t context) {
  if (!kTasksHaveStacks) return lua_yieldk(state, 0, context, then);
  int results = 0;
  do {
    host_of(state).run_.stack->wait();
    results = then == nullptr ? 0 : then(state, LUA_YIELD, context);
  } while (results == kWaitsAgain);
  return results;
}

int wait_again(lua_State* state, GoesOn then, std::intptr_t context) {
  return kTasksHaveStacks ? kWaitsAgain : lua_yieldk(state, 0, context, then);
}

void Host::resume(Tasks::iterator task) {
  lua_State* const coroutine = task->coroutine;
  running_ = &*task;
  const int status = go_on(*task);
  running_ = nullptr;
  const bool good = status == LUA_OK || status == LUA_YIELD;
  if (!good || Sandbox::made_no_number()) {
    if (good) lua_pushstring(coroutine, sandbox_.about_no_number(coroutine).c_str());
    sandbox_.end();
    const std::string what = status == LUA_ERRMEM ? sandbox_.memory_problem()
                             : lua_tostring(coroutine, -1) != nullptr
                                 ? plain_text(coroutine, -1)
                                 : "an error that is a " + plain_text(coroutine, -1);
    luaL_traceback(sandbox_.state(), coroutine, what.c_str(), 0);
    return fail(task->name + ": " + without_prelude(lua_tostring(sandbox_.state(), -1)));
  }
  if (status == LUA_YIELD) {
    if (task->cancelled) return drop(task);
    // Behind those that began to wait before.
    tasks_.splice(tasks_.end(), tasks_, task);
    return;
  }
  const bool was_on_stop = task->number == on_stop_;
  drop(task);
  if (stopping_ && was_on_stop) finish_stop();
}

// ---- what tasks wait for -------------------------------------------------------------------------------------------

void Host::answer(const StoreReplied& reply) {
  const auto task = std::find_if(tasks_.begin(), tasks_.end(), [&reply](const Task& each) {
    return each.waits == Task::Waits::store && each.request == reply.id;
  });
  if (task == tasks_.end()) return;  // cancelled
  task->waits = Task::Waits::nothing;
  task->request.reset();
  task->reply = reply;  // which the task takes into its state itself
}

void Host::answer(const WorkDone& done) {
  const auto task = std::find_if(tasks_.begin(), tasks_.end(), [&done](const Task& each) {
    return each.waits == Task::Waits::work && each.work == done.event;
  });
  if (task == tasks_.end()) return;  // cancelled
  task->waits = Task::Waits::nothing;
  task->result = done.result;
}

void Host::answer(const WriteDone& done) {
  const auto task = std::find_if(tasks_.begin(), tasks_.end(), [&done](const Task& each) {
    return each.waits == Task::Waits::write && each.write == done.number;
  });
  if (task == tasks_.end()) return;  // cancelled, or given up
  task->waits = Task::Waits::nothing;
  task->written = done;
}

bool Host::waits_for_time(const Task& task) {
  return task.waits == Task::Waits::time || task.waits == Task::Waits::event ||
         task.waits == Task::Waits::write;
}

void Host::wake_due() {
  const MonoTime now = env_->clock.mono();
  for (Task& task : tasks_)
    if (waits_for_time(task) && task.until <= now) task.waits = Task::Waits::nothing;
}

bool Host::spins() {
  const MonoTime now = env_->clock.mono();
  if (!life_.spins(now)) return false;
  const auto due = std::find_if(tasks_.begin(), tasks_.end(), [now](const Task& task) {
    return waits_for_time(task) && task.until <= now;
  });
  std::string where = "a loop waits for no time at all, and time stands still";
  if (due != tasks_.end()) {
    luaL_traceback(sandbox_.state(), due->coroutine, where.c_str(), 0);
    where = due->name + ": " + without_prelude(lua_tostring(sandbox_.state(), -1));
  }
  fail(where);
  return true;
}

void Host::wake_for_letters() {
  for (Task& task : tasks_)
    if (task.waits == Task::Waits::message && !letters_.empty()) {
      task.waits = Task::Waits::nothing;  // it takes the letter itself
      return;
    }
}

void Host::wake_for_event(int number) {
  for (Task& task : tasks_)
    if (task.waits == Task::Waits::event &&
        std::find(task.events.begin(), task.events.end(), number) != task.events.end())
      task.waits = Task::Waits::nothing;
}

void Host::set_timer() {
  MonoTime next = MonoTime::max();
  for (const Task& task : tasks_)
    if (waits_for_time(task)) next = std::min(next, task.until);
  if (next == MonoTime::max())
    env_->clock.cancel_timer(life_.timer());
  else
    env_->clock.set_timer(life_.timer(), next);
}

// ---- belief, and the end -------------------------------------------------------------------------------------------

void Host::hear(const Leadership& leadership) {
  const bool same = told_.token == leadership.token && told_.believed_until == leadership.believed_until;
  told_ = leadership;
  if (!same) wake_for_event(kBeliefChanged);
}

Leadership Host::leadership(const Clock& clock) const {
  return setup_.role == Role::scheduler ? told_ : life_.leadership(clock);
}

void Host::step_down(std::string_view why) {
  if (!life_.believes()) return;
  life_.step_down(why, *env_);
  wake_for_event(kBeliefChanged);
}

void Host::stop() {
  if (std::exchange(stopping_, true)) return;
  const auto waits = std::find_if(tasks_.begin(), tasks_.end(),
                                  [](const Task& task) { return task.waits == Task::Waits::stop; });
  if (waits == tasks_.end()) return finish_stop();
  waits->waits = Task::Waits::nothing;
}

void Host::finish_stop() { life_.stop(*env_); }

void Host::fail(const std::string& what) { life_.fail(what, *env_); }

}  // namespace tenure::lua
