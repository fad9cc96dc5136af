-- The poller of light-portal: each second the leader selects the rows that are due, in order and with a limit. For each
-- one it inserts an event and an outbox row and moves next_run_ts on, all in one transaction.
--
-- Source: networknt/light-portal, its schedule and outbox tables, as restated for the protocol heartbeat-lock
-- (sim/protocols/heartbeat_lock/README.md). Nothing guards the UPDATE: it does not ask whether next_run_ts is still
-- what was read. The names of the columns are ours. So is the relay: there, a reader of the database's log publishes
-- what is in the outbox. Here the leader publishes a row and then deletes it. The consumer is the work: one that reads
-- Kafka commits its offset after it, and does an event again after a crash; one on Postgres keeps the event's id in the
-- transaction that does it (`idempotent`).
--
-- from_slot: next_run_ts moves on from the slot. Without it, it moves on from the time of execution, and drifts.
local due = [[
  SELECT schedule_id, next_run_ts, frequency FROM schedule_t
  WHERE next_run_ts <= now() AND active
  ORDER BY next_run_ts, schedule_id LIMIT $1
]]
local insert_event = "INSERT INTO event_store_t (schedule_id, slot) VALUES ($1, $2)"
local insert_message = "INSERT INTO outbox_message_t (schedule_id, slot) VALUES ($1, $2)"
local from_slot = "UPDATE schedule_t SET next_run_ts = $2 WHERE schedule_id = $1"
local from_now = "UPDATE schedule_t SET next_run_ts = now() + $2::interval WHERE schedule_id = $1"

return {
  name = "portal-poller",
  summary = "polls what is due, and moves next_run with its outbox row in one transaction",
  role = "scheduler",

  parameters = {
    poll_period = { default = "1s", min = "1ms", doc = "from one look at the schedules to the next" },
    batch = { default = 100, min = 1, doc = "how many rows it takes at once" },
    request_timeout = { default = "10s", min = "1ms", doc = "how long a statement may hang before it has failed" },
    idempotent = { default = false, doc = "the events' consumer keeps their ids, and does none twice" },
    from_slot = { default = true, doc = "next_run moves on from the slot, and not from the time of execution" },
  },

  schema = [[
    CREATE TABLE schedule_t (
      schedule_id bigint PRIMARY KEY,
      next_run_ts timestamptz,
      frequency interval,
      active boolean NOT NULL
    );
    CREATE TABLE event_store_t (id bigserial PRIMARY KEY, schedule_id bigint NOT NULL, slot timestamptz NOT NULL);
    CREATE TABLE outbox_message_t (id bigserial PRIMARY KEY, schedule_id bigint NOT NULL, slot timestamptz NOT NULL);
  ]],

  put_schedule = function(s)
    return { [[
      INSERT INTO schedule_t (schedule_id, next_run_ts, frequency, active) VALUES ($1, $2, $3, $4)
      ON CONFLICT (schedule_id) DO UPDATE
      SET next_run_ts = excluded.next_run_ts, frequency = excluded.frequency, active = excluded.active
    ]], s.id, s.first, s.period, not s.paused }
  end,
  delete_schedule = function(s)
    return { "DELETE FROM schedule_t WHERE schedule_id = $1", s.id }
  end,

  -- An edit at the wrong moment loses a slot that was due, so no-lost-fire is not among them.
  claims = {
    ["no-duplicate-fire"] = {
      "steady-leader", "no-store-step", "no-lost-commits", "no-mono-freeze", "no-pause", "prompt-store",
      "prompt-at-rest", "no-crash", election = { "one-believer" },
    },
    ["never-early"] = { "no-store-step" },
  },

  node = function(t)
    local timeout = t.p.request_timeout

    t.spawn("relay", function()
      t.every(t.p.poll_period, function()
        if not t.leads() then return end
        local messages = t.sql{"SELECT id, schedule_id, slot FROM outbox_message_t ORDER BY id LIMIT $1", t.p.batch,
          timeout = timeout}
        for _, message in ipairs(messages or {}) do
          if not t.leads() then return end
          t.run{schedule = message.schedule_id, slot = message.slot, once = t.p.idempotent}
          t.sql{"DELETE FROM outbox_message_t WHERE id = $1", message.id, timeout = timeout}
        end
      end)
    end)

    t.every(t.p.poll_period, function()
      if not t.leads() then return end
      for _, row in ipairs(t.sql{due, t.p.batch, timeout = timeout} or {}) do
        local move = { from_now, row.schedule_id, row.frequency }
        if t.p.from_slot then move = { from_slot, row.schedule_id, row.next_run_ts + row.frequency } end
        t.transaction{
          { insert_event, row.schedule_id, row.next_run_ts },
          { insert_message, row.schedule_id, row.next_run_ts },
          move,
          timeout = timeout,
        }
      end
    end)
  end,
}
