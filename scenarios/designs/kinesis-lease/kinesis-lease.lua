-- One consumer a shard: the lease table of the Kinesis Client Library in DynamoDB, with one shard. The worker
-- that owns its lease leads.
--
-- Source: github.com/awslabs/amazon-kinesis-client, tag v2.7.3: DynamoDBLeaseCoordinator, DynamoDBLeaseTaker,
-- DynamoDBLeaseRenewer, DynamoDBLeaseRefresher and CommonCalculations, with their defaults. What is restated:
-- - The owner adds one to the lease's counter every third of failoverTimeMillis, less 25 ms, under the
--   condition that the counter is what it wrote. A worker believes for failoverTimeMillis since the answer to
--   its last renewal, on System.nanoTime(), and does not renew a lease that is over.
-- - Every other worker reads the table, then waits for twice failoverTimeMillis and 50 ms. It takes a lease
--   whose counter has not changed for failoverTimeMillis, as of its own reads: at the second read that finds
--   it unchanged, or the first one if a lease has no owner.
-- - A renewal whose condition fails reads the item, in case it was its own first attempt.
--
-- A worker with fewer shards than others steals one; with a single shard there is none to steal. v3 has a
-- leader that assigns leases instead, and is not this. Left out: checkpoints, how often the scheduler looks
-- at the leases that it holds (a second), and the SDK's retries.
return {
  name = "kinesis-lease",
  summary = "a counter in DynamoDB that its owner moves; a worker that sees it stand still twice takes it",

  parameters = {
    failover_time = { default = "10s", min = "100ms", doc = "failoverTimeMillis" },
    epsilon = { default = "25ms", min = "1ms", doc = "epsilonMillis" },
    request_timeout = { default = "60s", min = "1ms", doc = "dynamoDbRequestTimeout" },
  },

  stores = { "dynamodb" },

  claims = {
    ["one-believer"] = {
      "rates-equal", "no-pause", "prompt-store", "no-lost-commits", "no-mono-freeze", passes = true,
    },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest" },
  },

  -- A worker reads every G. Its first read after the last renewal is up to G later, and it takes the lease at
  -- the next.
  failover = function(p, d)
    local gap, renewal = (p.failover_time + p.epsilon) * 2 + d.trip.mean, p.failover_time // 3 - p.epsilon
    return {
      least = (p.failover_time + p.epsilon) * 2 - renewal - d.departure,
      mean = gap - renewal // 2 + gap // (d.standbys + 1) + d.trip.mean,
      most = ((p.failover_time + p.epsilon) * 2 + d.trip.most) * 2 + d.trip.most * 2,
      formula = "G - A + Res + d, with A in [0, F/3 - e], Res in [0, G], G = 2 (F + e) + d",
    }
  end,

  node = function(t)
    local table = t.store("dynamodb")
    local timeout, holds = t.p.request_timeout, t.p.failover_time
    local counter = nil -- of the lease, while this worker has it
    local held_since = nil

    local function own(value)
      counter, held_since = value, t.mono()
      t.believe{until_mono = held_since + holds}
    end
    local function lose(why)
      counter = nil
      if t.leads() then t.step_down(why) end
    end

    local function write(from, owner)
      local values = { [":old"] = from, [":new"] = from + 1, [":me"] = owner }
      return table.update_item{
        key = "shard", update_expression = "SET n = :new, o = :me", condition_expression = "n = :old",
        expression_attribute_values = values, timeout = timeout }
    end

    local function renew()
      if t.mono() - held_since > holds then return lose("the lease is over") end
      local from = counter
      local done, err = write(from, t.identity)
      if not done and err.kind == "failed" then
        local now = table.get_item{key = "shard", timeout = timeout}
        done = now and now.item and now.item.o == t.identity and now.item.n == from + 1
        if not done then return lose("the counter is another's") end
      end
      if done and counter == from then own(from + 1) end
    end
    t.spawn("renew", function()
      t.every(holds // 3 - t.p.epsilon, function() if counter then renew() end end)
    end)

    t.on_stop(function()
      if counter == nil then return end
      local from = counter
      lose("asked to stop")
      write(from, "nobody")
    end)

    table.put_item{ -- the shard's lease, as the first worker makes it
      item = { key = "shard", n = 0, o = "nobody" }, condition_expression = "attribute_not_exists(n)",
      timeout = timeout }
    local seen, seen_at = nil, nil
    while true do
      local read = counter == nil and table.get_item{key = "shard", timeout = timeout}
      local lease = read and read.item
      if lease then
        local now = t.mono()
        if lease.n ~= seen then seen, seen_at = lease.n, now end
        local free = lease.o == "nobody" or now - seen_at > holds
        if free and write(lease.n, t.identity) then own(lease.n + 1) end
      end
      t.sleep((holds + t.p.epsilon) * 2)
    end
  end,
}
