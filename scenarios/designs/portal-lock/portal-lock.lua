-- The scheduler lock of light-portal as its document has it: one row with a holder and a heartbeat, on the database's
-- clock. Every 10 s each instance sends the same statement, leading or not. A heartbeat older than 60 s may be taken
-- over.
--
-- Source: the design document of networknt/light-portal, its table scheduler_lock_t, as restated for the protocol
-- heartbeat-lock (sim/protocols/heartbeat_lock/README.md). The names of the columns are ours. So is request_timeout:
-- the document does not say how long a statement may hang. Its release is left out: it keeps the heartbeat, so others
-- wait as long as after a crash. The code differs: portal-lock-in-code.lua. Nothing inserts the row: with a lock_id
-- other than 1 it is what a database without its first row does.
local beat = [[
  UPDATE scheduler_lock_t
  SET instance_id = $1, last_heartbeat = CURRENT_TIMESTAMP
  WHERE lock_id = $3
    AND (instance_id = $1 OR last_heartbeat < CURRENT_TIMESTAMP - $2::interval)
]]

return {
  name = "portal-lock",
  summary = "a heartbeat in a row, on the database's clock, as the design document has it",

  parameters = {
    heartbeat_period = { default = "10s", min = "1ms", doc = "from one beat to the next, for leaders and standbys" },
    heartbeat_timeout = { default = "60s", min = "1ms", doc = "how old a heartbeat must be for others to take it" },
    lock_id = { default = 1, min = 1, doc = "the row; the schema has a row 1, and no other" },
    request_timeout = { default = "30s", min = "1ms", doc = "how long a statement may hang before it has failed" },
  },

  schema = [[
    CREATE TABLE scheduler_lock_t (
      lock_id int PRIMARY KEY,
      instance_id varchar(128) NOT NULL,
      last_heartbeat timestamptz NOT NULL
    );
    INSERT INTO scheduler_lock_t VALUES (1, 'none', '2000-01-01 00:00:00+00');
  ]],

  claims = {
    ["one-believer"] = {
      "rates-equal", "no-pause", "prompt-store", "no-store-step", "no-lost-commits", "no-mono-freeze", passes = true,
    },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "no-store-step", "prompt-at-rest" },
  },

  failover = function(p, d)
    return {
      least = p.heartbeat_timeout - p.heartbeat_period - d.trip.width - d.departure,
      mean = p.heartbeat_timeout - p.heartbeat_period // 2 + p.heartbeat_period // (d.standbys + 1) + d.trip.mean,
      most = p.heartbeat_timeout + p.heartbeat_period + d.trip.most + d.trip.width,
      formula = "T - A + Res + d, with A and Res in [0, H]",
    }
  end,

  node = function(t)
    t.spawn("heartbeat", function()
      t.every(t.p.heartbeat_period, function()
        local rows, err = t.sql{beat, t.identity, t.p.heartbeat_timeout, t.p.lock_id, timeout = t.p.request_timeout}
        if err then
          t.step_down("the statement failed")
        elseif rows.count == 0 then
          t.step_down("no row was updated")
        else
          t.believe{open = true}
        end
      end)
    end)
  end,
}
