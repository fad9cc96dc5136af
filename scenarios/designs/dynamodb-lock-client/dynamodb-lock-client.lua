-- Amazon's lock client for DynamoDB: an item with a record version number, a UUID that each heartbeat
-- replaces. Nobody compares clocks: a contender takes the lock once it has seen the same number for the
-- lease's length.
--
-- Source: awslabs/amazon-dynamodb-lock-client 1.4.0 (commit 359bdc2), AmazonDynamoDBLockClient.java
-- (acquireLock, sendHeartbeat, run, releaseLock) and LockItem.java, with their defaults: leases of 20 s, a
-- heartbeat every 5 s, a look every second. The program is ours: it calls acquireLock again and again, leads
-- while hasLock says so, then releases the lock and calls again. request_timeout, sdk_attempts and
-- sdk_backoff are its settings of the SDK.
--
-- - acquireLock gives up after additional_wait, and a lease more once it has found a lock. The next call has
--   seen nothing yet. So a version counts only if it was seen early in a call: a failover takes up to two
--   leases.
-- - No heartbeat is sent for an item that has expired on the holder's clock: the client forgets the lock.
-- - A heartbeat whose condition fails ends the lock for the client. The SDK tries again when an answer is
--   lost, and then its own first attempt has changed the number.
-- - A release waits for the heartbeat in flight.
-- - Left out: data, metrics, session monitors, sort keys, shouldSkipBlockingWait,
--   holdLockOnServiceUnavailable, and errors of the service (5xx), which end a call of acquireLock at once.
return {
  name = "dynamodb-lock-client",
  summary = "an item whose version changes with each heartbeat; who sees none for 20 s takes it",

  parameters = {
    lease_duration = { default = "20s", min = "1ms", doc = "how long the version may stay the same" },
    heartbeat_period = { default = "5s", min = "1ms", doc = "between two heartbeats" },
    refresh_period = { default = "1s", min = "1ms", doc = "between two looks of a contender" },
    additional_wait = { default = "1s", min = "1ms", recovery = false,
                        doc = "how long a call of acquireLock lasts beyond the lease" },
    request_timeout = { default = "2s", min = "1ms", doc = "how long one attempt of the SDK may hang" },
    sdk_attempts = { default = 3, min = 1, max = 100, doc = "how often the SDK tries" },
    sdk_backoff = { default = "100ms", min = "1ms", doc = "the longest pause before the second attempt" },
  },

  validate = function(p)
    if p.lease_duration < p.heartbeat_period * 2 then
      return { { "heartbeat_period", "heartbeat_period must be at most half of lease_duration" } }
    end
  end,

  stores = { "dynamodb" },

  claims = {
    ["one-believer"] = { "rates-equal", "no-mono-freeze", "no-lost-commits", passes = true },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- A contender looks every G = R + d, takes the lock m looks after it first saw the version, and calls anew
  -- every P. A version counts that is seen at one of a call's first s + 1 looks, so the wait W for one
  -- is at most P - s G. The mean is that of the least of as many waits as there are standbys.
  failover = function(p, d)
    local whole = 1000000
    local gap = p.refresh_period + d.trip.mean
    local m = p.lease_duration // gap + 1
    local looks = (p.lease_duration + p.additional_wait - d.trip.mean) // gap + 1
    local s, call = looks - m, gap * looks + d.trip.mean
    local late = whole
    for _ = 0, d.standbys do late = late * ((call - gap * (s + 1)) // (call // whole)) // whole end
    local wait = call // whole * ((whole - late) // (s + 1) + late) // (d.standbys + 1)
    local longest = p.lease_duration + (p.refresh_period + d.trip.most) * 2
    return {
      least = p.lease_duration - p.heartbeat_period - d.departure,
      mean = gap * m - p.heartbeat_period // 2 + wait + d.trip.mean * 2,
      most = longest * 2 + d.trip.most * 2,
      formula = "m G - A + W + 2 d, with A in [0, H], W in [0, P - s G], G = R + d, m = floor(T/G) + 1",
    }
  end,

  node = function(t)
    local table = t.store("dynamodb")
    local locks = nil   -- the item for which the client sends heartbeats
    local held = nil    -- the item that the program has got from acquireLock
    local lost = nil    -- set when the client forgets it
    local sending = nil -- a heartbeat in flight
    local closed = false

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
      if not taken or closed then return end
      held, lost = { version = mine, expires = since + t.p.lease_duration }, t.event()
      locks = held
      t.believe{until_mono = held.expires}
    end

    -- One call of acquireLock.
    local function acquire()
      local called, wait = t.mono(), t.p.additional_wait
      local seen, seen_at = nil, nil
      while true do
        local found = with_retries(function()
          return table.get_item{key = "leader", timeout = t.p.request_timeout}
        end)
        if found and found.item == nil then
          take("attribute_not_exists(#pk)", {})
        elseif found and found.item.rvn ~= seen then
          if seen == nil then wait = wait + t.p.lease_duration end
          seen, seen_at = found.item.rvn, t.mono()
        elseif found and t.mono() - seen_at > t.p.lease_duration then
          take("attribute_exists(#pk) AND rvn = :seen", { [":seen"] = seen })
        end
        if held or closed or t.mono() - called > wait then return end
        t.sleep(t.p.refresh_period)
      end
    end

    local function heartbeat()
      local item = locks
      if item == nil then return end
      if t.mono() >= item.expires then
        locks = nil
        return
      end
      local since, mine = t.mono(), version()
      sending = t.event()
      local sent, err = with_retries(function()
        return table.update_item{
          key = "leader", update_expression = "SET rvn = :new",
          condition_expression = "attribute_exists(#pk) AND rvn = :old AND #o = :me",
          expression_attribute_names = { ["#pk"] = "key", ["#o"] = "owner" },
          expression_attribute_values = { [":new"] = mine, [":old"] = item.version, [":me"] = t.identity },
          timeout = t.p.request_timeout }
      end)
      if sent then
        item.version, item.expires = mine, since + t.p.lease_duration
        if item == locks then t.believe{until_mono = item.expires} end
      elseif err.kind == "failed" and item == locks then
        locks = nil
        t.step_down("somebody else has the lock, or an attempt of our own was first")
        lost.set(true)
      end
      sending.set(true)
      sending = nil
    end

    local function release()
      local item = held
      held, locks = nil, nil
      if sending then sending.wait("8000h") end
      with_retries(function()
        return table.delete_item{
          key = "leader", condition_expression = "rvn = :mine",
          expression_attribute_values = { [":mine"] = item.version }, timeout = t.p.request_timeout }
      end)
    end

    t.on_stop(function()
      closed = true
      if held == nil then return end
      t.step_down("asked to stop")
      release()
    end)

    t.spawn("heartbeats", function()
      while true do
        local begun = t.mono()
        heartbeat()
        t.sleep(begun + t.p.heartbeat_period - t.mono())
      end
    end)

    while not closed do
      acquire()
      while held and held == locks and t.mono() < held.expires do lost.wait(held.expires - t.mono()) end
      if held and not closed then release() end
    end
  end,
}
