return { name="one-in-ten", role="scheduler", claims={},
 parameters={ request_timeout={default="5s",min="1ms"} },
 schema=[[ CREATE TABLE jobs (id bigint PRIMARY KEY, next_run timestamptz, period interval, rule text, paused boolean, gone boolean) ]],
 put_schedule=function(s) return {[[ INSERT INTO jobs (id,next_run,period,rule,paused,gone) VALUES ($1,$2,$3,$4,$5,false) ON CONFLICT (id) DO UPDATE SET next_run=excluded.next_run, period=excluded.period, rule=excluded.rule, paused=excluded.paused ]], s.id, s.first, s.period, s.rule, s.paused} end,
delete_schedule=function(s) return {"DELETE FROM jobs WHERE id=$1", s.id} end,
node=function(t) t.every("1s", function() if not t.leads() then return end
 for _,j in ipairs(t.sql{"SELECT id,next_run,period,rule FROM jobs WHERE next_run<=now() ORDER BY next_run,id", timeout=t.p.request_timeout} or {}) do
  if not t.leads() then return end
  N=(N or 0)+1 if j.id==2 or N % 10==1 then t.run{schedule=j.id,slot=j.next_run} end
  t.sql{"UPDATE jobs SET next_run=$3 WHERE id=$1 AND next_run=$2", j.id, j.next_run, t.slot_after(j.rule,j.next_run), timeout=t.p.request_timeout}
 end end) end }
