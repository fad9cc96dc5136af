-- A session of a queue in Azure Service Bus: the receiver that has locked it gets its messages, in order, and
-- leads while it works on one.
--
-- Source: Azure/azure-sdk-for-net, Azure.Messaging.ServiceBus: SessionReceiverManager.cs (commits 00d265bc,
-- db8ede17), ReceiverManager.cs (00d265bc: when a lock is renewed), SessionLockLostEventArgs.cs (007a35d1);
-- and the documents of Service Bus: a lock lasts for a minute, and MaxAutoLockRenewalDuration is five. What
-- is restated:
-- - The client renews ten seconds before the lock's end, which is the service's time, by the machine's own
--   wall clock. After five minutes it renews no more. Then it gives the session back when the message is
--   done.
-- - `on_expiry` says what the message's handler learns of a lock that is over. "nothing": it finds out when
--   it settles its message (both commits). "cancelled": its token is cancelled when the lock's end has come
--   on the machine's clock (007a35d1; the releases between were not looked at).
--
-- The service is a row here, and a standby asks it every second; Service Bus keeps the request until a
-- session is free. Left out: the messages themselves, and that a link that breaks gives the session up.
return {
  name = "servicebus-session",
  summary = "the receiver that has locked a session of Service Bus leads while it works on a message",
  goes_round = true,

  parameters = {
    lock_duration = { default = "60s", min = "5s", max = "5m", doc = "for how long a session is locked" },
    renewed_for = { default = "5m", min = "0s", max = "1h", doc = "MaxAutoLockRenewalDuration" },
    message = { default = "2m", min = "1ms", recovery = false, doc = "how long a message is worked on" },
    on_expiry = { default = "cancelled", choices = { "cancelled", "nothing" }, doc = "what handlers learn" },
    accept_period = { default = "1s", min = "1ms", doc = "between two attempts to lock the session" },
    request_timeout = { default = "30s", min = "1ms", doc = "how long a request may hang" },
  },

  schema = [[
    CREATE TABLE session (id text PRIMARY KEY, holder text, locked_until timestamptz NOT NULL);
    INSERT INTO session VALUES ('leader', NULL, '2000-01-01 00:00:00+00');
  ]],

  claims = {
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "wall-in-step", "no-store-step", "prompt-at-rest" },
  },

  node = function(t)
    local accepted, ends = nil, nil -- since when this receiver has the session, and until when

    local function ask(text, ...)
      local values = { text, t.identity, ... }
      values.timeout = t.p.request_timeout
      local rows, err = t.sql(values)
      return rows and rows[1], err
    end
    local function lock(condition)
      return ask([[
        UPDATE session SET holder = $1, locked_until = now() + $2::interval
        WHERE id = 'leader' AND ]] .. condition .. " RETURNING locked_until", t.p.lock_duration)
    end
    local function hold(row)
      ends = t.as_wall(row.locked_until)
      if t.p.on_expiry == "cancelled" then
        t.believe{until_wall = ends}
      else
        t.believe{open = true}
      end
    end
    local function give_back(why)
      if accepted == nil then return end
      accepted = nil
      if t.leads() then t.step_down(why) end
      ask("UPDATE session SET holder = NULL WHERE id = 'leader' AND holder = $1")
    end

    -- Renews until it is refused, or for long enough; nobody else is told of either.
    local function keep(mine)
      local left = mine + t.p.renewed_for - t.mono()
      while left > t.duration("0s") do
        local remaining = ends - t.wall()
        local early = t.duration("10s")
        if remaining // 2 < early then early = remaining // 2 end
        if remaining - early > left then return end
        t.sleep(remaining - early)
        if accepted ~= mine then return end
        local row, err = lock("holder = $1 AND locked_until >= now()")
        if accepted ~= mine or (not row and not err) then return end
        if row then hold(row) else t.sleep(t.p.accept_period) end
        left = mine + t.p.renewed_for - t.mono()
      end
    end

    t.on_stop(function() give_back("asked to stop") end)

    while true do
      local row = lock("(holder IS NULL OR locked_until < now())")
      if row then
        accepted = t.mono()
        hold(row)
        local mine = accepted
        t.spawn("renew", function() keep(mine) end)
        while accepted do
          local done = t.mono() + t.p.message
          while t.leads() and t.mono() < done do t.sleep(t.p.accept_period) end
          if t.mono() - accepted >= t.p.renewed_for then
            give_back("renewed for long enough")
          elseif not t.leads() then
            accepted = nil -- the lock's end
          else
            local kept, err = ask("SELECT 1 AS one FROM session WHERE holder = $1 AND locked_until >= now()")
            if not kept and not err then give_back("SessionLockLost") end
          end
        end
      end
      t.sleep(t.p.accept_period)
    end
  end,
}
