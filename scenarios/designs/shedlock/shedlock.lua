-- ShedLock, a lock for scheduled tasks in Java, as the lock of a leader: a loop takes it, leads for as long as its work
-- takes, and gives it back. Nothing renews it, and the loop does not look at the clock while it works.
--
-- Source: github.com/lukas-krecan/ShedLock at 2495b14 (7.9.0 and 14 commits): SqlStatementsSource,
-- PostgresSqlStatementsSource and PostgresSqlServerTimeStatementsSource in providers/sql/shedlock-sql-support,
-- JdbcTemplateStorageAccessor, and StorageBasedLockProvider in shedlock-core. lock_at_most_for is the one of its README
-- (@EnableSchedulerLock); lock_at_least_for is zero unless set. poll_period and work are of the loop, so they are ours.
--
-- Its statements are the published ones, except for these:
-- - The columns are TIMESTAMP there, which is refused here: TIMESTAMPTZ.
-- - usingDbTime() takes timezone('utc', CURRENT_TIMESTAMP) for now, which is refused here: CURRENT_TIMESTAMP. On
--   columns with a zone it is the same instant.
-- The application's times are not cut to whole milliseconds, as they are there.
local insert = [[
  INSERT INTO shedlock(name, lock_until, locked_at, locked_by) VALUES(?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET lock_until = ?, locked_at = ?, locked_by = ? WHERE shedlock.lock_until <= ?
]]
local update = [[
  UPDATE shedlock SET lock_until = ?, locked_at = ?, locked_by = ? WHERE name = ? AND lock_until <= ?
]]
local unlock = [[
  UPDATE shedlock SET lock_until = ? WHERE name = ? AND locked_by = ?
]]
local insert_by_db_time = [[
  INSERT INTO shedlock(name, lock_until, locked_at, locked_by)
  VALUES(?, CURRENT_TIMESTAMP + make_interval(secs => ?), CURRENT_TIMESTAMP, ?)
  ON CONFLICT (name) DO UPDATE SET lock_until = CURRENT_TIMESTAMP + make_interval(secs => ?),
    locked_at = CURRENT_TIMESTAMP, locked_by = ? WHERE shedlock.name = ? AND shedlock.lock_until <= CURRENT_TIMESTAMP
]]
local update_by_db_time = [[
  UPDATE shedlock SET lock_until = CURRENT_TIMESTAMP + make_interval(secs => ?), locked_at = CURRENT_TIMESTAMP,
    locked_by = ? WHERE shedlock.name = ? AND shedlock.lock_until <= CURRENT_TIMESTAMP
]]
local unlock_by_db_time = [[
  UPDATE shedlock SET lock_until = CASE WHEN locked_at + make_interval(secs => ?) > CURRENT_TIMESTAMP
    THEN locked_at + make_interval(secs => ?) ELSE CURRENT_TIMESTAMP END WHERE name = ? AND locked_by = ?
]]

local name = "leader"

-- What a provider does: insert, update and unlock, each one statement.
local function by_application_clock(t, host)
  local at_most, at_least = t.p.lock_at_most_for, t.p.lock_at_least_for
  return {
    insert = function(created)
      local until_, now = t.as_store(created + at_most), t.as_store(t.wall())
      return { insert, name, until_, now, host, until_, now, host, now }
    end,
    update = function(created)
      local until_, now = t.as_store(created + at_most), t.as_store(t.wall())
      return { update, until_, now, host, name, now }
    end,
    unlock = function(created)
      local now = t.wall()
      local least = created + at_least
      return { unlock, t.as_store(least > now and least or now), name, host }
    end,
  }
end

local function by_database_clock(t, host)
  local at_most = t.p.lock_at_most_for // t.duration("1s")
  local at_least = t.p.lock_at_least_for // t.duration("1s")
  return {
    insert = function() return { insert_by_db_time, name, at_most, host, at_most, host, name } end,
    update = function() return { update_by_db_time, at_most, host, name } end,
    unlock = function() return { unlock_by_db_time, at_least, at_least, name, host } end,
  }
end

return {
  name = "shedlock",
  summary = "ShedLock around a loop: a lock with an end, which nobody renews or looks at",

  parameters = {
    lock_at_most_for = { default = "10m", min = "1s", doc = "the lock is free after this; whole seconds" },
    lock_at_least_for = { default = "0s", min = "0s", doc = "it is not given back sooner than this; whole seconds" },
    using_db_time = { default = false, doc = "the database's clock, rather than the application's" },
    poll_period = { default = "1m", min = "1ms", doc = "how often the loop tries" },
    work = { default = "5m", min = "10s", doc = "for how long it leads each time, in pieces of 10 s" },
    request_timeout = { default = "30s", min = "1ms", doc = "how long a statement may hang before it has failed" },
  },

  schema = [[
    CREATE TABLE shedlock(name VARCHAR(64) NOT NULL, lock_until TIMESTAMPTZ NOT NULL,
      locked_at TIMESTAMPTZ NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))
  ]],

  -- Nobody leads from the end of one instance's work to the next one's attempt. So leader-elected, which wants a leader
  -- at the end of a run, is not claimed.
  -- Each turn is given back when its work is done, and whoever asks next has the next one.
  goes_round = true,

  claims = {
    ["one-believer"] = {
      "wall-in-step", "rates-equal", "no-pause", "prompt-store", "no-store-step", "no-lost-commits", "no-mono-freeze",
    },
    ["acts-within-belief"] = {},
  },

  node = function(t)
    local statements = (t.p.using_db_time and by_database_clock or by_application_clock)(t, t.me)
    local row_exists = false
    local piece = t.duration("10s")  -- a process that stands still in the middle of its work does the rest of it later

    local function execute(statement)
      statement.timeout = t.p.request_timeout
      local rows, err = t.sql(statement)
      return rows and rows.count > 0, err
    end

    -- The insert is left out once the row is known to exist, and tried again after an update that failed.
    local function lock(created)
      local try_insert = not row_exists
      if try_insert then
        local done, err = execute(statements.insert(created))
        if err then return false end
        row_exists = true
        if done then return true end
      end
      local done, err = execute(statements.update(created))
      if err and try_insert then row_exists = false end
      return done
    end

    t.spawn("task", function()
      t.every(t.p.poll_period, function()
        local created = t.wall()
        if lock(created) then
          t.believe{open = true}
          for _ = 1, t.p.work // piece do t.sleep(piece) end
          t.step_down("the work is done")
          execute(statements.unlock(created))
        end
      end)
    end)
  end,
}
