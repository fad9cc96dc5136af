-- A message in a queue of SQS as a lock: who has received it leads, and hides it from the others for that long.
--
-- Source: a pattern that teams use and documents name as fragile; there is no one client for it. The visibility timeout
-- is SQS' default of 30 s, extended every third of it; a standby polls for 20 s at a time, the longest there is. The
-- first instance sends the message once, in its first life.
--
-- `trust` says what ends a leadership:
-- - "answers": an extension that is refused, and nothing else. That is how most consumers extend: a heartbeat beside
--   the work.
-- - "clock": also the end of the visibility timeout, from the moment at which the request left, on the holder's
--   monotonic clock.
return {
  name = "sqs-visibility",
  summary = "a message in SQS that its receiver hides from the others while it leads",

  parameters = {
    visibility_timeout = { default = "30s", min = "1s", doc = "for how long a receipt hides the message" },
    extend_period = { default = "10s", min = "1ms", doc = "between two extensions" },
    wait_time = { default = "20s", min = "1s", doc = "how long a standby's poll waits; 20 s at most" },
    request_timeout = { default = "5s", min = "1ms", doc = "how long a request may hang, beyond what it waits" },
    retry_period = { default = "1s", min = "1ms", doc = "after a poll that failed" },
    trust = { default = "answers", choices = { "answers", "clock" }, doc = "what ends a leadership" },
  },

  stores = { "queue" },

  claims = {
    ["acts-within-belief"] = {},
  },

  -- A standby waits at the queue nearly all of the time, so it is given the message as soon as it is visible.
  failover = function(p, d)
    return {
      least = p.visibility_timeout - p.extend_period - d.trip.most - d.departure,
      mean = p.visibility_timeout - (p.extend_period + d.trip.mean) // 2 + d.trip.mean,
      most = p.visibility_timeout + d.trip.most * 2,
      formula = "T - A + d, with A in [0, H + d]",
    }
  end,

  node = function(t)
    local queue = t.store("queue")
    local timeout, hidden = t.p.request_timeout, t.p.visibility_timeout
    local handle = nil -- of the receipt by which this instance leads

    local function believe(since)
      if t.p.trust == "clock" then
        t.believe{until_mono = since + hidden}
      else
        t.believe{open = true}
      end
    end

    local function receive()
      local got = queue.receive_message{
        visibility_timeout = hidden, wait_time = t.p.wait_time, timeout = t.p.wait_time + timeout }
      -- The message was received at some time within the poll.
      if got and got.messages[1] then
        handle = got.messages[1].receipt_handle
        return true
      end
      return false, got == nil
    end

    local function extend()
      local since = t.mono()
      local done, err = queue.change_message_visibility{
        receipt_handle = handle, visibility_timeout = hidden, timeout = timeout }
      if done then return since end
      return nil, err.kind == "failed"
    end

    t.on_stop(function()
      if handle == nil then return end
      local had = handle
      handle = nil
      if t.leads() then t.step_down("asked to stop") end
      queue.change_message_visibility{receipt_handle = had, visibility_timeout = "0s", timeout = timeout}
    end)

    if t.identity == "n1#1" then queue.send_message{body = "leader", timeout = timeout} end
    while true do
      if handle == nil then
        local got, failed = receive()
        if failed then t.sleep(t.p.retry_period) end
        -- With "clock" the first extension says since when: the receipt is older than its answer by an unknown time.
        if got and t.p.trust == "answers" then believe(t.mono()) end
      end
      if handle ~= nil then
        local since, refused = extend()
        if since and handle then
          believe(since)
        elseif refused and handle then
          handle = nil
          if t.leads() then t.step_down("others can have the message") end
        end
        if handle then t.sleep(t.p.extend_period) end
      end
    end
  end,
}
