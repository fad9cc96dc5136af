-- The lock that Redis' documentation describes for one server, and the watchdog that clients put around it: a key that
-- is set if there is none, with a random value and an end, and an extension of it every third of that time.
--
-- Source: redis.io, "Distributed Locks with Redis", "Correct Implementation with a Single Instance": SET resource value
-- NX PX 30000, released by a script that compares the value; extended by a script, as Redisson 3 does it
-- (lockWatchdogTimeout of 30 s, renewed after a third of it; RedissonBaseLock). Redisson's own lock is a hash and a
-- channel that tells of its release; here a standby asks again after `retry_period`.
--
-- `trust` says what ends a leadership that nobody has taken away:
-- - "answers": the script's answer alone. Without an answer the watchdog goes on, and the holder takes itself for the
--   leader. Redisson's and most clients' locks are so.
-- - "clock": also the end of the lock, from the moment at which the request left, on the holder's monotonic clock. The
--   documentation asks for that: the work must be over within the lock's validity.
return {
  name = "redis-setnx",
  summary = "SET NX PX and a watchdog that extends it: the lock of one Redis",

  parameters = {
    ttl = { default = "30s", min = "1ms", doc = "PX: for how long the key is there" },
    renew_period = { default = "10s", min = "1ms", doc = "between the watchdog's extensions" },
    retry_period = { default = "1s", min = "1ms", doc = "between a standby's attempts" },
    request_timeout = { default = "3s", min = "1ms", doc = "how long a request may hang; Redisson's default" },
    trust = { default = "answers", choices = { "answers", "clock" }, doc = "what ends a leadership" },
  },

  stores = { "redis" },

  claims = {
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "no-store-step", "prompt-at-rest" },
  },

  failover = function(p, d)
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
    local holds = false

    local function believe(since)
      holds = true
      if t.p.trust == "clock" then
        t.believe{until_mono = since + t.p.ttl}
      else
        t.believe{open = true}
      end
    end

    t.on_stop(function()
      if not holds then return end
      holds = false
      t.step_down("asked to stop")
      redis.compare_and_delete{key = "leader", value = value, timeout = t.p.request_timeout}
    end)

    while true do
      local since = t.mono()
      if holds then
        local extended = redis.compare_and_extend{
          key = "leader", value = value, milliseconds = t.p.ttl, timeout = t.p.request_timeout }
        if extended and extended.value == 1 and holds then
          believe(since)
        elseif extended then
          holds = false
          t.step_down("the lock is not ours")
        end
      else
        local taken = redis.set{key = "leader", value = value, nx = true, px = t.p.ttl, timeout = t.p.request_timeout}
        if taken and taken.ok then believe(since) end
      end
      t.sleep(holds and t.p.renew_period or t.p.retry_period)
    end
  end,
}
