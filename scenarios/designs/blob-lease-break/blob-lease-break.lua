-- Breaking the lease of an Azure blob: an operator, or an instance that is new, ends another one's lease
-- without its id.
--
-- Source: "Lease Blob" of Azure Storage's REST interface (sim/stores/blob_lease/README.md); no client of
-- Microsoft's does this alone, and the times are this file's. A new instance breaks the lease that it finds,
-- once in its life, and waits for as long as the answer says. The leader learns of it at its next renewal.
-- `break_period` says when the lease ends:
--   rest   with no period: when what is left of the lease is over
--   now    with a period of zero: at once
-- `trust` says what ends a leadership: a refused renewal alone ("answers"), or the lease's end as well, since
-- the last renewal left, on the machine's own clock ("clock").
return {
  name = "blob-lease-break",
  summary = "a lease on a blob; a new instance breaks the lease that it finds",

  parameters = {
    lease_duration = { default = "15s", min = "15s", max = "60s", doc = "for how long the blob is leased" },
    renew_period = { default = "5s", min = "1ms", doc = "between two renewals" },
    acquire_period = { default = "1s", min = "1ms", doc = "between two attempts of a standby" },
    request_timeout = { default = "2s", min = "1ms", doc = "how long a request may hang" },
    break_period = { default = "rest", choices = { "rest", "now" }, doc = "when a broken lease ends" },
    trust = { default = "clock", choices = { "clock", "answers" }, doc = "what ends a leadership" },
  },

  stores = { "blob-lease" },

  claims = {
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "wall-in-step", "no-store-step", "prompt-at-rest" },
  },

  node = function(t)
    local service = t.store("blob-lease")
    local timeout = t.p.request_timeout
    local lease = nil

    local function believe(since)
      if t.p.trust == "clock" then
        t.believe{until_mono = since + t.p.lease_duration}
      else
        t.believe{open = true}
      end
    end
    local function lose(why)
      lease = nil
      if t.leads() then t.step_down(why) end
    end

    t.on_stop(function()
      if lease == nil then return end
      local released = lease
      lose("asked to stop")
      service.release_lease{blob = "leader", lease_id = released, timeout = timeout}
    end)

    local broken = service.break_lease{
      blob = "leader", break_period = t.p.break_period == "now" and "0s" or nil, timeout = timeout }
    if broken then t.sleep(broken.lease_time) end

    while true do
      local since = t.mono()
      if lease == nil then
        local got = service.acquire_lease{
          blob = "leader", lease_duration = t.p.lease_duration, proposed_lease_id = t.identity,
          timeout = timeout }
        if got then
          lease = got.lease_id
          believe(since)
        end
      else
        local kept, err = service.renew_lease{blob = "leader", lease_id = lease, timeout = timeout}
        if kept and lease then
          believe(since)
        elseif lease and (err.kind == "failed" or (t.p.trust == "clock" and not t.leads())) then
          lose("the lease is over, broken, or another's")
        end
      end
      t.sleep(lease and t.p.renew_period or t.p.acquire_period)
    end
  end,
}
