-- nobody leads in the fault phase; n1 leads 1.1 s right after the heal, and never again
return { name="tail", parameters={ at={default="179999ms",min="1ms",recovery=false,doc="d"} }, claims={["leader-elected"]={}},
  node=function(t) if t.number==1 then t.sleep(t.p.at) t.believe{until_mono=t.mono()+t.duration("1100ms")} end end }
