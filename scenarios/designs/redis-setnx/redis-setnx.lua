-- The lock of one Redis, and the watchdog that Redisson puts around it: a key that is set if there is none,
-- with the holder's name and an end, and an extension of it every third of that time.
--
-- Source: Redisson 4.7.0, read at its tag, with the defaults of its Config (lockWatchdogTimeout 30 s, timeout
-- 3 s, retryAttempts 4): RedissonLock, RedissonBaseLock, LockTask, RenewalTask, and the check of replicas in
-- CommandAsyncService. For `after_error`, 3.17.7, 3.25.0 and 3.38.1 to 3.44.0 were read too. The lock without
-- a watchdog: redis.io, "Distributed Locks with Redis", "Correct Implementation with a Single Instance".
--
-- `trust` says what ends a leadership that the process does not give up:
-- - "nothing": the program takes the lock and works. An extension that finds another's key, or none, ends the
--   watchdog, and tells nobody: the program works on until it is asked to stop.
-- - "listener": also an ExpiredObjectListener on the lock (from 3.43.0), with notify-keyspace-events at the
--   server. Redis tells once, and only on a connection that is there: a holder that was cut off for long
--   hears nothing, and a key that a failover lost has not ended. Here the listener looks ten times a second,
--   as often as Redis looks for keys that have ended, and takes a key that is gone before its time for lost
--   in a failover.
-- - "answers": a program without the watchdog, which extends the lock and steps down when the answer is 0.
-- - "clock": the same, and the end of the lock, from the moment at which the request left, on the holder's
--   monotonic clock. Redis' documentation asks for that: the work must be over within the lock's validity.
--
-- Left out: lock() waits for a message on a channel, or for the key's end; here standbys call tryLock() on a
-- timer. After a failover, Redisson has to find the new primary; here the requests go there at once.
return {
  name = "redis-setnx",
  summary = "SET NX PX and a watchdog that extends it: the lock of one Redis",

  parameters = {
    ttl = { default = "30s", min = "1ms", doc = "lockWatchdogTimeout: for how long the key is there" },
    renew_period = { default = "10s", min = "1ms", doc = "between extensions" },
    retry_period = { default = "1s", min = "1ms", doc = "between a standby's attempts" },
    request_timeout = { default = "3s", min = "1ms", doc = "how long a request may hang" },
    retries = { default = 4, min = 0, max = 100,
      doc = "how often the watchdog sends an extension again; 3 before 3.48.0" },
    trust = { default = "nothing", choices = { "nothing", "listener", "answers", "clock" },
      doc = "what ends a leadership" },
    after_error = { default = "renews", choices = { "renews", "stops" },
      doc = "the watchdog, when an extension got no answer: renews from 3.44.0, stops before" },
    replica_lag = { default = "0s", min = "0s", max = "1s",
      doc = "how far the replicas are behind; 0: a single server, or no check of replicas" },
  },

  stores = { "redis" },

  claims = {
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "no-store-step", "prompt-at-rest" },
  },

  failover = function(p, d)
    if p.replica_lag > "0s" then return end
    local cycle, gap = p.renew_period + d.trip.mean, p.retry_period + d.trip.mean
    return {
      least = p.ttl - p.renew_period - d.trip.most - d.departure + d.trip.least,
      mean = p.ttl - cycle // 2 + gap // (d.standbys + 1) + d.trip.mean,
      most = p.ttl + "1ms" + p.retry_period + d.trip.most * 2,
      formula = "T - A + Res + d, with A in [0, H + d], Res in [0, R + d]",
    }
  end,

  node = function(t)
    local redis = t.store("redis")
    local value = t.identity .. "/" .. t.random(1 << 40)
    local has_watchdog = t.p.trust == "nothing" or t.p.trust == "listener"
    local entries = 0          -- how often this thread has the lock: the lock is reentrant
    local unanswered = false   -- an attempt got no answer: the key may be ours
    local watched, stopping = false, false
    local extended_at

    local function own(request, length)
      return request{key = "leader", value = value, milliseconds = length, timeout = t.p.request_timeout}
    end

    local function lose(why)
      t.step_down(why)
      entries, watched = 0, false
    end

    local function believe(since)
      extended_at = since
      if t.p.trust == "clock" then
        t.believe{until_mono = since + t.p.ttl}
      else
        t.believe{open = true}
      end
    end

    -- A silent connection is closed after one to two times the 30 s between Redisson's pings. What Redis
    -- tells until there is a new one is lost.
    local function listen()
      local silent, broken = 0, false
      while watched or entries > 0 do
        local key, err = redis.get{key = "leader", timeout = "1s"}
        if not key then
          silent = silent + 1
          broken = broken or err.kind ~= "unknown" or silent >= 45
        elseif key.value == value then
          silent, broken = 0, false
        else
          if not broken and t.mono() - extended_at >= t.p.ttl then lose("Redis has told the lock's end") end
          return
        end
        t.sleep("100ms")
      end
    end

    -- WAIT: one replica at least has the key. Without that within a second (slavesSyncTimeout), nobody gets it.
    local function replicated()
      if t.p.replica_lag == t.duration("0s") then return true end
      t.sleep(t.p.replica_lag)
      local key = redis.get{key = "leader", timeout = t.p.request_timeout}
      return key and key.value == value
    end

    local function try_lock()
      local since = t.mono()
      local taken = redis.set{
        key = "leader", value = value, nx = true, px = t.p.ttl, timeout = t.p.request_timeout }
      local entered = taken and taken.ok and 1 or 0
      if not taken then
        unanswered = true
      elseif unanswered then
        local again = entered == 0 and own(redis.compare_and_extend, t.p.ttl)
        if again and again.value == 1 then entered = 2 end
        unanswered = again == nil
      end
      if entered == 0 then return end
      if not replicated() or stopping then
        own(redis.compare_and_delete)
        return
      end
      entries, watched = entered, true
      believe(since)
      if t.p.trust == "listener" then t.spawn("listener", listen) end
    end

    -- True or false, as the script says; nil without an answer. Between two tries are one to two seconds,
    -- half of that after the first.
    local function extend()
      local tries = has_watchdog and t.p.retries or 0
      for i = 0, tries do
        local extended = own(redis.compare_and_extend, t.p.ttl)
        if extended then return extended.value == 1 end
        if i < tries then
          local half = t.duration(i == 0 and "500ms" or "1s")
          t.sleep(half + half * t.random(1000) // 1000)
        end
      end
    end

    local function renew()
      local since = t.mono()
      local extended = extend()
      if not watched then return end -- it was given up meanwhile
      if extended then
        believe(since)
      elseif extended == false and not has_watchdog then
        lose("the lock is not ours")
      elseif has_watchdog and (extended == false or t.p.after_error == "stops") then
        watched = false
      end
    end

    -- A key with several entries stays, with a new end.
    t.on_stop(function()
      local before = entries
      stopping, entries, watched = true, 0, false
      if before == 0 then return end
      t.step_down("asked to stop")
      if before > 1 then own(redis.compare_and_extend, t.p.ttl) else own(redis.compare_and_delete) end
    end)

    while not stopping do
      if watched then
        renew()
      elseif entries == 0 then
        try_lock()
      end
      t.sleep(entries > 0 and t.p.renew_period or t.p.retry_period)
    end
  end,
}
