-- A Go library's election on whatever store a service has: it follows client-go's algorithm, and a store
-- gets, creates and updates one lease (its interface LeaseStore).
--
-- Source: github.com/rbroggi/leaderelection v1.6.0 (4640753), elector.go (Run, tryAcquireOrRenew, release)
-- and internal/inmemory/store.go, with its README's 15 s, 5 s and ReleaseOnCancel; its stores
-- rbroggi/mongoleasestore at 7c471dd and rbroggi/redisleasestore at 5eb58fa; rbroggi/hascheduler at b0948c5,
-- which elects by it with 3 s and 300 ms. Its stores for etcd and Postgres were not looked at. Here the lease
-- is a row.
--
-- - IsLeader compares the holder that was seen last with its own name. There is no deadline: an attempt that
--   fails changes nothing.
-- - A release updates the lease without a look at it. It empties that of a successor, too.
-- - `identity = "host"`: the name of a candidate is that of its host, as the README proposes and hascheduler
--   has it. A process that is restarted in place finds its own name in the lease, and leads with its first
--   get.
-- - `store = "mongo"`: an update asks whether there is a lease, and not whether it is the one that was read.
--   A lease is created once.
-- - `store = "redis"`: a get without a lease is answered with an empty one, and never with "not found". So
--   nobody creates the lease. All that start at once update it, and an update succeeds with and without a
--   lease.
-- - `store = "in-memory"`: each process has a lease of its own. It is for tests of candidates in one process.
-- - `store = "versioned"` is none of the library's: a store that remembers the version of its last get, and
--   updates that version alone, as client-go's lock on a Kubernetes Lease does. The interface has room for
--   it. A holder that somebody else has replaced still learns that by its next get.
-- - Attempts come at the ticks of time.Tick, the first one a period after the start. Of the ticks that come
--   during an attempt one is kept. A stop is noticed at a tick, too.
-- - Neither store says how long a get may take; `request_timeout` stands for what its client has.
-- - Left out: metrics, and the callbacks, which do not change who leads.
return {
  name = "lease-store",
  summary = "client-go's algorithm in a Go library, on stores that update without a condition",

  parameters = {
    lease_duration = { default = "15s", min = "1ms", doc = "for how long it stands still before another takes it" },
    retry_period = { default = "5s", min = "1ms", doc = "between two attempts" },
    request_timeout = { default = "3s", min = "1ms", doc = "how long the store's client waits for a statement" },
    release_on_cancel = { default = true, doc = "empty the lease when asked to stop" },
    identity = { default = "host", choices = { "host", "process" }, doc = "whose name a candidate has" },
    store = { default = "mongo", choices = { "mongo", "redis", "versioned", "in-memory" }, doc = "has the lease" },
  },

  schema = [[
    CREATE TABLE lease (
      id text PRIMARY KEY, holder text, duration interval, acquired bigint, renewed bigint, transitions bigint,
      version bigint)
  ]],

  claims = {
    ["one-believer"] = { "rates-equal", "no-pause", "prompt-store", "no-lost-commits", "no-mono-freeze", "no-crash" },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- Ticks of R. A standby sees the last renewal at one of them, and takes the lease at the first that is answered more
  -- than T after that: k ticks later. Where T is k R, it depends on which of two answers was quicker.
  failover = function(p, d)
    local whole = p.lease_duration // p.retry_period
    local even = p.retry_period * whole == p.lease_duration
    local taken = p.retry_period * (whole + 1)
    local mean = taken - p.retry_period // 2 + p.retry_period // (d.standbys + 1) + d.trip.mean * 2
    return {
      least = p.lease_duration - p.retry_period - d.trip.width - d.departure,
      mean = not even and mean or nil,
      most = p.lease_duration + p.retry_period * 2 + d.trip.most * 2,
      formula = "k R - A + Res + 2 d, with A and Res in [0, R], k R the first above T" ..
        (even and "; no mean, as T is k R" or ""),
    }
  end,

  node = function(t)
    local me = t.p.identity == "host" and t.me or t.identity
    local observed, observed_at = { holder = "" }, t.mono()
    local version = 0                        -- of the last get, for a store that remembers it
    local memory = nil                       -- the lease of a process of its own
    local stopped = nil

    -- The lease, or an empty one where the store says that; nil: there is none; false: an error.
    local function get()
      if t.p.store == "in-memory" then return memory end
      local rows = t.sql{
        "SELECT holder, duration, acquired, renewed, transitions, version FROM lease WHERE id = 'leader'",
        timeout = t.p.request_timeout }
      if not rows then return false end
      if rows[1] then version = rows[1].version end
      if rows[1] or t.p.store ~= "redis" then return rows[1] end
      return { holder = "", duration = t.duration("0s"), acquired = 0, renewed = 0, transitions = 0 }
    end

    -- Both say whether it is done.
    local function create(lease)
      if t.p.store == "in-memory" then
        memory = lease
        return true
      end
      version = 1
      return t.sql{
        "INSERT INTO lease VALUES ('leader', $1, $2, $3, $4, $5, 1)",
        lease.holder, lease.duration, lease.acquired, lease.renewed, lease.transitions,
        timeout = t.p.request_timeout } ~= nil
    end

    local assignments = "holder = $1, duration = $2, acquired = $3, renewed = $4, transitions = $5"
    local texts = {
      mongo = "UPDATE lease SET " .. assignments .. " WHERE id = 'leader'",
      redis = "INSERT INTO lease VALUES ('leader', $1, $2, $3, $4, $5, 1) ON CONFLICT (id) DO UPDATE SET " ..
        assignments,
      versioned = "UPDATE lease SET " .. assignments ..
        ", version = version + 1 WHERE id = 'leader' AND version = $6",
    }

    local function update(lease, timeout)
      if t.p.store == "in-memory" then
        memory = lease
        return true
      end
      local statement = { texts[t.p.store], lease.holder, lease.duration, lease.acquired, lease.renewed,
                          lease.transitions, timeout = timeout }
      if t.p.store == "versioned" then table.insert(statement, version) end
      local rows = t.sql(statement)
      local done = rows ~= nil and rows.count == 1
      if done then version = version + 1 end
      return done
    end

    local function observe(lease)
      observed, observed_at = lease, t.mono()
      local leads = lease.holder == me
      if leads and not t.leads() then t.believe{open = true} end
      if not leads and t.leads() then t.step_down("another holds the lease, or nobody does") end
    end

    local function try_acquire_or_renew()
      local now = t.unix_ms(t.wall())
      local mine = {
        holder = me, duration = t.p.lease_duration, acquired = now, renewed = now, transitions = 0 }
      local lease = get()
      if lease == false then return end
      if lease == nil then
        if create(mine) then observe(mine) end
        return
      end

      if lease.holder ~= observed.holder or lease.acquired ~= observed.acquired or
         lease.renewed ~= observed.renewed or lease.transitions ~= observed.transitions then
        observe(lease)
      end
      local leads = observed.holder == me
      if lease.holder ~= "" and not leads and observed_at + lease.duration >= t.mono() then return end

      mine.transitions = lease.transitions + (leads and 0 or 1)
      if leads then mine.acquired = lease.acquired end
      if update(mine, t.p.request_timeout) then observe(mine) end
    end

    local function release()
      if observed.holder ~= me then return end
      t.step_down("asked to stop")
      if not t.p.release_on_cancel then return end
      local now = t.unix_ms(t.wall())
      update({ holder = "", duration = t.p.lease_duration, acquired = now, renewed = now,
               transitions = observed.transitions }, "5s")
    end

    t.on_stop(function()
      stopped = t.event()
      stopped.wait("8000h")
    end)

    local next = t.mono() + t.p.retry_period
    while true do
      t.sleep(next - t.mono())
      local taken = t.mono()
      if stopped then
        release()
        stopped.set(true)
        return
      end
      try_acquire_or_renew()
      next = next + t.p.retry_period
      if next <= taken then next = next + t.p.retry_period * ((taken - next) // t.p.retry_period + 1) end
    end
  end,
}
