-- onceonly
return { name="onceonly", role="scheduler",
 parameters={ request_timeout={default="3s",min="1ms",doc="t"} },
 schema=[[ CREATE TABLE jobs (id bigint PRIMARY KEY, next_run timestamptz, period interval, active boolean, n bigint)  ]],
 put_schedule=function(s) return { "INSERT INTO jobs (id,next_run,period,active,n) VALUES ($1,$2,$3,$4,0) ON CONFLICT (id) DO UPDATE SET next_run=excluded.next_run, period=excluded.period, active=excluded.active", s.id, s.first, s.period, not s.paused } end,
 delete_schedule=function(s) return { "DELETE FROM jobs WHERE id=$1", s.id } end,
 node=function(t)
  local first=t.mono()
  local function mv(job) return t.sql{"UPDATE jobs SET next_run=next_run+period, n=n+1 WHERE id=$1 AND next_run=$2", job.id, job.next_run, timeout=t.p.request_timeout} end
  t.every("1s", function()
   if not t.leads() then return end for _,job in ipairs(t.sql{"SELECT id,next_run,period,n FROM jobs WHERE next_run<=now() AND active ORDER BY id", timeout=t.p.request_timeout} or {}) do if job.n==0 then t.run{schedule=job.id,slot=job.next_run} end mv(job) end
  end)
 end }
