-- Leader election by a lease of an Azure blob, as Microsoft's cloud design patterns show it.
--
-- Source: Azure Architecture Center, "Leader Election pattern", BlobDistributedMutex and BlobLeaseManager
-- (mspnp/cloud-design-patterns at 0a47695, leader-election; at 37f7b5ef the election is the same): a lease
-- of 15 s, the shortest; a renewal at once, and each later one 10 s after the start of the one before; an
-- attempt to acquire every 20 s. The leader's task runs until a renewal has failed. It has no end on the
-- leader's clock. An instance that has lost the lease asks for it at once.
--
-- The sample lets the SDK try again three times, with a delay of 5 s: the pause after the first attempt,
-- which doubles, and varies by a fifth (Azure.Core's RetryPolicy and DelayStrategy). An attempt may take
-- 100 s, the default (RetryOptions.NetworkTimeout). So a renewal without an answer fails after some 435 s.
-- Left out: a Retry-After of the service, tokens of the identity service, and connections: an attempt ends
-- sooner where the system gives up connecting.
return {
  name = "azure-blob-lease",
  summary = "a lease of 15 s on a blob, believed until a renewal fails",

  parameters = {
    lease_duration = { default = "15s", min = "15s", max = "60s", doc = "for how long the blob is leased" },
    renew_interval = { default = "10s", min = "1ms", doc = "from the start of one renewal to the next" },
    acquire_interval = { default = "20s", min = "1ms", doc = "between two attempts of a standby" },
    request_timeout = { default = "100s", min = "1ms", doc = "how long one attempt of the SDK may take" },
    sdk_retries = { default = 3, min = 0, max = 100, doc = "how often the SDK tries again" },
    sdk_delay = { default = "5s", min = "1ms", doc = "before the SDK tries again; doubled each time" },
  },

  stores = { "blob-lease" },

  claims = {
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "no-store-step", "prompt-at-rest" },
  },

  failover = function(p, d)
    local gap = p.acquire_interval + d.trip.mean
    return {
      least = p.lease_duration - p.renew_interval - d.trip.width - d.departure,
      mean = p.lease_duration - p.renew_interval // 2 + gap // (d.standbys + 1) + d.trip.mean,
      most = p.lease_duration + p.acquire_interval + d.trip.most * 2,
      formula = "T - A + Res + d, with A in [0, H], Res in [0, P + d]",
    }
  end,

  node = function(t)
    local service = t.store("blob-lease")
    local lease = nil

    local function with_retries(ask)
      local delay = t.p.sdk_delay
      for attempt = 0, t.p.sdk_retries do
        local res, err = ask()
        if res or err.kind == "failed" or attempt == t.p.sdk_retries then return res, err end
        local pause = delay * (799 + t.random(400)) // 1000
        t.sleep(pause < t.duration("1m") and pause or t.duration("1m"))
        delay = delay * 2
      end
    end

    t.on_stop(function()
      if lease == nil then return end
      local released = lease
      lease = nil
      t.step_down("asked to stop")
      with_retries(function()
        return service.release_lease{blob = "leader", lease_id = released, timeout = t.p.request_timeout}
      end)
    end)

    while true do
      local id = t.identity .. "/" .. t.random(1 << 40)
      local acquired = with_retries(function()
        return service.acquire_lease{
          blob = "leader", lease_duration = t.p.lease_duration, proposed_lease_id = id,
          timeout = t.p.request_timeout }
      end)
      if acquired then
        lease = id
        t.believe{open = true}
        while lease do
          local begun = t.mono()
          local renewed = with_retries(function()
            return service.renew_lease{blob = "leader", lease_id = id, timeout = t.p.request_timeout}
          end)
          if not renewed then break end
          t.sleep(begun + t.p.renew_interval - t.mono())
        end
        lease = nil
        t.step_down("the lease was not renewed")
      else
        t.sleep(t.p.acquire_interval)
      end
    end
  end,
}
