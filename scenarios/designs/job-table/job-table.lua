-- A table of jobs that the leader polls, as many have written one: what is due is run, and next_run moves on.
--
-- No single source: it is the loop of articles and of home-made schedulers, with the choices that differ between them.
--   update   when next_run moves: before the work, with an answer; at its start, without waiting for one; after it
--   guarded  the UPDATE also asks that next_run is still what was read, and who changed no row does not do the work
--   from     what next_run moves on from: now(), or the slot, by the period; or the rule, which knows cron
local due = [[
  SELECT id, next_run, period, rule FROM jobs
  WHERE next_run <= now() AND active
  ORDER BY next_run, id LIMIT $1
]]

return {
  name = "job-table",
  summary = "polls a table of jobs, runs what is due, and moves next_run on",
  role = "scheduler",

  parameters = {
    poll_period = { default = "1s", min = "1ms", doc = "from one look at the jobs to the next" },
    batch = { default = 100, min = 1, doc = "how many jobs it takes at once" },
    request_timeout = { default = "5s", min = "1ms", doc = "how long a statement may hang before it has failed" },
    update = { default = "after", choices = { "before", "start", "after" }, doc = "when next_run moves" },
    guarded = { default = false, doc = "only if next_run is still what was read" },
    from = { default = "now", choices = { "now", "slot", "rule" }, doc = "what next_run moves on from" },
  },

  schema = [[
    CREATE TABLE jobs (
      id bigint PRIMARY KEY, next_run timestamptz, period interval, rule text, active boolean NOT NULL
    );
    CREATE INDEX ON jobs (next_run);
  ]],

  put_schedule = function(s)
    return { [[
      INSERT INTO jobs (id, next_run, period, rule, active) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (id) DO UPDATE SET next_run = excluded.next_run, period = excluded.period, rule = excluded.rule,
                                     active = excluded.active
    ]], s.id, s.first, s.period, s.rule, not s.paused }
  end,
  delete_schedule = function(s)
    return { "DELETE FROM jobs WHERE id = $1", s.id }
  end,

  claims = {
    ["never-early"] = { "no-store-step" },
  },

  node = function(t)
    -- Whether a row was changed. An answer that does not come is no answer: another poll will see.
    local function move(job)
      local next_run = t.p.from == "now" and "now() + period" or "next_run + period"
      local statement = { "", job.id, timeout = t.p.request_timeout }
      if t.p.from == "rule" then
        next_run = "$2"
        table.insert(statement, t.slot_after(job.rule, job.next_run))
      end
      statement[1] = "UPDATE jobs SET next_run = " .. next_run .. " WHERE id = $1"
      if t.p.guarded then
        table.insert(statement, job.next_run)
        statement[1] = statement[1] .. " AND next_run = $" .. #statement - 1
      end
      local rows = t.sql(statement)
      return rows and rows.count == 1
    end

    local function work(job)
      if not t.leads() then return end
      if t.p.update == "before" and not (move(job) and t.leads()) then return end
      if t.p.update == "start" then t.spawn("move", function() move(job) end) end
      t.run{schedule = job.id, slot = job.next_run}
      if t.p.update == "after" then move(job) end
    end

    t.every(t.p.poll_period, function()
      if not t.leads() then return end
      for _, job in ipairs(t.sql{due, t.p.batch, timeout = t.p.request_timeout} or {}) do work(job) end
    end)
  end,
}
