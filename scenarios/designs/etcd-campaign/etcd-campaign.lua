-- A lease in etcd with a key on it: who puts the key leads, the others watch it, and campaign when it is deleted.
--
-- Source: a published decision record (article 003: lease TTL 15 s, refreshed every third of it, a watch on the key, a
-- campaign on DELETE). By default this is the record with its four weaknesses repaired. Each can be had back, and
-- etcd-campaign-as-printed has all four:
-- - `put = "plain"`: the put does not ask whether somebody has the key, and overwrites it.
-- - `keeps_lease = false`: the lease is not kept where the refresh looks for it, so nobody refreshes it.
-- - `lost_lease = "ignored"`: a refresh that fails, or that says that the lease is gone, ends no leadership.
-- - `watch_from = "now"`: a deletion between the failed campaign and the watch is missed, and nothing else wakes the
--   standby: there is one campaign for each DELETE that is seen, and none when a watch breaks.
--
-- A keepalive is answered by one server, which takes itself for etcd's leader. If its disk stands still, it goes on
-- doing so while others have elected another one (etcd-io/etcd issue 15247), in releases before 3.4.31, 3.5.13 and
-- 3.6.0: later ones ask a majority first, which the fault's `confirms` says. With `renews_by = "commit"` the leader
-- moves its key to a new lease each time, for which any release needs a majority.
return {
  name = "etcd-campaign",
  summary = "a key on a lease of etcd; standbys watch it, and campaign when it is deleted",

  parameters = {
    lease_ttl = { default = "15s", min = "2s", doc = "whole seconds; etcd grants two at least" },
    refresh_period = { default = "5s", min = "1ms", doc = "between two refreshes; the record has TTL/3" },
    request_timeout = { default = "3s", min = "1ms", doc = "how long a request may hang" },
    watch_timeout = { default = "60s", min = "1s", doc = "when a connection that says nothing is given up" },
    retry_period = { default = "1s", min = "1ms", doc = "between attempts that etcd has not answered" },
    put = { default = "if-absent", choices = { "if-absent", "plain" }, doc = "whether the put asks for the key" },
    keeps_lease = { default = true, doc = "whether the leader refreshes the lease that it has" },
    renews_by = { default = "keepalive", choices = { "keepalive", "commit" }, doc = "what a refresh asks etcd for" },
    lost_lease = { default = "steps-down", choices = { "steps-down", "ignored" }, doc = "what a lost lease means" },
    watch_from = { default = "answer", choices = { "answer", "now" }, doc = "the first event that the watch sees" },
  },

  stores = { "etcd" },

  claims = {
    ["one-believer"] = { "rates-equal", "no-mono-freeze", "no-lost-commits", passes = true },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- A lease ends T after its last refresh, and etcd looks every half second. Then a watch tells, and a grant and a put
  -- follow. A watch that has just been given up costs a retry_period more.
  failover = function(p, d)
    if p.put == "plain" or not p.keeps_lease or p.watch_from == "now" then return end
    local ttl, look = d.duration("1s") * (p.lease_ttl // "1s"), d.duration("500ms")
    return {
      least = ttl - p.refresh_period - d.trip.most - d.departure + d.trip.least * 3,
      mean = ttl - (p.refresh_period + d.trip.mean) // 2 + look // 2 + d.trip.mean * 3,
      most = ttl + look + p.retry_period + d.trip.most * 3,
      formula = "T - A + E + 3 d, with A in [0, H + d], E in [0, 0.5s]",
    }
  end,

  node = function(t)
    local etcd = t.store("etcd")
    local timeout = t.p.request_timeout
    local seconds = t.p.lease_ttl // t.duration("1s")
    local lease, leads = nil, false

    -- The lease ends no earlier than its TTL after the request left.
    local function believe(since)
      leads = true
      if t.p.lost_lease == "ignored" then
        t.believe{open = true}
      else
        t.believe{until_mono = since + t.p.lease_ttl}
      end
    end

    -- Whether it won; and if somebody else has the key, the first revision that this answer says nothing of.
    local function campaign()
      local since = t.mono()
      local granted = etcd.lease_grant{ttl = seconds, timeout = timeout}
      if not granted then return false end
      local put = { key = "leader", value = t.identity, lease = granted.id }
      local won, after
      if t.p.put == "plain" then
        won = etcd.put{key = put.key, value = put.value, lease = put.lease, timeout = timeout} ~= nil
      else
        local done = etcd.txn{
          compare = { { key = "leader", create_revision = 0 } }, success = { { put = put } }, timeout = timeout }
        won, after = done and done.succeeded, done and done.revision + 1
      end
      if not won then
        etcd.lease_revoke{id = granted.id, timeout = timeout} -- an unknown put goes with it
        return false, after
      end
      lease = granted.id
      believe(since)
      return true
    end

    local function lose(why)
      if t.p.lost_lease == "ignored" then return end
      leads = false
      t.step_down(why)
    end

    -- Whether the lease is kept; nil: nobody says so.
    local function refresh()
      if t.p.renews_by == "keepalive" then
        local kept = etcd.lease_keep_alive{id = lease, timeout = timeout}
        return kept and kept.ttl > 0
      end
      local granted = etcd.lease_grant{ttl = seconds, timeout = timeout}
      local moved = granted and etcd.txn{
        compare = { { key = "leader", value = t.identity } },
        success = { { put = { key = "leader", value = t.identity, lease = granted.id } } }, timeout = timeout }
      if not moved then return nil end
      local former = moved.succeeded and lease or granted.id
      t.spawn(function() etcd.lease_revoke{id = former, timeout = timeout} end)
      if moved.succeeded then lease = granted.id end
      return moved.succeeded
    end

    local function refresh_while_leading()
      while leads do
        t.sleep(t.p.refresh_period)
        if not leads then break end
        if t.p.keeps_lease then
          local since = t.mono()
          local kept = refresh()
          if kept and leads then
            believe(since)
          elseif kept == false and leads then
            lose("the lease is gone")
          elseif leads and t.p.lost_lease == "steps-down" and not t.leads() then
            lose("nobody answers, and the lease may be gone")
          end
        end
      end
    end

    -- Until the key is deleted. Without an answer that is not known, and the next campaign finds out.
    local function wait_for_delete(after)
      while true do
        local told = etcd.watch{key = "leader", start_revision = after, timeout = t.p.watch_timeout}
        if not told or told.compact_revision > 0 then
          t.sleep(t.p.retry_period)
          if t.p.watch_from == "answer" then return end
          after = nil
        else
          for _, event in ipairs(told.events) do
            if event.type == "DELETE" then return end
          end
          after = told.revision + 1
        end
      end
    end

    t.on_stop(function()
      if not leads then return end
      leads = false
      t.step_down("asked to stop")
      etcd.lease_revoke{id = lease, timeout = timeout}
    end)

    while true do
      local won, after = campaign()
      if won then
        refresh_while_leading()
      elseif t.p.watch_from == "now" then
        wait_for_delete(nil)
      elseif after then
        wait_for_delete(after)
      else
        t.sleep(t.p.retry_period)
      end
    end
  end,
}
