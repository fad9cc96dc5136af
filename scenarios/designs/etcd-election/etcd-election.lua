-- etcd's own election: a session whose lease is kept alive, a key of one's own for each candidate, and the one that was
-- created first leads. Each waits for the deletion of the one before it.
--
-- Source: go.etcd.io/etcd 3.4.23, clientv3/concurrency (session.go, election.go, key.go) and clientv3/lease.go,
-- which do the same in 3.6.14 (client/v3), with their defaults: a TTL of 60 s, a keepalive every third of it by
-- a loop that looks every 500 ms, and Done closed by a loop that looks every second whether the TTL has gone by
-- since the last answer. A caller campaigns, leads until its session is done, and begins with a new session.
--
-- - `watch_done = false`: the caller takes the return of Campaign for a leadership, and does not look at Done. Campaign
--   itself does not (etcd-io/etcd issue 19597).
-- - The token is the revision that created the key.
-- - Left out: Proclaim, Observe, Resume, and leases that several sessions share.
return {
  name = "etcd-election",
  summary = "etcd's election: the candidate whose key was created first leads",
  tokens = true,

  parameters = {
    session_ttl = { default = "60s", min = "2s", doc = "whole seconds" },
    request_timeout = { default = "5s", min = "1ms", doc = "how long a request may hang" },
    watch_timeout = { default = "60s", min = "1s", doc = "when a connection that says nothing is given up" },
    retry_period = { default = "1s", min = "1ms", doc = "before the next session after an error" },
    watch_done = { default = true, doc = "whether the caller gives up when its session is done" },
  },

  stores = { "etcd" },

  claims = {
    ["acts-within-belief"] = {},
    ["one-holder-per-epoch"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- The keepalive leaves at the first look, of every 500 ms, that is a third of T after the last answer. The next
  -- candidate is told by its watch, and reads once more.
  failover = function(p, d)
    local ttl, look = d.duration("1s") * (p.session_ttl // "1s"), d.duration("500ms")
    local period = look * ((ttl // 3 + d.trip.mean) // look + 1)
    return {
      least = ttl - period - look - d.departure + d.trip.least * 2,
      mean = ttl - period // 2 + look // 2 + d.trip.mean * 2,
      most = ttl + look + p.retry_period + d.trip.most * 2,
      formula = "T - A + E + 2 d, with A in [0, T/3 up to the next look], E in [0, 0.5s]",
    }
  end,

  node = function(t)
    local etcd = t.store("etcd")
    local timeout, ttl = t.p.request_timeout, t.p.session_ttl
    local session = nil

    -- clientv3/lease.go: the loops of KeepAlive.
    local function keep_alive(of)
      local next, deadline = t.mono(), t.mono() + "5s"
      of.sender = t.spawn(function()
        while true do
          if t.mono() >= next then
            t.spawn(function()
              local kept = etcd.lease_keep_alive{id = of.lease, timeout = timeout}
              if kept and kept.ttl > 0 then
                next, deadline = t.mono() + ttl // 3, t.mono() + ttl
              elseif kept then
                of.done.set(true)
              end
            end)
          end
          t.sleep("500ms")
        end
      end)
      of.reaper = t.spawn(function()
        repeat t.sleep("1s") until deadline < t.mono()
        of.done.set(true)
      end)
    end

    local function new_session()
      local granted = etcd.lease_grant{ttl = ttl // t.duration("1s"), timeout = timeout}
      if not granted then return nil end
      local made = { lease = granted.id, key = "leader/" .. granted.id, done = t.event() }
      keep_alive(made)
      return made
    end

    local function orphan(of)
      of.sender.cancel()
      of.reaper.cancel()
    end

    -- key.go: waits for the key before this one, until there is none.
    local function wait_deletes(before)
      while true do
        local found = etcd.get{
          key = "leader/", range_end = "leader0", max_create_revision = before, timeout = timeout }
        if not found then return false end
        local last = nil
        for _, kv in ipairs(found.kvs) do
          if last == nil or kv.create_revision > last.create_revision then last = kv end
        end
        if last == nil then return true end
        local from, deleted = found.revision, false
        while not deleted do
          local told = etcd.watch{key = last.key, start_revision = from, timeout = t.p.watch_timeout}
          if told and told.compact_revision > 0 then return false end
          for _, event in ipairs(told and told.events or {}) do deleted = deleted or event.type == "DELETE" end
          if told then
            from = told.revision + 1
          else
            t.sleep(t.p.retry_period)
          end
        end
      end
    end

    -- Whether this candidate is elected.
    local function campaign(as)
      local done = etcd.txn{
        compare = { { key = as.key, create_revision = 0 } },
        success = { { put = { key = as.key, value = t.identity, lease = as.lease } } },
        failure = { { get = { key = as.key } } }, timeout = timeout }
      if not done then return false end
      as.revision = done.succeeded and done.revision or done.responses[1].get_response.kvs[1].create_revision
      return wait_deletes(as.revision - 1)
    end

    t.on_stop(function()
      if session == nil then return end
      local of = session
      session = nil
      if t.leads() then t.step_down("asked to stop") end
      orphan(of)
      etcd.lease_revoke{id = of.lease, timeout = timeout}
    end)

    while true do
      session = new_session()
      local mine = session
      if mine and campaign(mine) and session == mine then
        t.believe{open = true, token = mine.revision}
        if not t.p.watch_done then t.event().wait("8000h") end
        mine.done.wait("8000h")
        if session == mine then t.step_down("the session is done") end
      end
      if mine and session == mine then
        orphan(mine)
        etcd.lease_revoke{id = mine.lease, timeout = timeout}
      end
      t.sleep(t.p.retry_period)
    end
  end,
}
