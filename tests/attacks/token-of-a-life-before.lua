-- n1 leads with the same token in each life.
return {
  name = "token-of-a-life-before",
  tokens = true,
  claims = {},
  node = function(t)
    if t.number ~= 1 then return end
    t.believe{ open = true, token = 7 }
    while true do
      t.write{}
      t.sleep("1s")
    end
  end,
}
