-- A row as a mutex, without a time to live: whoever has it leads until it gives it back.
--
-- No single source: both ways are written often. `by` says which.
--   insert   a row is there while somebody leads. After a crash nobody deletes it, and nobody leads again
--   lock     SELECT … FOR UPDATE in a transaction that stays open. Postgres alone has that
return {
  name = "row-mutex",
  summary = "a row as a mutex, without a time to live",

  parameters = {
    by = { default = "insert", choices = { "insert", "lock" }, doc = "the row is the mutex, or its lock is" },
    poll_period = { default = "5s", min = "1ms", doc = "from one attempt or look to the next" },
    request_timeout = { default = "2s", min = "1ms", doc = "how long a statement may hang before it has failed" },
  },

  schema = [[
    CREATE TABLE mutex (name text PRIMARY KEY, holder text);
    INSERT INTO mutex (name) VALUES ('to lock');
  ]],

  claims = {
    ["one-believer"] = { "prompt-store", "no-lost-commits" },
    ["leader-elected"] = { "no-crash", "reliable-network", "prompt-store" },
  },

  node = function(t)
    local function ask(text, ...) return t.sql{text, ..., timeout = t.p.request_timeout} end

    -- An answer that did not come may stand for a row that is ours.
    local function insert()
      ask("INSERT INTO mutex (name, holder) VALUES ('leader', $1) ON CONFLICT DO NOTHING", t.identity)
      local rows = ask("SELECT holder FROM mutex WHERE name = 'leader'")
      return rows and #rows == 1 and rows[1].holder == t.identity
    end
    local function lock()
      if not ask("BEGIN") then return false end
      local rows = ask("SELECT name FROM mutex WHERE name = 'to lock' FOR UPDATE NOWAIT")
      if not rows then ask("ROLLBACK") end
      return rows ~= nil
    end

    t.on_stop(function()
      if not t.leads() then return end
      t.step_down("asked to stop")
      if t.p.by == "lock" then ask("COMMIT") else ask("DELETE FROM mutex WHERE holder = $1", t.identity) end
    end)
    while true do
      if not t.leads() then
        local mine
        if t.p.by == "lock" then mine = lock() else mine = insert() end
        if mine then t.believe{open = true} end
      elseif t.p.by == "lock" and not ask("SELECT 1 AS alive") then
        t.step_down("the transaction is lost")
      end
      t.sleep(t.p.poll_period)
    end
  end,
}
