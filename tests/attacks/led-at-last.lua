return {
  name = "led-at-last",
  claims = {},
  parameters = { beat = { default = "1s", min = "1ms" } },
  node = function(t)
    t.sleep(t.p.beat * 202)
    if t.number == 1 then t.believe{ open = true } end
  end,
}
