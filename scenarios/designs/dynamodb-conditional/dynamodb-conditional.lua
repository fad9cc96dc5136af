-- One item in DynamoDB: an owner, and until when it owns the lease, in milliseconds of the clock of whoever wrote it. A
-- conditional update takes it when that time is over, or when it is one's own.
--
-- No single source: a pattern that articles on leader election with DynamoDB print, without times; 15 s and 5 s are
-- this file's. The expressions are DynamoDB's. The SDK tries again by itself when an attempt times out or is throttled,
-- three times in all (AWS SDKs, retry mode "standard"). The condition names the owner, so that its own first attempt
-- does not stand in the second one's way.
return {
  name = "dynamodb-conditional",
  summary = "an item with an owner and an end on the writer's clock, written under a condition",

  parameters = {
    lease_duration = { default = "15s", min = "1ms", doc = "for how long the item is taken" },
    renew_period = { default = "5s", min = "1ms", doc = "between two attempts" },
    request_timeout = { default = "2s", min = "1ms", doc = "how long one attempt of the SDK may hang" },
    sdk_attempts = { default = 3, min = 1, max = 100, doc = "how often the SDK tries" },
    sdk_backoff = { default = "100ms", min = "1ms", doc = "before its second attempt, at most; doubled each time" },
  },

  stores = { "dynamodb" },

  claims = {
    ["one-believer"] = { "wall-in-step", "rates-equal", "no-lost-commits", "prompt-store", passes = true },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "wall-in-step", "prompt-at-rest" },
  },

  failover = function(p, d)
    local gap = p.renew_period + d.trip.mean
    return {
      least = p.lease_duration - p.renew_period - d.trip.most - d.departure + d.trip.least,
      mean = p.lease_duration - gap // 2 + gap // (d.standbys + 1) + d.trip.mean,
      most = p.lease_duration + p.renew_period + d.trip.most * 2,
      formula = "T - A + Res + d, with A and Res in [0, G], G = R + d",
    }
  end,

  node = function(t)
    local table = t.store("dynamodb")

    local function with_retries(ask)
      local longest = t.p.sdk_backoff
      for attempt = 1, t.p.sdk_attempts do
        local res, err = ask()
        if res or err.kind == "failed" or attempt == t.p.sdk_attempts then return res, err end
        t.sleep(longest * t.random(1000) // 1000)
        longest = longest * 2
      end
    end

    local stopping = false
    t.on_stop(function()
      stopping = true
      if not t.leads() then return end
      t.step_down("asked to stop")
      with_retries(function()
        return table.delete_item{
          key = "leader", condition_expression = "#o = :me",
          expression_attribute_names = { ["#o"] = "owner" }, expression_attribute_values = { [":me"] = t.identity },
          timeout = t.p.request_timeout }
      end)
    end)

    while not stopping do
      local till = t.wall() + t.p.lease_duration
      local taken, err = with_retries(function()
        return table.update_item{
          key = "leader",
          update_expression = "SET #o = :me, lease_until = :until",
          condition_expression = "attribute_not_exists(#o) OR lease_until < :now OR #o = :me",
          expression_attribute_names = { ["#o"] = "owner" },
          expression_attribute_values = {
            [":me"] = t.identity, [":now"] = t.unix_ms(till - t.p.lease_duration), [":until"] = t.unix_ms(till) },
          timeout = t.p.request_timeout }
      end)
      if taken and not stopping then
        t.believe{until_wall = till}
      elseif err and err.kind == "failed" then
        t.step_down("somebody else has the item")
      end
      t.sleep(t.p.renew_period)
    end
  end,
}
