#include "adapters/lua/prelude.h"

#include <lua.hpp>

#include "adapters/lua/sandbox.h"
#include "core/base/check.h"

namespace tenure::lua {
namespace {

// wait_for(until, number, …) waits until one of the events happens, or until that instant (nil: for ever). Event 0 is
// any change of belief. wake(number) makes it happen. leads_until() is the instant at which belief ends by itself.
constexpr const char* kPrelude = R"(
local t = ...
local wait_for, wake, leads_until = t.wait_for, t.wake, t.leads_until
t.wait_for, t.wake, t.leads_until = nil, nil, nil
local events = 0

function t.event()
  events = events + 1
  local event = { number = events }
  function event.set(value)
    if event.happened then return end
    event.happened, event.value = true, value
    wake(event.number)
  end
  function event.wait(timeout)
    local which, value = t.any{event, timeout = timeout}
    if which then return value end
    return nil, value
  end
  return event
end

function t.any(of)
  local last = of.timeout and t.mono() + of.timeout
  local numbers = {}
  for i, event in ipairs(of) do numbers[i] = event.number end
  while true do
    for i, event in ipairs(of) do
      if event.happened then return i, event.value end
    end
    if last and t.mono() >= last then return nil, "timeout" end
    wait_for(last, table.unpack(numbers))
  end
end

function t.deadline(length, f)
  local done = t.event()
  local task = t.spawn("deadline", function() done.set(table.pack(f())) end)
  local results = done.wait(length)
  if results then return table.unpack(results, 1, results.n) end
  task.cancel()
  return nil, "deadline"
end

function t.while_leading(f)
  local done = t.event()
  if t.leads() then
    local task = t.spawn("while_leading", function() f() done.set(true) end)
    while t.leads() and not done.happened do wait_for(leads_until(), done.number, 0) end
    if not done.happened then task.cancel() end
  end
  return done.happened == true
end

function t.every(period, f, missed)
  period = t.duration(period)
  missed = missed or "skip"
  if missed ~= "skip" and missed ~= "catch up" and missed ~= "delay" then
    error("t.every: missed ticks are \"skip\", \"catch up\" or \"delay\", and not " .. tostring(missed), 2)
  end
  if period <= t.duration("0s") then error("t.every: a period above zero", 2) end
  local tick = t.mono()
  while true do
    f()
    local now = t.mono()
    if missed == "delay" then
      tick = now + period
    else
      tick = tick + period
      if missed == "skip" and tick < now then tick = tick + period * ((now - tick) // period + 1) end
    end
    if tick > now then t.sleep(tick - now) end
  end
end
)";

}  // namespace

const std::string& prelude() {
  static const std::string program = [] {
    Sandbox sandbox;
    const std::string problem = compile(sandbox.state(), kPrelude, "prelude");
    CHECK(problem.empty(), "the prelude is Lua");
    return program_of(sandbox.state());
  }();
  return program;
}

}  // namespace tenure::lua
