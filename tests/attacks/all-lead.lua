return { name="h13", summary="all lead always", parameters={ beat={default="1s",min="1ms",doc="b"}, request_timeout={default="1s",min="1ms",doc="b"} }, goes_round=true,
  node=function(t) t.believe{open=true} while true do t.sleep(t.p.beat+t.p.request_timeout*0) end end }
