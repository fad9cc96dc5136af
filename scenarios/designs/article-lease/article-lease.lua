-- The lease of the article: one row, taken by an upsert on the database's clock, believed on this process's own.
--
-- The statement is the printed one, repaired: as it was printed, `holder_id` in its WHERE is ambiguous, and Postgres
-- refuses it (article-lease-as-printed.lua). What is kept is its mistake: `t.as_wall` takes the database's time for one
-- of this machine's wall clock.
local take = [[
  INSERT INTO leader_lock AS l (resource, holder_id, expires_at)
  VALUES ('scheduler', $1, now() + $2::interval)
  ON CONFLICT (resource) DO UPDATE
  SET holder_id = excluded.holder_id, expires_at = excluded.expires_at
  WHERE l.holder_id = excluded.holder_id OR l.expires_at < now()
  RETURNING expires_at
]]

return {
  name = "article-lease",
  summary = "a row taken on the database's clock and believed on the process's, in SQL",

  parameters = {
    lock_duration = { default = "5s", min = "1ms", doc = "for how long the row is taken" },
    poll_period = { default = "3s", min = "1ms", doc = "sleep between the end of one attempt and the next one" },
    request_timeout = { default = "10s", min = "1ms", doc = "how long an attempt may hang before it counts as failed" },
  },

  schema = [[
    CREATE TABLE leader_lock (
      resource text PRIMARY KEY,
      holder_id text NOT NULL,
      expires_at timestamptz NOT NULL
    )
  ]],

  claims = {
    ["one-believer"] = { "wall-in-step", "rates-equal", "no-store-step", "no-lost-commits", passes = true },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "wall-in-step", "no-store-step", "prompt-at-rest" },
  },

  failover = function(p, d)
    local gap = p.poll_period + d.trip.mean
    return {
      least = p.lock_duration - p.poll_period - d.trip.width - d.departure,
      mean = p.lock_duration - gap // 2 + gap // (d.standbys + 1) + d.trip.mean,
      most = p.lock_duration + p.poll_period + d.trip.most * 2,
      formula = "T - A + Res + d, with A and Res in [0, G], G = P + d",
    }
  end,

  node = function(t)
    t.spawn("elect", function()
      while true do
        local rows, err = t.sql{take, t.identity, t.p.lock_duration, timeout = t.p.request_timeout}
        if err then
          t.step_down("the attempt failed")
        elseif rows.count == 0 then
          t.step_down("no row came back")
        else
          t.believe{until_wall = t.as_wall(rows[1].expires_at)}
        end
        t.sleep(t.p.poll_period)
      end
    end)
  end,
}
