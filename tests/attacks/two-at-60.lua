-- n2 leads beside n1 after a minute, whatever happens.
return {
  name = "two-at-60",
  claims = { ["one-believer"] = { "reliable-network" } },
  node = function(t)
    if t.number == 1 then t.believe{ open = true } end
    if t.number ~= 2 then return end
    t.sleep("60s")
    t.believe{ until_mono = t.mono() + t.duration("5s") }
  end,
}
