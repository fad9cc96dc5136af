-- Amazon's lock client for DynamoDB: an item with a record version number, a UUID that each heartbeat replaces. Nobody
-- compares clocks: a contender takes the lock once it has seen one and the same number for the lease's length.
--
-- Source: github.com/awslabs/amazon-dynamodb-lock-client, 1.x: AmazonDynamoDBLockClient.java and LockItem.java, with
-- their defaults: leases of 20 s, a heartbeat every 5 s, a look every second. The holder's side is isExpired(): 20 s on
-- its own clock since the last heartbeat that was answered was sent. An instance asks for the lock for as long as it
-- lives; a caller of the client would do so in a loop.
--
-- - A heartbeat whose condition fails ends the lock for the client. The SDK tries again by itself when an answer is
--   lost, and then it is its own first attempt that has changed the number.
-- - Left out: data, metrics, session monitors, sort keys.
return {
  name = "dynamodb-lock-client",
  summary = "an item whose version changes with each heartbeat; who sees none for 20 s takes it",

  parameters = {
    lease_duration = { default = "20s", min = "1ms", doc = "how long the version may stay the same" },
    heartbeat_period = { default = "5s", min = "1ms", doc = "between two heartbeats" },
    refresh_period = { default = "1s", min = "1ms", doc = "between two looks of a contender" },
    request_timeout = { default = "2s", min = "1ms", doc = "how long one attempt of the SDK may hang" },
    sdk_attempts = { default = 3, min = 1, max = 100, doc = "how often the SDK tries" },
    sdk_backoff = { default = "100ms", min = "1ms", doc = "before its second attempt, at most; doubled each time" },
  },

  stores = { "dynamodb" },

  claims = {
    ["one-believer"] = { "rates-equal", "no-mono-freeze", "no-lost-commits", passes = true },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- A contender looks every G = R + d. It sees the last version at a look, and takes the lock at the first one that is
  -- answered more than T after that: k looks later.
  failover = function(p, d)
    local gap = p.refresh_period + d.trip.mean
    local k = (p.lease_duration - d.trip.mean) // gap + 1
    return {
      least = p.lease_duration - p.heartbeat_period - d.departure,
      mean = gap * k - p.heartbeat_period // 2 + gap // (d.standbys + 1) + d.trip.mean * 2,
      most = p.lease_duration + (p.refresh_period + d.trip.most) * 2 + d.trip.most * 2,
      formula = "k G - A + Res + 2 d, with A in [0, H], Res in [0, G], G = R + d, k = floor((T - d)/G) + 1",
    }
  end,

  node = function(t)
    local table = t.store("dynamodb")
    local own = nil -- the version that this instance has written last, while it has the lock

    local function version() return t.identity .. "/" .. t.random(1 << 40) end

    local function with_retries(ask)
      local longest = t.p.sdk_backoff
      for attempt = 1, t.p.sdk_attempts do
        local res, err = ask()
        if res or err.kind == "failed" or attempt == t.p.sdk_attempts then return res, err end
        t.sleep(longest * t.random(1000) // 1000)
        longest = longest * 2
      end
    end

    -- The lock is this instance's from the moment before the request left.
    local function take(condition, values)
      local since, mine = t.mono(), version()
      local taken = with_retries(function()
        return table.put_item{
          item = { key = "leader", owner = t.identity, rvn = mine },
          condition_expression = condition, expression_attribute_names = { ["#pk"] = "key" },
          expression_attribute_values = values, timeout = t.p.request_timeout }
      end)
      if not taken then return end
      own = mine
      t.believe{until_mono = since + t.p.lease_duration}
    end

    local function heartbeat()
      local since, mine = t.mono(), version()
      local sent, err = with_retries(function()
        return table.update_item{
          key = "leader", update_expression = "SET rvn = :new",
          condition_expression = "attribute_exists(#pk) AND rvn = :old AND #o = :me",
          expression_attribute_names = { ["#pk"] = "key", ["#o"] = "owner" },
          expression_attribute_values = { [":new"] = mine, [":old"] = own, [":me"] = t.identity },
          timeout = t.p.request_timeout }
      end)
      if sent and own then
        own = mine
        t.believe{until_mono = since + t.p.lease_duration}
      elseif err and err.kind == "failed" then
        own = nil
        t.step_down("somebody else has the lock, or an attempt of our own was first")
      end
    end

    t.on_stop(function()
      if own == nil then return end
      local released = own
      own = nil
      t.step_down("asked to stop")
      with_retries(function()
        return table.delete_item{
          key = "leader", condition_expression = "rvn = :mine", expression_attribute_values = { [":mine"] = released },
          timeout = t.p.request_timeout }
      end)
    end)

    local seen, seen_at = nil, nil
    while true do
      if own then
        local begun = t.mono()
        heartbeat()
        t.sleep(begun + t.p.heartbeat_period - t.mono())
        seen = nil
      else
        local asked_at = t.mono()
        local found = with_retries(function() return table.get_item{key = "leader", timeout = t.p.request_timeout} end)
        if found and found.item == nil then
          take("attribute_not_exists(#pk)", {})
        elseif found and found.item.rvn ~= seen then
          seen, seen_at = found.item.rvn, asked_at
        elseif found and t.mono() - seen_at > t.p.lease_duration then
          take("attribute_exists(#pk) AND rvn = :seen", { [":seen"] = seen })
        end
        if own == nil then t.sleep(t.p.refresh_period) end
      end
    end
  end,
}
