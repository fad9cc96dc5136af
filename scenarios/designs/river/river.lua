-- The leader election of River, a job queue in Go on Postgres. A row is taken for 15 s on the database's clock, and
-- renewed every 5 s. Its leader trusts it for 14 s from the moment at which the request left, on its own monotonic
-- clock.
--
-- Source: github.com/riverqueue/river at v0.43.0: internal/leadership/elector.go,
-- riverdriver/riverpgxv5/internal/dbsqlc/river_leader.sql and the migration 002_initial_schema, with the defaults
-- that are constants there. The table is UNLOGGED: after a crash of Postgres, and on a replica that is promoted, it
-- is empty. Then another is elected, while the leader trusts its row until it asks the next time.
--
-- Its statements are the published ones, except for these:
-- - The names of parameters are the $1 and $2 that sqlc makes of them; `now` is NULL outside tests.
-- - LeaderResign locks the row (FOR UPDATE) and tells the others in the same transaction (pg_notify). Both are refused
--   here. A DELETE with the same condition resigns, and the former leader sends the message itself, once it knows.
-- Left out: a resignation that an operator asks for.
local delete_expired = [[
  DELETE FROM river_leader
  WHERE expires_at < coalesce($1::timestamptz, now())
]]
local attempt_elect = [[
  INSERT INTO river_leader (
      leader_id,
      elected_at,
      expires_at
  ) VALUES (
      $1,
      coalesce($2::timestamptz, now()),
      coalesce($2::timestamptz, now()) + make_interval(secs => $3)
  )
  ON CONFLICT (name)
      DO NOTHING
  RETURNING elected_at, expires_at, leader_id, name
]]
local attempt_reelect = [[
  UPDATE river_leader
  SET expires_at = coalesce($1::timestamptz, now()) + make_interval(secs => $2)
  WHERE
      elected_at = $3::timestamptz
      AND expires_at >= coalesce($1::timestamptz, now())
      AND leader_id = $4
  RETURNING elected_at, expires_at, leader_id, name
]]
local resign = [[
  DELETE FROM river_leader
  WHERE
      elected_at = $1::timestamptz
      AND leader_id = $2::text
]]

return {
  name = "river",
  summary = "River's leader election: a row on the database's clock, trusted for less on the process's own",

  parameters = {
    elect_interval = { default = "5s", min = "1ms", doc = "between two attempts, of leaders and of others" },
    elect_jitter = { default = "1s", min = "1ms", doc = "others wait up to this much longer" },
    ttl_padding = { default = "10s", min = "0s", doc = "the row is taken for elect_interval and this; whole seconds" },
    safety_margin = { default = "1s", min = "0s", doc = "for how much less than that a leader trusts it" },
    request_timeout = { default = "5s", min = "1ms", doc = "how long an attempt may take" },
  },

  schema = [[
    CREATE UNLOGGED TABLE river_leader (
      elected_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      leader_id text NOT NULL,
      name text PRIMARY KEY DEFAULT 'default' CHECK (name = 'default'),
      CONSTRAINT name_length CHECK (name = 'default'),
      CONSTRAINT leader_id_length CHECK (char_length(leader_id) > 0 AND char_length(leader_id) < 128)
    )
  ]],

  -- It needs prompt-store because it leads while it resigns (resign_loop), and because of its table after a crash.
  claims = {
    ["one-believer"] = {
      "rates-equal", "no-pause", "prompt-store", "no-store-step", "no-lost-commits", "no-mono-freeze", passes = true,
    },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "no-store-step", "prompt-at-rest" },
  },

  failover = function(p, d)
    local ttl = d.duration("1s") * ((p.elect_interval + p.ttl_padding) // "1s")
    local gap = p.elect_interval + p.elect_jitter // 2 + d.trip.mean
    return {
      least = ttl - p.elect_interval - d.trip.most - d.departure + d.trip.least,
      mean = ttl - (p.elect_interval + d.trip.mean) // 2 + gap // (d.standbys + 1) + d.trip.mean,
      most = ttl + p.elect_interval + p.elect_jitter + d.trip.most * 2,
      formula = "T - A + Res + d, with A in [0, P + d], Res in [0, P + J + d]",
    }
  end,

  node = function(t)
    local second = t.duration("1s")
    local ttl = t.p.elect_interval + t.p.ttl_padding
    local ttl_seconds = ttl // second
    local wakeup = t.event()  -- somebody resigned
    local term                -- while this instance leads

    local function between(least, most)
      return least + t.duration("1ms") * (t.random((most - least) // t.duration("1ms") + 1) - 1)
    end

    -- 1 s, 2 s, 4 s, …, and back to 1 s after so many, each with 10 % of jitter.
    local function backoff(attempt, attempts_before_reset)
      local length = second
      for _ = 1, (attempt - 1) % attempts_before_reset do length = length * 2 end
      return between(length * 9 // 10, length * 11 // 10)
    end

    local function trust(row, attempt_started)
      term = { elected_at = row.elected_at, trusted_until = attempt_started + ttl - t.p.safety_margin }
      t.believe{open = true}
    end

    local function follow()
      local attempt = 0
      while true do
        attempt = attempt + 1
        local attempt_started = t.mono()
        local results, err = t.transaction{
          { delete_expired, t.null },
          { attempt_elect, t.identity, t.null, ttl_seconds },
          timeout = t.p.request_timeout,
        }
        if err then
          t.sleep(backoff(attempt, 7))
        elseif #results[2] > 0 then
          return trust(results[2][1], attempt_started)
        else
          attempt = 0
          local length = between(t.p.elect_interval, t.p.elect_interval + t.p.elect_jitter)
          if t.any{wakeup, timeout = length} then
            wakeup = t.event()
            t.sleep(between(t.duration("0s"), t.duration("50ms")))
          end
        end
      end
    end

    -- At most three attempts, each with a second more. The instance leads until this returns, as in the source: the
    -- deferred call that resigns runs before the one that says that it does not lead any more.
    local function resign_loop()
      for attempt = 1, 3 do
        local rows, err = t.sql{resign, term.elected_at, t.identity, timeout = second * attempt}
        if not err then
          if rows.count > 0 then
            for number = 1, t.nodes do
              if number ~= t.number then t.send(number, "resigned") end
            end
          end
          return
        end
        t.sleep(backoff(attempt, 3))
      end
    end

    -- Returns whether the row may still be this instance's, and why it leads no more.
    local function lead()
      local errors = 0
      local wait = t.p.elect_interval
      while true do
        while t.any{wakeup, timeout = wait} do wakeup = t.event() end  -- the wait begins anew, as in the source
        local attempt_started = t.mono()
        local remaining = term.trusted_until - attempt_started
        if remaining <= t.duration("0s") then return true, "the deadline elapsed" end
        local timeout = remaining < t.p.request_timeout and remaining or t.p.request_timeout
        local rows, err = t.sql{
          attempt_reelect, t.null, ttl_seconds, term.elected_at, t.identity, timeout = timeout,
        }
        if err then
          errors = errors + 1
          local pause = backoff(errors, 3)
          remaining = term.trusted_until - t.mono()
          if remaining <= t.duration("0s") then return true, "the deadline elapsed after an error" end
          t.sleep(remaining < pause and remaining or pause)
          wait = t.duration("0s")
        elseif #rows == 0 then
          return false, "the row is another's"
        else
          errors = 0
          trust(rows[1], attempt_started)
          wait = t.p.elect_interval
        end
      end
    end

    local function stop_leading(may_hold_row, why)
      if may_hold_row then resign_loop() end
      term = nil
      t.step_down(why)
    end

    local elector = t.spawn("elector", function()
      while true do
        follow()
        stop_leading(lead())
      end
    end)
    t.spawn("notifier", function()
      while true do
        t.receive()
        wakeup.set(true)
      end
    end)
    t.on_stop(function()
      elector.cancel()
      if term then stop_leading(true, "asked to stop") end
    end)
  end,
}
