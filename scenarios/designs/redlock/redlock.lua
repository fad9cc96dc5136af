-- Redlock: the lock of one Redis, on a majority of five servers that know nothing of each other. It outlives
-- the loss of two of them.
--
-- Source: redis.io, "Distributed Locks with Redis", "The Redlock Algorithm", and its client for Go, redsync
-- 4.17.0 with go-redis 9.21.0, both read at their tags. The defaults are theirs: 8 s, of which one hundredth
-- is taken off for clocks that drift apart; 32 attempts 50 to 250 ms apart, with one random value. A lock
-- that was got on too few servers, or too late, is deleted again on all of them. redsync extends no lock by
-- itself. Here its holder does so every third of that time, as the source suggests for long work: on a
-- majority, and in time, or it is not the leader any more.
--
-- How long a server may take: redsync waits for all five, and gives each a twentieth of the 8 s in Lock(),
-- and all the time in Extend() and Unlock(). go-redis 9 keeps to its own 3 s unless ContextTimeoutEnabled is
-- set, and tries four times where redsync sets no limit. request_timeout = "400ms" is that option, or
-- go-redis 8; extend_timeout = "400ms" is a program that calls ExtendContext() with a deadline, which needs
-- the option too; `fail_fast` is WithFailFast(true), which waits for no more than a majority.
--
-- A standby that waits like this, in one Lock() after another, asks all five servers six times in a second,
-- and deletes on all of them each time: two standbys ask 370,000 requests in an hour. Neither the source nor
-- the client has a slower way to wait. A program that calls TryLock() on a timer has: retry_min = "2s",
-- retry_max = "3s".
--
-- `trust` says what ends a leadership that nobody has taken away:
-- - "clock": the lock's validity (Until), on the holder's monotonic clock, as the source asks for.
-- - "answers": nothing but a majority that refuses, as in a program that takes the lock and does not look at
--   its end.
--
-- Left out: WithSetNXOnExtend, whose extension sets the key where it is gone. go-redis' further tries at a
-- server that refuses the connection.
local servers = 5
local majority = servers // 2 + 1

return {
  name = "redlock",
  summary = "the same key on a majority of five Redis servers",

  parameters = {
    ttl = { default = "8s", min = "100ms", doc = "PX: for how long the keys are there" },
    renew_period = { default = "2667ms", min = "1ms", doc = "between extensions of the lock" },
    retry_min = { default = "50ms", min = "1ms", doc = "the shortest pause between two attempts" },
    retry_max = { default = "250ms", min = "1ms", doc = "the longest" },
    tries = { default = 32, min = 1, max = 1000, doc = "attempts with one random value" },
    request_timeout = { default = "3s", min = "1ms", doc = "how long one server may take in Lock()" },
    extend_timeout = { default = "12s", min = "1ms", doc = "the same in Extend() and Unlock()" },
    fail_fast = { default = false, doc = "wait for a majority of the answers, and not for all" },
    trust = { default = "clock", choices = { "clock", "answers" }, doc = "what ends a leadership" },
  },

  validate = function(p)
    if p.retry_max < p.retry_min then
      return { { "retry_max", "retry_max must not be below retry_min" } }
    end
  end,

  stores = { redis = servers },

  claims = {
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "no-store-step", "prompt-at-rest" },
  },

  node = function(t)
    local redis = {}
    for i = 1, servers do redis[i] = t.store("redis", i) end
    local value, attempts = nil, 0
    local leads = false

    -- How many servers say yes, and how many no. All are asked at once, and each answers or is given up.
    local function on_all(ask)
      local decided = t.event()
      local yes, no, open, over = 0, 0, servers, false
      for i = 1, servers do
        t.spawn("server " .. i, function()
          local answer = ask(redis[i])
          if answer == "yes" then yes = yes + 1 end
          if answer == "no" then no = no + 1 end
          open = open - 1
          if over or open > 0 and not (t.p.fail_fast and (yes >= majority or no >= majority)) then return end
          over = true
          decided.set(true)
        end)
      end
      decided.wait()
      return yes, no
    end

    local function delete_it(timeout)
      local own = value
      on_all(function(server)
        local deleted = server.compare_and_delete{key = "leader", value = own, timeout = timeout}
        return deleted and (deleted.value == 1 and "yes" or "no") or "unknown"
      end)
    end

    -- Since the first request left.
    local function valid_until(since) return since + t.p.ttl - t.p.ttl // 100 end

    local function believe(since)
      leads = true
      if t.p.trust == "clock" then
        t.believe{until_mono = valid_until(since)}
      else
        t.believe{open = true}
      end
    end

    local function acquire()
      if attempts % t.p.tries == 0 then value = t.identity .. "/" .. t.random(1 << 40) end
      attempts = attempts + 1
      local since = t.mono()
      local granted = on_all(function(server)
        local set = server.set{
          key = "leader", value = value, nx = true, px = t.p.ttl, timeout = t.p.request_timeout }
        return set and (set.ok and "yes" or "no") or "unknown"
      end)
      if granted >= majority and t.mono() < valid_until(since) then
        attempts = 0
        believe(since)
      else
        delete_it(t.p.request_timeout)
      end
    end

    local function extend()
      local since = t.mono()
      local granted, refused = on_all(function(server)
        local extended = server.compare_and_extend{
          key = "leader", value = value, milliseconds = t.p.ttl, timeout = t.p.extend_timeout }
        return extended and (extended.value == 1 and "yes" or "no") or "unknown"
      end)
      if not leads then return end -- it was asked to stop meanwhile
      if granted >= majority and t.mono() < valid_until(since) then
        believe(since)
      elseif t.p.trust == "clock" or refused >= majority then
        leads = false
        t.step_down("no majority has extended the lock")
        delete_it(t.p.extend_timeout)
      end
    end

    t.on_stop(function()
      if not leads then return end
      leads = false
      t.step_down("asked to stop")
      delete_it(t.p.extend_timeout)
    end)

    while true do
      if leads then
        extend()
      else
        acquire()
      end
      t.sleep(leads and t.p.renew_period
        or t.p.retry_min + (t.p.retry_max - t.p.retry_min) * t.random(1000) // 1000)
    end
  end,
}
