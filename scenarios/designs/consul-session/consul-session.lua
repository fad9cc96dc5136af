-- Consul's lock, as its Go client has it: a session with a TTL, a key that it acquires, and queries that wait for the
-- key to change.
--
-- Source: hashicorp/consul at 32759fd6, api/lock.go and api/session.go (RenewPeriodic), with their defaults: sessions
-- of 15 s, renewed every half of that, queries of 15 s for a contender, 5 s after an attempt that failed. A holder
-- looks at the key by queries without a wait of their own (5 minutes), and leads until one of them fails or shows
-- another session. The lock delay is Consul's default. A caller locks again when it has lost the lock.
--
-- - A renewal that fails tells the holder nothing. It is tried again every second until the TTL has gone by, and then
--   no more; the query alone ends the leadership.
-- - `monitor_wait` is how long a query of the holder waits: how long a leader can be cut off without noticing.
-- - Left out: semaphores, checks of the node, retries of the holder's query (none by default).
return {
  name = "consul-session",
  summary = "Consul's lock: a session that holds a key, and queries that wait for the key to change",

  parameters = {
    session_ttl = { default = "15s", min = "10s", doc = "the session ends after twice that" },
    lock_delay = { default = "15s", min = "0s", doc = "between a session's end and the next lock" },
    lock_wait = { default = "15s", min = "1s", doc = "how long a contender's query waits" },
    retry_period = { default = "5s", min = "1ms", doc = "after an attempt that failed" },
    monitor_wait = { default = "5m", min = "1s", doc = "how long a holder's query waits" },
    request_timeout = { default = "10s", min = "1ms", doc = "how long a request may hang, beyond what it waits" },
  },

  stores = { "consul" },

  claims = {
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- The session ends 2 T after its last renewal. A contender is told at once, is refused for the lock delay, and asks
  -- again every R: k times.
  failover = function(p, d)
    local period, gap = p.session_ttl // 2, p.retry_period + d.trip.mean * 2
    local function refusals(trip, gap)
      if p.lock_delay <= trip then return 0 end
      return (p.lock_delay - trip + gap - "1ns") // gap
    end
    local k = refusals(d.trip.mean, gap)
    local fewest = refusals(d.trip.most, p.retry_period + d.trip.most * 2)
    local most = refusals(d.trip.least, p.retry_period + d.trip.least * 2)
    return {
      least = p.session_ttl * 2 - period - d.trip.most - d.departure + d.trip.least * 2 +
        (p.retry_period + d.trip.least * 2) * fewest,
      mean = p.session_ttl * 2 - (period + d.trip.mean) // 2 + d.trip.mean * 2 + gap * k,
      most = p.session_ttl * 2 + d.trip.most * 2 + (p.retry_period + d.trip.most * 2) * most,
      formula = "2 T - A + k (R + 2 d) + 2 d, with A in [0, T/2 + d], k the attempts that the lock delay refuses",
    }
  end,

  node = function(t)
    local consul = t.store("consul")
    local timeout = t.p.request_timeout
    local session = nil

    local function query(index, wait)
      return consul.kv_get{key = "leader", index = index, wait = wait, timeout = wait + timeout}
    end

    -- session.go
    local function renew_periodic(id)
      local renewed_at, wait = t.mono(), t.p.session_ttl // 2
      while t.mono() - renewed_at <= t.p.session_ttl do
        t.sleep(wait)
        local answer = consul.session_renew{id = id, timeout = timeout}
        if answer and answer.session == nil then return end
        if answer then
          renewed_at, wait = t.mono(), t.p.session_ttl // 2
        else
          wait = t.duration("1s")
        end
      end
    end

    -- lock.go: whether this session has the key now.
    local function lock(id)
      local index = nil
      while true do
        local found = query(index, t.p.lock_wait)
        if not found then return false end
        if found.pair and found.pair.session then
          index = found.index
        else
          local acquired = consul.kv_put{key = "leader", value = t.identity, acquire = id, timeout = timeout}
          if not acquired or acquired.ok then return acquired ~= nil end
          t.sleep(t.p.retry_period)
        end
      end
    end

    local function monitor(id)
      local index = nil
      while true do
        local found = query(index, t.p.monitor_wait)
        if not found or not found.pair or found.pair.session ~= id then return end
        index = found.index
      end
    end

    t.on_stop(function()
      if session == nil then return end
      local id, led = session, t.leads()
      session = nil
      if led then
        t.step_down("asked to stop")
        consul.kv_put{key = "leader", value = "", release = id, timeout = timeout}
      end
      consul.session_destroy{id = id, timeout = timeout}
    end)

    while true do
      local made = consul.session_create{ttl = t.p.session_ttl, lock_delay = t.p.lock_delay, timeout = timeout}
      if made then
        local id = made.id
        session = id
        local renewal = t.spawn(function() renew_periodic(id) end)
        if lock(id) and session == id then
          t.believe{open = true}
          monitor(id)
          if session == id then t.step_down("the key has another session, or nobody answers") end
        end
        renewal.cancel()
        if session == id then consul.session_destroy{id = id, timeout = timeout} end
      end
      t.sleep(t.p.retry_period)
    end
  end,
}
