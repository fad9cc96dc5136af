-- Curator's leader election on ZooKeeper: each candidate has an ephemeral sequential node, and the lowest one
-- leads. Each of the others watches the node before its own.
--
-- Source: apache/curator 5.9.0, recipes/leader/LeaderLatch.java (reset, checkLeadership, handleStateChange,
-- internalClose) and LeaderSelector.java, locks/LockInternals.java, ConnectionStateManager.java, with their
-- defaults: a session of 60 s, of which a default server grants 40; protection for the create. ZooKeeper's
-- client, 3.9.3 (ClientCnxn, ClientCnxnSocketNIO): a ping after a third of the timeout without a request, a
-- connection that is given up after two thirds without an answer, up to a second before the next one.
--
-- - A connection that is given up is SUSPENDED 100 ms later: the client closes its socket, and sleeps. With
--   the standard policy that ends leadership. With `policy = "session"` (SessionConnectionStateErrorPolicy)
--   only LOST does: a session that has ended, as the server says when the client is back, or as Curator says
--   when a session's time has gone by since SUSPENDED, on the wall clock. Curator then begins a new session.
-- - A LeaderLatch keeps its node while it is suspended. On RECONNECTED it looks at all nodes again. If it
--   cannot read its own one, or that is of another session, it makes a new one, at the end of the queue
--   (curator#1018: `check_owner = false` is 5.6.0, without that).
-- - A LeaderSelector (`recipe = "selector"`, with autoRequeue, and a LeaderSelectorListenerAdapter as its
--   listener) gives up its node instead, and goes to the end of the queue.
-- - Neither has a token.
-- - Left out: listeners on executors of their own, the steps of a RetryPolicy within retry_time.
return {
  name = "zookeeper-latch",
  summary = "Curator's LeaderLatch: the lowest of the candidates' ephemeral nodes leads",

  parameters = {
    recipe = { default = "latch", choices = { "latch", "selector" }, doc = "LeaderLatch, or LeaderSelector" },
    session_timeout = { default = "60s", min = "4s", doc = "asked for; a default server grants 40 s" },
    request_timeout = { default = "15s", min = "1ms", doc = "how long a connection may take to be made" },
    retry_time = { default = "20s", min = "1ms", recovery = false,
                   doc = "how long a request is retried, as by ExponentialBackoffRetry(1000, 3)" },
    policy = { default = "standard", choices = { "standard", "session" }, doc = "SUSPENDED or LOST ends it" },
    check_owner = { default = true, doc = "whether a latch's own node has to be of this session" },
  },

  stores = { "zookeeper" },

  claims = {
    ["one-believer"] = { "rates-equal", "no-pause", "prompt-store", "no-mono-freeze" },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- A default server grants up to 40 s, is pinged each third of that, and ends a session at the tick of 2 s
  -- after its time. The next candidate is told by its watch; it lists the nodes and reads its own.
  failover = function(p, d)
    local granted, tick = d.duration("40s"), d.duration("2s")
    if p.session_timeout < granted then granted = p.session_timeout end
    local period = granted // 3
    return {
      least = granted - period - d.trip.most - d.departure + d.trip.least * 3,
      mean = granted - (period + d.trip.mean) // 2 + tick // 2 + d.trip.mean * 3,
      most = granted + tick + d.trip.most * 3,
      formula = "S - A + E + 3 d, with A in [0, S/3 + d], E in [0, a tick]",
    }
  end,

  node = function(t)
    local zookeeper = t.store("zookeeper")
    local is_latch = t.p.recipe == "latch"
    local session, granted, heard = nil, nil, t.mono()
    local connection = nil        -- `lost`: ZooKeeper's client gives it up; `closed`: Curator hears of that
    local back = t.event()        -- set with the next connection
    local our_path, watched, created, turn = nil, nil, 0, 0
    local closed = false

    local function set_leadership(value)
      if value and not t.leads() and not closed then t.believe{open = true} end
      if not value and t.leads() then t.step_down("not the lowest node, or not connected") end
    end

    -- One attempt; nil when it has failed, and the server's code or CONNECTIONLOSS.
    local function attempt(name, request)
      local own = connection
      if not own then return nil, "CONNECTIONLOSS" end
      request.session = session
      request.timeout = heard + granted * 2 // 3 - t.mono()
      if request.timeout > t.duration("0s") then
        local res, err = zookeeper[name](request)
        local code = err and (err.kind == "failed" and err.code or "CONNECTIONLOSS")
        if code ~= "CONNECTIONLOSS" and code ~= "SESSIONMOVED" then
          if own == connection then heard = t.mono() end
          return res, code
        end
      end
      own.lost.set(true)
      own.closed.wait("8000h")
      return nil, "CONNECTIONLOSS"
    end

    local function ask(name, request)
      local begun = t.mono()
      while true do
        local res, code = attempt(name, request)
        local left = begun + t.p.retry_time - t.mono()
        if code ~= "CONNECTIONLOSS" or left <= t.duration("0s") then return res, code end
        back.wait(left)
      end
    end

    -- A guaranteed delete.
    local function drop(path)
      t.spawn("delete", function()
        repeat local _, code = ask("delete", {path = path}) until code ~= "CONNECTIONLOSS"
      end)
    end

    -- The node whose name has this mark, and the server's code.
    local function find(mark)
      local listed, code = ask("get_children", {path = "/latch"})
      for _, name in ipairs(listed and listed.children or {}) do
        if string.find(name, mark, 1, true) then return "/latch/" .. name end
      end
      return nil, code
    end

    -- A new node, at the end of the queue. Protection: its name has a mark by which it is found if it was
    -- made although the answer was lost.
    local function create()
      created = created + 1
      local mark = "_c_" .. t.identity .. "." .. created .. "-"
      while true do
        local owner = session
        local made, code = attempt("create", {path = "/latch/" .. mark .. "latch-", data = t.identity,
                                              ephemeral = true, sequential = true})
        if made then return made.path end
        if code == "NONODE" then ask("create", {path = "/latch", data = ""}) end
        local found, gone = find(mark)
        if found and session == owner then return found end
        if found then drop(found) end
        if gone == "CONNECTIONLOSS" then
          t.spawn("find and delete", function()
            repeat found, gone = find(mark) until gone ~= "CONNECTIONLOSS"
            if found then drop(found) end
          end)
          return nil
        end
      end
    end

    local check                   -- looks at all nodes

    -- LeaderLatch.reset, and an election of LeaderSelector. A later one puts an end to it.
    local function reset()
      set_leadership(false)
      if our_path then drop(our_path) end
      our_path, turn = nil, turn + 1
      local own_turn, path = turn, nil
      repeat path = create() until path or is_latch or turn ~= own_turn
      if not path then return end
      if closed or turn ~= own_turn then return drop(path) end
      our_path = path
      check()
    end

    -- The digits at the end, which are in order whatever is before them.
    local function number_of(name) return tonumber(string.sub(name, #name - 9)) end

    check = function()
      local listed, code = ask("get_children", {path = "/latch"})
      if not our_path and not is_latch then return end
      if not listed then
        if code == "NONODE" or not is_latch then reset() end
        return
      end
      local mine, found, before = our_path, false, nil
      for _, name in ipairs(listed.children) do
        if "/latch/" .. name == mine then found = true end
      end
      if not found then return reset() end
      for _, name in ipairs(listed.children) do
        local lower = number_of(name) < number_of(mine)
        if lower and (not before or number_of(name) > number_of(before)) then before = name end
      end
      if before then
        set_leadership(false)
        watched = "/latch/" .. before
        local _, gone = ask("get_data", {path = watched, watch = true})
        if gone == "NONODE" then return check() end
        if gone and not is_latch then reset() end
        return
      end
      watched = nil
      if is_latch and t.p.check_owner then
        local own = ask("get_data", {path = mine})
        if not own or own.stat.ephemeral_owner ~= session then return reset() end
      end
      set_leadership(true)
    end

    -- SUSPENDED or LOST, as the policy has it.
    local function end_leadership()
      set_leadership(false)
      if not is_latch then t.spawn(reset) end
    end

    -- ClientCnxn.SendThread, for one connection.
    local function stay_connected(own)
      local pings = t.spawn(function()
        while true do
          t.sleep(granted // 3)
          -- No event is lost on a connection that goes on. Here its answer may be, so the ping looks as well.
          local path = watched
          local seen = attempt(path and "exists" or "ping", {path = path})
          if path and seen and not seen.stat then t.spawn(check) end
        end
      end)
      local reads = t.spawn(function()
        while true do
          local event, err = zookeeper.next_event{session = session, timeout = "8000h"}
          if not event then
            own.lost.set(true)
            return
          end
          heard = t.mono()
          if event.type == "NodeDeleted" then t.spawn(check) end
        end
      end)
      local watch = t.spawn(function()
        while t.mono() - heard < granted * 2 // 3 do t.sleep(heard + granted * 2 // 3 - t.mono()) end
        own.lost.set(true)
      end)
      own.lost.wait("8000h")
      pings.cancel()
      reads.cancel()
      watch.cancel()
    end

    t.on_stop(function()
      closed = true
      set_leadership(false)  -- at once: the delete is sent in the background, and nobody waits for its answer
      if our_path then attempt("delete", {path = our_path}) end
      attempt("close", {})
    end)

    local started = false
    local expiry = nil            -- the task that ends a suspended session

    while not closed do
      local asked = session
      local answer, err = zookeeper.connect{
        session_timeout = t.p.session_timeout, session = asked, timeout = t.p.request_timeout }
      if answer and asked == session then
        if expiry then expiry.cancel() end
        session, granted, heard = answer.session, answer.session_timeout, t.mono()
        local own = { lost = t.event(), closed = t.event() }
        connection = own
        back.set(true)
        if not started then
          t.spawn(reset)
        elseif is_latch and (t.p.check_owner or t.p.policy == "standard" or not t.leads()) then
          t.spawn(check)
        end
        started = true
        stay_connected(own)
        t.sleep("100ms")
        connection, back = nil, t.event()
        own.closed.set(true)
        if t.p.policy == "standard" then end_leadership() end
        expiry = t.spawn(function()
          local since = t.wall()
          repeat t.sleep(granted - (t.wall() - since)) until t.wall() - since >= granted
          session = nil
          end_leadership()
        end)
      end
      if err and err.code == "SESSIONEXPIRED" and asked == session then
        if expiry then expiry.cancel() end
        session = nil
        end_leadership()
      else
        t.sleep(t.duration("1ms") * t.random(1000))
      end
    end
  end,
}
