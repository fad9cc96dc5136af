-- leads for 1.1 s in each 30 s
return { name="e4", parameters={beat={default="1s",min="1ms",doc="beat"},lease={default="8s",min="1s",doc="lease"}}, claims={["one-believer"]={},["leader-elected"]={}},
 node=function(t)
  if t.number==1 then while true do t.believe{until_mono=t.mono()+t.duration("1us")} t.sleep("30s") end end
 end }
