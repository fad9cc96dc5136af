-- A design: docs/designs.md says what `t` has.
return {
  name = "empty",
  summary = "the first instance leads",

  parameters = {
    period = { default = "3s", min = "1ms", doc = "between two beliefs" },
  },

  node = function(t)
    if t.number ~= 1 then return end
    while true do
      t.believe{until_mono = t.mono() + t.p.period + "1s"}
      t.sleep(t.p.period)
    end
  end,
}
