-- Leader election by a lease of an Azure blob, as Microsoft's cloud design patterns show it.
--
-- Source: Azure Architecture Center, "Leader Election pattern", BlobDistributedMutex and BlobLeaseManager
-- (mspnp/cloud-design-patterns at 37f7b5ef, leader-election): a lease of 15 s, the shortest; a renewal at most 10 s
-- after the start of the previous one; an attempt to acquire every 20 s. The leader's task runs until a renewal has
-- failed. There is no end of its own on the leader's clock.
--
-- The SDK tries a request again by itself, after what each attempt may take. Its defaults differ from version to
-- version; here it is three retries, after 5 s each, as in the sample's time.
return {
  name = "azure-blob-lease",
  summary = "a lease of 15 s on a blob, believed until a renewal fails",

  parameters = {
    lease_duration = { default = "15s", min = "15s", max = "60s", doc = "for how long the blob is leased" },
    renew_interval = { default = "10s", min = "1ms", doc = "from the start of one renewal to the next" },
    acquire_interval = { default = "20s", min = "1ms", doc = "between two attempts of a standby" },
    request_timeout = { default = "5s", min = "1ms", doc = "how long one attempt of the SDK may hang" },
    sdk_retries = { default = 3, min = 0, max = 100, doc = "how often the SDK tries again" },
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
      local begun = t.mono()
      for attempt = 0, t.p.sdk_retries do
        local res, err = ask()
        if res or err.kind == "failed" or attempt == t.p.sdk_retries then return res, err end
        t.sleep(begun + t.p.request_timeout * (attempt + 1) - t.mono())
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
          blob = "leader", lease_duration = t.p.lease_duration, proposed_lease_id = id, timeout = t.p.request_timeout }
      end)
      if acquired then
        lease = id
        t.believe{open = true}
        local begun = t.mono()
        local renewed = true
        while renewed and lease do
          t.sleep(begun + t.p.renew_interval - t.mono())
          begun = t.mono()
          renewed = lease and with_retries(function()
            return service.renew_lease{blob = "leader", lease_id = lease, timeout = t.p.request_timeout}
          end)
        end
        lease = nil
        t.step_down("the lease was not renewed")
      end
      t.sleep(t.p.acquire_interval)
    end
  end,
}
