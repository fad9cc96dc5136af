-- node-redlock's using(): a routine that runs under a lock on a majority of five Redis servers, while the
-- library extends the lock, and a signal that tells the routine when that has failed.
--
-- Source: redlock 5.0.0-beta.2 for Node, read at its tag, with ioredis 5.4.1. The defaults are theirs: 10
-- retries 200 ms apart, 100 ms more or less; an extension 500 ms before the end; one hundredth and 2 ms off
-- for clocks that drift. The 5 s are those of the README's example. Here the routine works until its signal
-- aborts it, and using() is called again at once.
--
-- What differs from the algorithm that redlock.lua has:
-- - An answer is trusted whenever it comes. A lock that was got too late counts, and is extended at once.
-- - The end is an instant of the wall clock, and nothing but the extension looks at it. The signal aborts
--   when an extension has failed after that end; one that hangs aborts nothing.
-- - The first majority of answers decides, for or against; nothing waits for a server that hangs. Nothing
--   gives it up, either: ioredis has no time-out. What a cut has taken away TCP sends again, each time after
--   twice as long. A server that refuses connections is tried 20 more times, which takes ten seconds.
-- - An extension sets the end of a key that has the lock's value, as in redlock.lua.
local servers = 5
local majority = servers // 2 + 1

return {
  name = "node-redlock",
  summary = "node-redlock's using(): extended by itself, believed until an extension fails",

  parameters = {
    duration = { default = "5s", min = "1ms", doc = "for how long the keys are there" },
    retry_count = { default = 10, min = 0, max = 1000, doc = "further attempts at an operation" },
    retry_delay = { default = "200ms", min = "1ms", doc = "between two attempts" },
    retry_jitter = { default = "100ms", min = "0s", max = "1h", doc = "how much more or less" },
    threshold = { default = "500ms", min = "1ms", doc = "how long before the end the extension begins" },
    resend_most = { default = "2m", min = "200ms", recovery = false,
      doc = "how long TCP waits at most until it sends again" },
  },

  validate = function(p)
    if p.duration < p.threshold + "100ms" then
      return { { "duration", "duration must be at least 100ms above threshold" } }
    end
    if p.retry_delay < p.retry_jitter then
      return { { "retry_delay", "retry_delay must not be below retry_jitter" } }
    end
  end,

  stores = { redis = servers },

  claims = {
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "no-store-step", "prompt-at-rest" },
  },

  node = function(t)
    local queues = {}
    local stopping = false
    local asked_to_stop = t.event()

    -- One request after the other, as on one connection, until there is an answer. ask(server, timeout,
    -- again)
    local function answer_of(ask, server)
      local silence, refusals, again = t.duration("200ms"), 0, false
      while true do
        local sent = t.mono()
        local answer = ask(server, silence, again)
        if answer ~= nil then return answer end
        again = true
        if t.mono() - sent >= silence then
          silence = math.min(silence * 2, t.p.resend_most)
        else
          refusals = refusals + 1
          if refusals > 20 then return false end
          t.sleep(t.duration("50ms") * refusals)
        end
      end
    end

    for i = 1, servers do
      local queue = { more = t.event() }
      queues[i] = queue
      t.spawn("server " .. i, function()
        local server = t.store("redis", i)
        while true do
          if #queue == 0 then
            queue.more = t.event()
            queue.more.wait()
          end
          local next = table.remove(queue, 1)
          next.vote(answer_of(next.ask, server))
        end
      end)
    end

    -- Whether a majority is for it. The first majority decides, for or against.
    local function attempt(ask)
      local decided, votes_for, votes_against = t.event(), 0, 0
      local function vote(yes)
        if yes then votes_for = votes_for + 1 else votes_against = votes_against + 1 end
        if yes and votes_for == majority then decided.set(true) end
        if not yes and votes_against == majority then decided.set(false) end
      end
      for i = 1, servers do
        table.insert(queues[i], { ask = ask, vote = vote })
        if #queues[i] == 1 then queues[i].more.set(true) end
      end
      return decided.wait()
    end

    local function execute(ask, retries)
      for i = 0, retries do
        if attempt(ask) then return true end
        if i < retries then
          t.sleep(t.p.retry_delay - t.p.retry_jitter + t.p.retry_jitter * 2 * t.random(1000) // 1000)
        end
      end
      return false
    end

    local function release(value, retries)
      return execute(function(server, timeout)
        local deleted = server.compare_and_delete{key = "leader", value = value, timeout = timeout}
        if deleted then return deleted.value == 1 end
      end, retries)
    end

    -- The script is executed once. One that is sent again finds its own value.
    local function acquire(value)
      return execute(function(server, timeout, again)
        local set = server.set{key = "leader", value = value, nx = true, px = t.p.duration, timeout = timeout}
        if set and not set.ok and again then
          local key = server.get{key = "leader", timeout = timeout}
          if key then return key.value == value end
        elseif set then
          return set.ok
        end
      end, t.p.retry_count)
    end

    local function extend(value)
      return execute(function(server, timeout)
        local extended = server.compare_and_extend{
          key = "leader", value = value, milliseconds = t.p.duration, timeout = timeout }
        if extended then return extended.value == 1 end
      end, t.p.retry_count)
    end

    local function end_of(since) return since + t.p.duration - t.p.duration // 100 - "2ms" end

    -- Until an extension fails after the lock's end, or the process is asked to stop. One that fails before
    -- is tried again at once.
    local function work(value, since)
      local ends = end_of(since)
      t.believe{open = true}
      asked_to_stop.wait(ends - t.wall() - t.p.threshold)
      while not stopping do
        local now = t.wall()
        if now <= ends and extend(value) then
          ends = end_of(now)
          asked_to_stop.wait(ends - t.wall() - t.p.threshold)
        elseif t.wall() >= ends then
          return "the lock could not be extended"
        end
      end
      return "asked to stop"
    end

    local stopped = t.event()
    t.on_stop(function()
      stopping = true
      asked_to_stop.set(true)
      stopped.wait()
    end)

    while not stopping do
      local value, since = t.identity .. "/" .. t.random(1 << 40), t.wall()
      if acquire(value) then
        t.step_down(work(value, since))
        release(value, t.p.retry_count)
      else
        release(value, 0)
      end
    end
    stopped.set(true)
  end,
}
