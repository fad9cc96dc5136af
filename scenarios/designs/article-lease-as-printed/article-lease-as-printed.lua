-- The lease of the article, with its statement as it was printed: in the WHERE, `holder_id` may be the row's or
-- `excluded`'s. Postgres says so each time (42702, ambiguous column), and nobody ever leads. SQLite by itself takes it.
local take = [[
  INSERT INTO leader_lock (resource, holder_id, expires_at)
  VALUES ('scheduler', $1, now() + $2::interval)
  ON CONFLICT (resource) DO UPDATE
  SET holder_id = $1, expires_at = now() + $2::interval
  WHERE holder_id = $1 OR expires_at < now()
  RETURNING expires_at
]]

return {
  name = "article-lease-as-printed",
  summary = "the article's lease with the statement as it was printed, which Postgres refuses",

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

  node = function(t)
    t.spawn("elect", function()
      while true do
        local rows, err = t.sql{take, t.identity, t.p.lock_duration, timeout = t.p.request_timeout}
        if err then
          t.log(err.message)
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
