-- A ring whose members change: consistent hashing. Each instance places the members that it hears of on a
-- ring, and the one that follows the job's key leads. Nobody is asked.
--
-- Source: David Karger et al., Consistent Hashing and Random Trees (1997), sections 4 and 6: with the members
-- that it sees, each client computes the owner alone; views may differ, and the paper bounds how many owners
-- that makes, and not to one. Heartbeats and times are this file's.
-- - A member that is new is counted by others as soon as they hear it, and counts itself only after `settle`.
--   So its predecessor has stepped down before.
-- - A member that has been silent for `patience` is gone. One that stops says so.
-- - Each member has `points` places, so that one that goes leaves its keys to several.
local ring = 1 << 32

return {
  name = "hash-ring",
  summary = "consistent hashing: the member that follows the job's key on the ring leads",

  parameters = {
    beat = { default = "1s", min = "1ms", doc = "between two signs of life to all others" },
    patience = { default = "5s", min = "1ms", doc = "how long a member may be silent" },
    settle = { default = "6s", min = "1ms", doc = "how long a new member waits before it counts itself" },
    points = { default = 8, min = 1, max = 1000, doc = "how many places a member has on the ring" },
    key = { default = 7, min = 0, max = 1000000, doc = "the job, whose hash is a place on the ring" },
  },

  validate = function(p)
    if p.patience <= p.beat * 2 then return { { "patience", "patience must exceed two beats" } } end
    if p.settle <= p.patience then return { { "settle", "settle must exceed patience" } } end
  end,

  claims = {
    ["one-believer"] = { "no-pause", "reliable-network", "rates-equal", "no-mono-freeze" },
    ["acts-within-belief"] = {},
    ["leader-elected"] = {},
  },

  node = function(t)
    local heard = {} -- when each other member was, last

    local function hash(value)
      for _ = 1, 3 do value = (value * 2654435761 + 40503) % ring ~ (value >> 15) end
      return value % ring
    end
    local function distance(member)
      local least = ring
      for point = 1, t.p.points do
        local clockwise = (hash(member * 1009 + point) - hash(t.p.key)) % ring
        if clockwise < least then least = clockwise end
      end
      return least
    end

    local function owns()
      for other = 1, t.nodes do
        if heard[other] and t.mono() - heard[other] >= t.p.patience then heard[other] = nil end
        if heard[other] and distance(other) < distance(t.number) then return false end
      end
      return true
    end
    local counts_itself = false
    local function look()
      local mine = counts_itself and owns()
      if mine and not t.leads() then t.believe{open = true} end
      if not mine and t.leads() then t.step_down("another member follows the key") end
    end

    local function tell(kind)
      for other = 1, t.nodes do
        if other ~= t.number then t.send(other, kind) end
      end
    end

    t.on_stop(function()
      counts_itself = false
      look()
      tell("leave")
    end)
    t.spawn("listen", function()
      while true do
        local from, kind = t.receive()
        heard[from] = kind == "alive" and t.mono() or nil
        look()
      end
    end)
    t.spawn("settle", function()
      t.sleep(t.p.settle)
      counts_itself = true
    end)
    while true do
      tell("alive")
      look()
      t.sleep(t.p.beat)
    end
  end,
}
