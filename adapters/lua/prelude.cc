#include "adapters/lua/prelude.h"

#include <lua.hpp>

#include "adapters/lua/sandbox.h"
#include "core/base/check.h"

namespace tenure::lua {
namespace {

// wait_for(until, number, …) waits until one of the events happens, or until that instant (nil: for ever). Event 0 is
// any change of belief. wake(number) makes it happen. leads_until() is the instant at which belief ends by itself.
// believes() is t.leads() for ourselves: nobody is about to act on it.
constexpr const char* kPrelude = R"(
local t, wait_for, wake, leads_until, believes, check_timeout = ...
local events = 0

-- At level 3 an error tells the line of who called the function of `t`.
local function check_function(f, what)
  if type(f) ~= "function" then error(what .. " takes a function, and not " .. type(f), 3) end
end

function t.event()
  events = events + 1
  local event = { number = events }
  function event.set(value)
    if event.happened then return end
    event.happened, event.value = true, value
    wake(event.number)
  end
  function event.wait(timeout)
    local last = timeout and t.mono() + timeout
    while not event.happened do
      if last and t.mono() >= last then return nil, "timeout" end
      wait_for(last, event.number)
    end
    return event.value
  end
  return event
end

function t.any(of)
  check_timeout(of, "t.any")
  for _, event in ipairs(of) do
    if type(event) ~= "table" or not event.number then error("t.any takes events of t.event", 2) end
  end
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
  check_function(f, "t.deadline")
  local done = t.event()
  local task = t.spawn("deadline", function() done.set(table.pack(f())) end)
  local results = done.wait(length)
  if results then return table.unpack(results, 1, results.n) end
  task.cancel()
  return nil, "deadline"
end

function t.while_leading(f)
  check_function(f, "t.while_leading")
  local done = t.event()
  if t.leads() then
    local task = t.spawn("while_leading", function() f() done.set(true) end)
    while believes() and not done.happened do wait_for(leads_until(), done.number, 0) end
    if not done.happened then task.cancel() end
  end
  return done.happened == true
end

function t.every(period, f, missed)
  check_function(f, "t.every")
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

const Chunk& prelude() {
  static const Chunk chunk = [] {
    Sandbox sandbox;
    Chunk compiled;
    const std::string problem = compile(sandbox.state(), kPrelude, "prelude", compiled);
    CHECK(problem.empty(), "the prelude is Lua");
    return compiled;
  }();
  return chunk;
}

}  // namespace tenure::lua
