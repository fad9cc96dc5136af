-- Kubernetes' coordinated leader election: candidates do not race for the Lease. Each has a LeaseCandidate
-- object with its versions. A controller in the API servers asks the candidates whether they live, and writes
-- the name of the best one into the Lease: that with the oldest emulation version (strategy
-- OldestEmulationVersion). From then on the candidate renews the Lease.
--
-- Sources: k8s.io/client-go at v0.36.0, tools/leaderelection (tryCoordinatedRenew in leaderelection.go, and
-- leasecandidate.go); k8s.io/kubernetes at 7a4c962, where its API is v1alpha1,
-- pkg/controlplane/controller/leaderelection (leaderelection_controller.go, election.go,
-- run_with_leaderelection.go).
--
-- An instance is a machine of the control plane, with an API server and a component such as
-- kube-controller-manager. The store is the API servers' etcd: an update names the version that was read, and
-- informers watch.
--
-- - A candidate never takes a Lease, and a renewal is always a get and an update. A get that shows another
--   holder, an expired Lease or a preferredHolder fails, and the leader polls on until its renew_deadline. So
--   a leader that is to be replaced leads for retry_period + renew_deadline more, and its successor is elected
--   when the Lease has expired.
-- - The controller judges expiry by its own wall clock and the renewTime in the Lease, which the leader wrote
--   by its clock. So it judges, too, whether a candidate has answered.
-- - An API server elects its controller by client-go's ordinary election, with this file's durations.
-- - A component whose leadership has ended exits. A new process is there `restart_delay` later, as another
--   candidate. A candidate keeps its place for half an hour after its death; the controller waits 5 s for its
--   answer once.
-- - Of candidates that are alike and were created in the same second, the first by name is the best; in the
--   real controller it is any of them, each time anew.
-- - Left out: other strategies, the deletion of old candidates, and the whole seconds of an ordinary record.
--   At 7a4c962 an API server that has lost the controller's Lease does not run for it again; here it does.
return {
  name = "coordinated-election",
  summary = "Kubernetes' coordinated election: a controller names the leader, by its version",

  parameters = {
    lease_duration = { default = "15s", min = "1s", doc = "what a holder writes; whole seconds" },
    renew_deadline = { default = "10s", min = "1ms", doc = "how long a leader polls without a success" },
    retry_period = { default = "2s", min = "1ms", doc = "the period of every poll" },
    request_timeout = { default = "5s", min = "1ms", doc = "how long a get or an update may hang" },
    restart_delay = { default = "1s", min = "0s", doc = "until a component that gave up is there again" },
    release_on_cancel = { default = false, doc = "empty the Lease when giving up, or when asked to stop" },
    emulation_version = { default = 36, min = 1, max = 1000, doc = "this instance's; the lowest one leads" },
    binary_version = { default = 36, min = 1, max = 1000, doc = "this instance's; where the other is equal" },
  },

  validate = function(p)
    local wrong = {}
    if p.lease_duration <= p.renew_deadline then
      wrong[#wrong + 1] = { "lease_duration", "lease_duration must exceed renew_deadline" }
    end
    if p.renew_deadline <= p.retry_period * 12 // 10 then
      wrong[#wrong + 1] = { "renew_deadline", "renew_deadline must exceed 1.2 x retry_period" }
    end
    return wrong
  end,

  stores = { "etcd" },

  claims = {
    ["one-believer"] = {
      "rates-equal", "wall-in-step", "no-pause", "prompt-store", "no-lost-commits", "no-mono-freeze",
      passes = true,
    },
    ["acts-within-belief"] = {},
    ["leader-elected"] = { "prompt-at-rest", "wall-in-step" },
  },

  node = function(t)
    local etcd = t.store("etcd")
    local zero, second = t.duration("0s"), t.duration("1s")
    local lease_seconds = t.p.lease_duration // second
    -- Constants of the controller.
    local requeue, election, candidate_valid = second * 5, second * 5, second * 1800

    -- ---- objects, as texts of fields; times are milliseconds of wall clocks, 0: none ----
    local lease_fields = { "holder", "preferred", "seconds", "renewed", "acquired" }
    local candidate_fields = { "emulation", "binary", "created", "renewed", "pinged" }
    local function now_ms() return t.unix_ms(t.wall()) end
    local function ms(length) return length // t.duration("1ms") end
    local function encode(object, fields)
      local text = ""
      for _, field in ipairs(fields) do text = text .. tostring(object[field]) .. ";" end
      return text
    end
    local function decode(kv, fields)
      local object, from = { key = kv.key, version = kv.mod_revision }, 1
      for _, field in ipairs(fields) do
        local to = string.find(kv.value, ";", from, true)
        local text = string.sub(kv.value, from, to - 1)
        object[field] = tonumber(text) or text
        from = to + 1
      end
      return object
    end
    -- nil: no answer; false: there is none.
    local function get(key)
      local got = etcd.get{key = key, timeout = t.p.request_timeout}
      if not got then return nil end
      return got.kvs[1] ~= nil and decode(got.kvs[1], lease_fields)
    end
    -- Its new version; nil: not done, or unknown. A version of 0 creates.
    local function put(key, object, fields, version)
      local done = etcd.txn{
        compare = { { key = key, mod_revision = version } },
        success = { { put = { key = key, value = encode(object, fields) } } }, timeout = t.p.request_timeout }
      return done and done.succeeded and done.revision or nil
    end
    local function some_time(least, most)
      return least + t.duration("1ms") * (t.random(ms(most - least) + 1) - 1)
    end

    -- ---- client-go's elector: polls until it leads, and then until it gives up ----
    local function standby(attempt)
      while not attempt() do t.sleep(some_time(t.p.retry_period, t.p.retry_period * 22 // 10)) end
    end
    -- Whether an attempt succeeded in time. Of the ticks during an attempt, one waits for its end.
    local function poll(attempt)
      local from, taken = t.mono(), 0
      while true do
        local left = from + t.p.renew_deadline - t.mono()
        if left <= zero then return false end
        if t.deadline(left, attempt) == true then return true end
        local ticked = (t.mono() - from) // t.p.retry_period
        taken = ticked > taken and ticked or ticked + 1
        local wait = from + t.p.retry_period * taken - t.mono()
        left = from + t.p.renew_deadline - t.mono()
        t.sleep(wait < left and wait or left)
      end
    end
    local function lead(attempt)
      while poll(attempt) do t.sleep(t.p.retry_period) end
    end

    -- What a process knows of a Lease, and when it saw that change.
    local function observer(name)
      local seen = { holder = "", version = 0, seconds = 0, at = t.mono() }
      local function see(lease)
        seen = { holder = lease.holder, version = lease.version, seconds = lease.seconds, at = t.mono() }
      end
      return {
        mine = function() return seen.holder == name end,
        version = function() return seen.version end,
        valid = function(since) return seen.at + second * seen.seconds >= since end,
        look = function(lease) if lease.version ~= seen.version then see(lease) end end,
        write = function(key, lease, version)
          lease.version = put(key, lease, lease_fields, version)
          if lease.version then see(lease) end
          return lease.version ~= nil
        end,
      }
    end
    local function held_by(name)
      local now = now_ms()
      return { holder = name, preferred = "", seconds = lease_seconds, renewed = now, acquired = now }
    end

    -- ---- informers: what the API server's caches have, and who is told of a change ----
    local leases, candidates = {}, {}
    local changed = t.event()
    local told = function() end
    local function informer(prefix, fields, cache, tell)
      local range = { key = prefix, range_end = string.sub(prefix, 1, #prefix - 1) .. "0" }
      while true do
        local listed = etcd.get{key = range.key, range_end = range.range_end, timeout = t.p.request_timeout}
        local from = listed and listed.revision + 1
        if listed then
          for key in pairs(cache) do cache[key] = nil end
          for _, kv in ipairs(listed.kvs) do
            cache[kv.key] = decode(kv, fields)
            tell(cache[kv.key])
          end
        end
        while from do
          local watched = etcd.watch{
            key = range.key, range_end = range.range_end, start_revision = from, timeout = second * 45 }
          if watched and watched.compact_revision == 0 then
            for _, event in ipairs(watched.events) do
              cache[event.kv.key] = decode(event.kv, fields)
              tell(cache[event.kv.key])
            end
            from = watched.revision + 1
          elseif watched then
            from = nil
          else
            t.sleep("1s")
          end
        end
        t.sleep("1s")
      end
    end

    -- ---- the controller ----
    local function expired(lease)
      return lease.renewed == 0 or lease.renewed + lease.seconds * 1000 < now_ms()
    end
    local function better(one, other)
      if one.emulation ~= other.emulation then return one.emulation < other.emulation end
      if one.binary ~= other.binary then return one.binary < other.binary end
      return one.created // 1000 < other.created // 1000
    end
    local function best(of)
      local chosen
      for _, candidate in ipairs(of) do
        if not chosen or better(candidate, chosen) then chosen = candidate end
      end
      return chosen
    end
    local function name_of(candidate) return string.sub(candidate.key, #"candidates/" + 1) end

    local function election_needed(all)
      local lease = leases["leases/component"]
      if not lease or expired(lease) or lease.holder == "" then return true end
      for _, candidate in ipairs(all) do
        if candidate.renewed + ms(candidate_valid) // 2 < now_ms() then return true end
      end
      return name_of(best(all)) ~= lease.holder
    end

    -- One step of an election: asks the candidates, waits for them, or elects. Returns when to look again.
    local function reconcile()
      local all = {}
      for _, candidate in pairs(candidates) do
        if candidate.renewed + ms(candidate_valid) >= now_ms() then all[#all + 1] = candidate end
      end
      if #all == 0 then return nil end
      if not election_needed(all) then return requeue end

      local now, may_elect = now_ms(), true
      for _, candidate in ipairs(all) do
        local asked = candidate.pinged ~= 0
        if asked and candidate.pinged + ms(election) > now and candidate.renewed < candidate.pinged then
          may_elect = false
        elseif candidate.renewed + ms(election) <= now and
               (not asked or candidate.pinged + ms(election) < now and
                candidate.pinged < candidate.renewed) then
          local pinged = {
            emulation = candidate.emulation, binary = candidate.binary, created = candidate.created,
            renewed = candidate.renewed, pinged = now }
          if not put(candidate.key, pinged, candidate_fields, candidate.version) then return requeue end
          may_elect = false
        end
      end
      if not may_elect then return requeue end

      local answered = {}
      for _, candidate in ipairs(all) do
        if candidate.renewed + ms(election) > now then answered[#answered + 1] = candidate end
      end
      if #answered == 0 then return nil end
      local electee = name_of(best(answered))
      local lease = { holder = electee, preferred = "", seconds = 5, renewed = now_ms(), acquired = 0 }
      if put("leases/component", lease, lease_fields, 0) then return requeue end
      local existing = get("leases/component")
      if not existing then return nil end
      if existing.holder == "" or expired(existing) and existing.holder ~= electee then
        return put("leases/component", lease, lease_fields, existing.version) and requeue or nil
      end
      if existing.holder == electee or existing.preferred == electee then return requeue end
      existing.preferred = electee
      return put("leases/component", existing, lease_fields, existing.version) and requeue or nil
    end

    local function control()
      told = function(candidate)
        local just_asked = candidate and candidate.pinged > candidate.renewed
        if not just_asked then changed.set(true) end
      end
      told()
      local again = nil
      while true do
        if again then t.any{changed, timeout = again - t.mono()} else changed.wait() end
        changed, again = t.event(), nil
        local wait = reconcile()
        if wait then again = t.mono() + wait end
      end
    end

    -- The ordinary election of the controller, with its fast path.
    local function run_controller()
      local name = t.identity
      local observed = observer(name)
      local function attempt()
        local began = t.mono()
        local key = "leases/controller"
        if observed.mine() and observed.valid(began) and
           observed.write(key, held_by(name), observed.version()) then
          return true
        end
        local lease = get(key)
        if lease == nil then return false end
        if not lease then return observed.write(key, held_by(name), 0) end
        observed.look(lease)
        if not observed.mine() and observed.valid(began) then return false end
        return observed.write(key, held_by(name), lease.version)
      end
      while true do
        standby(attempt)
        local controller = t.spawn("controller", control)
        lead(attempt)
        controller.cancel()
        told = function() end
      end
    end

    -- ---- the component ----
    local stopping, release = false, nil

    -- Creates its LeaseCandidate, and renews it when it is asked to, and every five minutes.
    local function stand(name, asked)
      local key, failures = "candidates/" .. name, 0
      while true do
        local known = candidates[key]
        local candidate = {
          emulation = t.p.emulation_version, binary = t.p.binary_version, created = now_ms(),
          renewed = now_ms(), pinged = 0 }
        if known then candidate.created, candidate.pinged = known.created, known.pinged end
        if put(key, candidate, candidate_fields, known and known.version or 0) then
          failures = 0
          t.sleep("50ms")  -- a component's client sends 20 requests a second
          t.any{asked.event, timeout = second * 300}
          asked.event = t.event()
        else
          failures = failures + 1
          local backoff = t.duration("5ms")
          for _ = 2, failures < 18 and failures or 18 do backoff = backoff * 2 end
          t.sleep(backoff)
        end
      end
    end

    local asked = {}
    local function run_component(life)
      local name = t.identity .. "." .. life
      local observed = observer(name)
      asked.key, asked.event = "candidates/" .. name, t.event()
      local candidate = t.spawn("candidate", function() stand(name, asked) end)
      local function attempt()
        local began = t.mono()
        local lease = get("leases/component")
        if not lease then return false end
        observed.look(lease)
        if not observed.valid(began) or not observed.mine() or lease.preferred ~= "" then return false end
        local renewed = held_by(name)
        renewed.acquired = lease.acquired
        return observed.write("leases/component", renewed, lease.version)
      end
      release = function()
        if not t.p.release_on_cancel then return end
        t.deadline(t.p.renew_deadline, function()
          local lease = get("leases/component")
          if not lease or not observed.mine() then return end
          local freed = held_by("")
          freed.seconds = 1
          observed.write("leases/component", freed, lease.version)
        end)
      end
      standby(attempt)
      t.believe{open = true}
      lead(attempt)
      if stopping then return end
      release()
      candidate.cancel()
      t.step_down("renew deadline passed")
    end

    t.spawn("leases", function()
      informer("leases/", lease_fields, leases, function(lease)
        if lease.key == "leases/component" then told() end
      end)
    end)
    t.spawn("candidates", function()
      informer("candidates/", candidate_fields, candidates, function(candidate)
        if candidate.key == asked.key and candidate.pinged > candidate.renewed then asked.event.set(true) end
        told(candidate)
      end)
    end)
    t.spawn("controllers", run_controller)
    local component = t.spawn("component", function()
      local life = 0
      while true do
        life = life + 1
        run_component(life)
        t.sleep(t.p.restart_delay)
      end
    end)
    t.on_stop(function()
      stopping = true
      component.cancel()
      if not t.leads() then return end
      t.step_down("asked to stop")
      release()
    end)
  end,
}
