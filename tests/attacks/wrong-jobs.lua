-- A table of jobs that the leader polls, with one thing wrong.
return {
  name = "wrong-jobs", summary = "a job table with one thing wrong", role = "scheduler",
  parameters = {
    wrong = { default = "early", choices = { "early", "drifts", "fires-one-of-two", "fires-once" }, doc = "the mistake" },
    request_timeout = { default = "3s", min = "1ms", doc = "how long a statement may hang" },
  },
  schema = [[ CREATE TABLE jobs (id bigint PRIMARY KEY, next_run timestamptz, period interval, active boolean, n bigint) ]],
  put_schedule = function(s)
    return { [[
      INSERT INTO jobs (id, next_run, period, active, n) VALUES ($1, $2, $3, $4, 0)
      ON CONFLICT (id) DO UPDATE
      SET next_run = excluded.next_run, period = excluded.period, active = excluded.active
    ]], s.id, s.first, s.period, not s.paused }
  end,
  delete_schedule = function(s) return { "DELETE FROM jobs WHERE id = $1", s.id } end,
  node = function(t)
    local all = "SELECT id, next_run, n, now() AS now FROM jobs WHERE active"
    local due = all .. " AND next_run <= now()"
    local wanted = { early = all, ["fires-one-of-two"] = due .. " AND id = 1" }
    t.every("1s", function()
      if not t.leads() then return end
      for _, job in ipairs(t.sql{wanted[t.p.wrong] or due, timeout = t.p.request_timeout} or {}) do
        if t.p.wrong ~= "fires-once" or job.n == 0 then t.run{schedule = job.id, slot = job.next_run} end
        if t.p.wrong == "drifts" then t.run{schedule = job.id, slot = job.now} end
        t.sql{"UPDATE jobs SET next_run = next_run + period, n = n + 1 WHERE id = $1 AND next_run = $2",
              job.id, job.next_run, timeout = t.p.request_timeout}
      end
    end)
  end,
}
