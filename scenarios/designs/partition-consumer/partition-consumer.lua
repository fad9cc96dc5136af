-- The owner of a topic's only partition leads: a consumer group of Kafka. The group's coordinator, a broker,
-- gives the partition to one member; each rebalance is a new generation, which is the token.
--
-- Source: apache/kafka, tag 3.8.0, the classic protocol: AbstractCoordinator.java, ConsumerCoordinator.java
-- and GroupCoordinator.scala; defaults of ConsumerConfig.java (session.timeout.ms, heartbeat.interval.ms,
-- auto.commit.interval.ms, retry.backoff.ms, request.timeout.ms). What is restated:
-- - A rebalance begins when a member joins, leaves, or is not heard of for the session time-out. Each member
--   is told at its next heartbeat, gives its partition up before it joins again (eager), and gets the next
--   generation when all have.
-- - RangeAssignor gives the partition to the lowest member id, and a part of that is random.
-- - A client that hears nothing for the session time-out looks for the coordinator again. It does not give
--   its partition up: that takes an answer.
-- - An offset commit of an older generation is refused: here a write to the outside resource, which shows the
--   generation.
--
-- The coordinator is a table, on one clock, and its moves are made with the next request. A member that waits
-- for the others asks every 100 ms; Kafka answers it when they are there. Left out: max.poll.interval.ms,
-- static members, the initial delay of an empty group, and the coordinator's own failover.
local notice = [[
  UPDATE consumer_group SET preparing = true
  WHERE EXISTS (SELECT 1 FROM member WHERE joined OR seen < now() - $1::interval)
]]
local remove = "DELETE FROM member WHERE seen < now() - $1::interval"
local enter = [[
  INSERT INTO member (id, seen, joined) VALUES ($1, now(), true)
  ON CONFLICT (id) DO UPDATE SET seen = now(), joined = true
]]
local heartbeat = "UPDATE member SET seen = now() WHERE id = $1"
local leave = "UPDATE member SET seen = '2000-01-01 00:00:00+00' WHERE id = $1"
local complete = [[
  UPDATE consumer_group
  SET preparing = false, generation = generation + 1, owner = (SELECT min(id) FROM member)
  WHERE preparing AND NOT EXISTS (SELECT 1 FROM member WHERE NOT joined)
]]
local settle = [[
  UPDATE member SET joined = false WHERE EXISTS (SELECT 1 FROM consumer_group WHERE NOT preparing)
]]
local answer = [[
  SELECT generation, preparing, owner, (SELECT count(*) FROM member WHERE id = $1) AS known
  FROM consumer_group
]]

return {
  name = "partition-consumer",
  summary = "the member of a Kafka consumer group that owns the only partition leads",
  tokens = true,

  parameters = {
    session_timeout = { default = "45s", min = "1ms", doc = "when a member that is not heard of is removed" },
    heartbeat_period = { default = "3s", min = "1ms", doc = "between two heartbeats" },
    commit_period = { default = "5s", min = "1ms", recovery = false, doc = "between two commits of offsets" },
    retry_period = { default = "100ms", min = "1ms", doc = "after a failure, and while others join" },
    request_timeout = { default = "30s", min = "1ms", doc = "how long a request may hang" },
  },

  schema = [[
    CREATE TABLE consumer_group (generation bigint NOT NULL, preparing boolean NOT NULL, owner text);
    CREATE TABLE member (id text PRIMARY KEY, seen timestamptz NOT NULL, joined boolean NOT NULL);
    INSERT INTO consumer_group VALUES (0, false, NULL);
  ]],

  claims = {
    ["one-believer"] = {
      "rates-equal", "no-pause", "prompt-store", "no-store-step", "no-lost-commits", "no-mono-freeze",
      passes = true,
    },
    ["one-holder-per-epoch"] = { "no-lost-commits" },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "wall-in-step", "no-store-step", "prompt-at-rest" },
  },

  node = function(t)
    local id, generation = nil, nil -- the generation that it has joined
    local stopping = false

    -- A request, what the coordinator makes of it and of the time, and its answer.
    local function ask(...)
      local rows = t.transaction{
        { ... }, { notice, t.p.session_timeout }, { remove, t.p.session_timeout }, { complete }, { settle },
        { answer, id }, timeout = t.p.request_timeout }
      return rows and rows[6][1]
    end

    local function give_up(why)
      generation = nil
      if t.leads() then t.step_down(why) end
    end

    local function join()
      give_up("the group rebalances")
      id = id or string.format("%06d/%s", t.random(1000000) - 1, t.identity)
      local now = ask(enter, id)
      local before = now and now.generation
      while now and now.known == 1 and now.preparing and now.generation == before do
        t.sleep(t.p.retry_period)
        now = ask(heartbeat, id)
      end
      if now and now.known == 0 then id = nil end
      if not now or now.known == 0 then return t.sleep(t.p.retry_period) end
      generation = now.generation
      if now.owner == id and not stopping then t.believe{open = true, token = generation} end
    end

    t.on_stop(function()
      stopping = true
      give_up("asked to stop")
      if id then ask(leave, id) end
    end)

    t.spawn("commit", function()
      while true do
        if t.leads() and t.write{token = t.token()} == "fenced" then give_up("an older generation") end
        t.sleep(t.p.commit_period)
      end
    end)

    while true do
      while generation == nil do join() end
      t.sleep(t.p.heartbeat_period)
      local now = generation and ask(heartbeat, id)
      if now and now.known == 0 then
        id = nil
        give_up("the coordinator does not know it")
      elseif now and (now.preparing or now.generation ~= generation) then
        give_up("the group rebalances")
      end
    end
  end,
}
