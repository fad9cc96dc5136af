-- The scheduler lock of light-portal as its code has it. Two things differ from the document (portal-lock.lua): `now`
-- is the application's wall clock; and a leader renews with the statement that takes the lock, with a cutoff of now. So
-- a renewal succeeds for whoever asks, holder or not. A heartbeat may be taken over after 30 s.
--
-- Source: the code of networknt/light-portal, as restated for the protocol heartbeat-lock
-- (sim/protocols/heartbeat_lock/README.md). The names of the columns are ours, and so is request_timeout. The release
-- is left out: it keeps the heartbeat, so others wait as long as after a crash.
local beat = [[
  UPDATE scheduler_lock_t
  SET instance_id = ?, last_heartbeat = ?
  WHERE lock_id = 1
    AND (instance_id = ? OR last_heartbeat < ?)
]]

return {
  name = "portal-lock-in-code",
  summary = "a heartbeat in a row, on the application's clock, which any former leader may renew",

  parameters = {
    heartbeat_period = { default = "10s", min = "1ms", doc = "from one beat to the next, for leaders and standbys" },
    heartbeat_timeout = { default = "30s", min = "1ms", doc = "how old a heartbeat must be for others to take it" },
    request_timeout = { default = "10s", min = "1ms", doc = "how long a statement may hang before it has failed" },
  },

  schema = [[
    CREATE TABLE scheduler_lock_t (
      lock_id int PRIMARY KEY,
      instance_id varchar(128) NOT NULL,
      last_heartbeat timestamptz NOT NULL
    );
    INSERT INTO scheduler_lock_t VALUES (1, 'none', '2000-01-01 00:00:00+00');
  ]],

  -- A breach leaves two leaders for good, so none of these passes.
  claims = {
    ["one-believer"] = {
      "wall-in-step", "rates-equal", "no-pause", "prompt-store", "no-lost-commits", "no-mono-freeze",
    },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "wall-in-step", "prompt-at-rest" },
  },

  failover = function(p, d)
    return {
      least = p.heartbeat_timeout - p.heartbeat_period - d.departure,
      mean = p.heartbeat_timeout - p.heartbeat_period // 2 + p.heartbeat_period // (d.standbys + 1) + d.trip.mean,
      most = p.heartbeat_timeout + p.heartbeat_period + d.trip.most,
      formula = "T - A + Res + d, with A and Res in [0, H]",
    }
  end,

  node = function(t)
    t.spawn("heartbeat", function()
      t.every(t.p.heartbeat_period, function()
        local now = t.wall()
        local cutoff = t.leads() and now or now - t.p.heartbeat_timeout
        local rows, err = t.sql{
          beat, t.identity, t.as_store(now), t.identity, t.as_store(cutoff), timeout = t.p.request_timeout,
        }
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
