-- A Go library's election on whatever store a service has: it follows client-go's algorithm, and its stores get,
-- create and update one lease.
--
-- Source: github.com/rbroggi/leaderelection at 4640753, elector.go (Run, tryAcquireOrRenew, release), with the README's
-- 15 s and 5 s. Its stores for Mongo and Redis update without a condition on what was read; hascheduler elects by it.
-- Here the lease is a row; the statements are as plain as those stores' are.
--
-- - IsLeader compares the holder that was seen last with its own name. There is no deadline: an attempt that fails
--   changes nothing.
-- - `compare_and_set = true`: an update names the version that was read, as client-go's does. A holder that somebody
--   else has replaced still learns that by its next get.
-- - Attempts come at the ticks of time.Tick, the first one a period after the start. Of the ticks that come during an
--   attempt one is kept. A stop is noticed at a tick, too.
-- - Left out: metrics, and the callbacks, which do not change who leads.
return {
  name = "lease-store",
  summary = "client-go's algorithm in a Go library, on stores that update without a condition",

  parameters = {
    lease_duration = { default = "15s", min = "1ms", doc = "for how long it stands still before another takes it" },
    retry_period = { default = "5s", min = "1ms", doc = "between two attempts" },
    request_timeout = { default = "3s", min = "1ms", doc = "how long the store's client waits for a statement" },
    release_on_cancel = { default = false, doc = "empty the lease when asked to stop" },
    compare_and_set = { default = false, doc = "update only what was read" },
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
    local observed, observed_at = { holder = "" }, t.mono()
    local stopped = nil

    local function observe(lease)
      observed, observed_at = lease, t.mono()
      local leads = lease.holder == t.identity
      if leads and not t.leads() then t.believe{open = true} end
      if not leads and t.leads() then t.step_down("another holds the lease, or nobody does") end
    end

    local function update(lease, version)
      local condition = t.p.compare_and_set and " AND version = $6" or " AND $6 >= 0"
      local rows = t.sql{[[
        UPDATE lease
        SET holder = $1, duration = $2, acquired = $3, renewed = $4, transitions = $5, version = version + 1
        WHERE id = 'leader']] .. condition,
        lease.holder, t.p.lease_duration, lease.acquired, lease.renewed, lease.transitions, version,
        timeout = t.p.request_timeout }
      return rows ~= nil and rows.count == 1
    end

    local function try_acquire_or_renew()
      local now = t.unix_ms(t.wall())
      local mine = { holder = t.identity, acquired = now, renewed = now, transitions = 0 }
      local rows = t.sql{
        "SELECT holder, duration, acquired, renewed, transitions, version FROM lease WHERE id = 'leader'",
        timeout = t.p.request_timeout }
      if not rows then return end
      local lease = rows[1]
      if lease == nil then
        local made = t.sql{
          "INSERT INTO lease VALUES ('leader', $1, $2, $3, $4, 0, 1)",
          t.identity, t.p.lease_duration, now, now, timeout = t.p.request_timeout }
        if made then observe(mine) end
        return
      end

      if lease.holder ~= observed.holder or lease.acquired ~= observed.acquired or
         lease.renewed ~= observed.renewed or lease.transitions ~= observed.transitions then
        observe{ holder = lease.holder, acquired = lease.acquired, renewed = lease.renewed,
                 transitions = lease.transitions }
      end
      local leads = observed.holder == t.identity
      if lease.holder ~= "" and not leads and observed_at + lease.duration >= t.mono() then return end

      mine.transitions = lease.transitions + (leads and 0 or 1)
      if leads then mine.acquired = lease.acquired end
      if update(mine, lease.version) then observe(mine) end
    end

    local function release()
      if observed.holder ~= t.identity then return end
      t.step_down("asked to stop")
      local now = t.unix_ms(t.wall())
      local freed = { holder = "", acquired = now, renewed = now, transitions = observed.transitions }
      observed = freed
      if not t.p.release_on_cancel then return end
      local rows = t.sql{"SELECT version FROM lease WHERE id = 'leader' AND holder = $1", t.identity,
                         timeout = t.p.request_timeout}
      if rows and rows[1] then update(freed, rows[1].version) end
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
