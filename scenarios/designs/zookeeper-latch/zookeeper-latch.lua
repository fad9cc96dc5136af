-- Curator's LeaderLatch on ZooKeeper: each candidate has an ephemeral sequential node, and the lowest one leads. Each
-- of the others watches the node before its own.
--
-- Source: apache/curator 5.9.0, recipes/leader/LeaderLatch.java (reset, checkLeadership, handleStateChange,
-- internalClose) and its defaults: a session of 60 s, of which a default server grants 40; protection for the create.
-- ZooKeeper's client (ClientCnxn of 3.8): a ping after a third of the timeout without a request, a connection that is
-- given up after two thirds without an answer, up to a second before the next one.
--
-- - A connection that is given up is SUSPENDED. With the standard policy that ends leadership. With
--   `policy = "session"` (SessionConnectionStateErrorPolicy) only LOST does: a session that has ended, as the server
--   says when the client is back, or as Curator says when a session's time has gone by since SUSPENDED.
-- - On RECONNECTED the latch looks at all nodes again. Its own node may be of a session that has ended and is not
--   closed yet (curator#1018): then it makes another one. `check_owner = false` leaves that out.
-- - LeaderLatch has no token.
-- - Left out: listeners on executors of their own, and retries of background requests but after a new connection.
return {
  name = "zookeeper-latch",
  summary = "Curator's LeaderLatch: the lowest of the candidates' ephemeral nodes leads",

  parameters = {
    session_timeout = { default = "60s", min = "4s", doc = "asked for; a default server grants 40 s at most" },
    request_timeout = { default = "15s", min = "1ms", doc = "how long a connection may take to be made" },
    policy = { default = "standard", choices = { "standard", "session" }, doc = "SUSPENDED ends leadership, or LOST" },
    check_owner = { default = true, doc = "whether its own node has to be of this session" },
  },

  stores = { "zookeeper" },

  claims = {
    ["one-believer"] = { "rates-equal", "no-pause", "prompt-store", "no-mono-freeze" },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- A default server grants up to 40 s, is pinged each third of that, and ends a session at the tick of 2 s after its
  -- time. The next candidate is told by its watch; it lists the nodes and reads its own.
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
    local session, granted, heard = nil, nil, t.mono()
    local lost = t.event()       -- set when this connection is given up
    local our_path, created = nil, 0
    local closed = false

    local function set_leadership(value)
      if value and not t.leads() and not closed then t.believe{open = true} end
      if not value and t.leads() then t.step_down("not the lowest node, or not connected") end
    end

    -- A request on the connection; nil when it has failed, or with the server's code.
    local function ask(name, request)
      request.session = session
      request.timeout = heard + granted * 2 // 3 - t.mono()
      if request.timeout <= t.duration("0s") then
        lost.set(true)
        return nil, "CONNECTIONLOSS"
      end
      local res, err = zookeeper[name](request)
      if res then
        heard = t.mono()
        return res
      end
      if err.kind == "failed" and err.code ~= "CONNECTIONLOSS" and err.code ~= "SESSIONMOVED" then
        heard = t.mono()
        return nil, err.code
      end
      lost.set(true)
      return nil, "CONNECTIONLOSS"
    end

    local check                   -- looks at all nodes

    -- LeaderLatch.reset: a node of our own, at the end of the queue. Protection: the name has an id by which a node is
    -- found that was made although the answer was lost.
    local function reset()
      set_leadership(false)
      if our_path then
        local old = our_path
        our_path = nil
        ask("delete", {path = old})
      end
      created = created + 1
      local mark = "_c_" .. t.identity .. "." .. created .. "-"
      ask("create", {path = "/latch", data = ""})
      local made, code = ask("create", {path = "/latch/" .. mark .. "latch-", data = t.identity, ephemeral = true,
                                        sequential = true})
      if made then
        our_path = made.path
        check()
      elseif code == "CONNECTIONLOSS" then
        our_path = "/latch/" .. mark
      end
    end

    -- The digits at the end, which are in order whatever is before them.
    local function number_of(name) return tonumber(string.sub(name, #name - 9)) end

    check = function()
      local listed, code = ask("get_children", {path = "/latch"})
      if not listed then
        if code == "NONODE" then reset() end
        return
      end
      local mine, before = nil, nil
      for _, name in ipairs(listed.children) do
        local path = "/latch/" .. name
        if our_path and string.find(path, our_path, 1, true) == 1 then mine = path end
      end
      if not mine then return reset() end
      our_path = mine
      for _, name in ipairs(listed.children) do
        local lower = number_of(name) < number_of(mine)
        if lower and (not before or number_of(name) > number_of(before)) then before = name end
      end
      if not before then
        local own = ask("get_data", {path = our_path})
        if own and t.p.check_owner and own.stat.ephemeral_owner ~= session then return reset() end
        if own then set_leadership(true) end
        return
      end
      set_leadership(false)
      local _, gone = ask("get_data", {path = "/latch/" .. before, watch = true})
      if gone == "NONODE" then check() end
    end

    -- ClientCnxn.SendThread, for one connection.
    local function stay_connected()
      local pings = t.spawn(function()
        while true do
          t.sleep(granted // 3)
          ask("ping", {})
        end
      end)
      local reads = t.spawn(function()
        while true do
          local event, err = zookeeper.next_event{session = session, timeout = "8000h"}
          if not event then
            lost.set(true)
            return
          end
          heard = t.mono()
          if event.type == "NodeDeleted" then t.spawn(check) end
        end
      end)
      local watch = t.spawn(function()
        while t.mono() - heard < granted * 2 // 3 do t.sleep(heard + granted * 2 // 3 - t.mono()) end
        lost.set(true)
      end)
      lost.wait("8000h")
      pings.cancel()
      reads.cancel()
      watch.cancel()
    end

    t.on_stop(function()
      closed = true
      set_leadership(false)  -- at once: the delete is sent in the background, and nobody waits for its answer
      if our_path and session then ask("delete", {path = our_path}) end
      if session then ask("close", {}) end
    end)

    local suspended = nil         -- the task that ends it as LOST

    while not closed do
      local answer, err = zookeeper.connect{
        session_timeout = t.p.session_timeout, session = session, timeout = t.p.request_timeout }
      if answer then
        lost = t.event()
        if suspended then suspended.cancel() end
        local is_new = session ~= answer.session
        session, granted, heard = answer.session, answer.session_timeout, t.mono()
        t.spawn(is_new and reset or check)
        stay_connected()
        if t.p.policy == "standard" then set_leadership(false) end
        suspended = t.spawn(function()
          t.sleep(granted)
          set_leadership(false)
        end)
      elseif err.kind == "failed" and err.code == "SESSIONEXPIRED" then
        session = nil
        set_leadership(false)
      end
      t.sleep(t.duration("1ms") * t.random(1000))
    end
  end,
}
