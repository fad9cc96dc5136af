-- It believes openly until the heartbeats of its row fail: a pause that outlasts the row makes two lead.
return {
  name = "open",
  claims = {},
  parameters = {
    lease = { default = "8s", min = "1ms" },
    period = { default = "2s", min = "1ms" },
    request_timeout = { default = "1s", min = "1ms" },
  },
  schema = [[CREATE TABLE l (name text PRIMARY KEY, holder text, expires_at timestamptz)]],
  node = function(t)
    while true do
      local rows, err = t.sql{
        "INSERT INTO l AS l (name, holder, expires_at) VALUES ('a', $1, now() + $2::interval) " ..
          "ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at " ..
          "WHERE l.holder = excluded.holder OR l.expires_at < now() RETURNING expires_at",
        t.identity, t.p.lease, timeout = t.p.request_timeout }
      if err or rows.count == 0 then
        t.step_down("x")
      elseif not t.leads() then
        t.believe{ open = true }
      end
      t.sleep(t.p.period)
    end
  end,
}
