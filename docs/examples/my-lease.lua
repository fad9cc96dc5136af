-- The first instance leads for as long as it lives; the second one takes over when it hears nothing for 8 s.
return {
  name = "my-lease",
  summary = "the first instance leads, and the second one listens",

  parameters = {
    beat = { default = "2s", min = "1ms", max = "1h", doc = "between two signs of life" },
    patience = { default = "8s", min = "1ms", max = "1h", doc = "how long nothing may be heard" },
  },

  claims = {
    ["one-believer"] = { "no-crash" },
    ["leader-elected"] = {},
  },

  node = function(t)
    if t.number == 1 then
      while true do
        t.believe{until_mono = t.mono() + t.p.patience}
        t.send(2, "alive")
        t.sleep(t.p.beat)
      end
    end
    if t.number > 2 then return end

    local heard = t.mono()
    t.spawn("listen", function()
      while true do
        t.receive()
        heard = t.mono()
        t.step_down("the first instance lives")
      end
    end)
    while true do
      t.sleep(heard + t.p.patience - t.mono())
      if t.mono() - heard >= t.p.patience then
        t.believe{open = true}
        t.sleep(t.p.patience)
      end
    end
  end,
}
