-- Postgres' own lock for applications: pg_try_advisory_lock, held by a session for as long as that lasts.
--
-- No single source: it is the lock of many job runners (GoodJob, Que, Rails' migrations). Whoever has it looks from
-- time to time whether its session is still there, and believes until then. It runs on Postgres alone.
return {
  name = "advisory-lock",
  summary = "a lock that a session of Postgres holds, without an end of its own",

  parameters = {
    poll_period = { default = "5s", min = "1ms", doc = "from one attempt, or one look at the session, to the next" },
    request_timeout = { default = "2s", min = "1ms", doc = "how long a statement may hang" },
  },

  -- The lock is no row; an engine wants a schema all the same.
  schema = [[ CREATE TABLE nothing (id int PRIMARY KEY) ]],

  claims = {
    ["one-believer"] = { "prompt-store" },
    ["leader-elected"] = { "reliable-network" },
  },

  -- The dead leader's session ends at once, and the lock with it.
  failover = function(p, d)
    return {
      least = d.back.least,
      mean = (p.poll_period + d.trip.mean) // (d.standbys + 1) + d.back.mean,
      most = p.poll_period + d.trip.most + d.back.most,
      formula = "Res + v, with Res in [0, P + d]",
    }
  end,

  node = function(t)
    t.on_stop(function() t.sql{"SELECT pg_advisory_unlock(1)", timeout = t.p.request_timeout} end)
    while true do
      if t.leads() then
        local rows = t.sql{"SELECT 1 AS alive", timeout = t.p.request_timeout}
        if not rows then t.step_down("the session is lost") end
      else
        local rows = t.sql{"SELECT pg_try_advisory_lock(1) AS mine", timeout = t.p.request_timeout}
        if rows and rows[1].mine then t.believe{open = true} end
      end
      t.sleep(t.p.poll_period)
    end
  end,
}
