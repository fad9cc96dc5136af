return { name="ten-a-minute", claims={ ["one-believer"]={}, ["leader-elected"]={} },
 parameters={ period={default="60s",min="1ms"} },
 node=function(t) if t.number ~= 1 then return end
 while true do t.believe{until_mono=t.mono()+"10s"} t.sleep(t.p.period) end end }
