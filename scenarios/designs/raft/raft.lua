-- Raft's leader election with a log, and a leader lease on top: the reference for whatever elects by a majority.
--
-- Source: Diego Ongaro, Consensus: Bridging Theory and Practice (2014), figure 3.1, sections 3.4 to 3.6 (elections, log
-- replication, what may be voted for), 6.2 (a leader that hears of no majority steps down), 6.4 (leases: a leader that
-- a majority has acknowledged since t leads until an election timeout after t) and 4.2.3 (servers that hear a leader
-- refuse votes, without which a lease means nothing).
--
-- - Term, vote and log are on the disk before an answer leaves. The log has one entry for each term: a leader leads
--   only when a majority has stored its own. The term is the token.
-- - The lease counts from when a message was sent that a majority has answered, on the leader's clock; the others count
--   from when it arrived, on theirs. So its length is the election timeout less what two clocks may differ by.
-- - A server that starts has forgotten when it heard a leader. It waits for an election timeout before it votes.
-- - `deadline = "check-quorum"` is etcd-io/raft with CheckQuorum (v3.6.0 and v3.7.0, raft.go: tickHeartbeat,
--   Step, stepLeader, becomeLeader), which is not the thesis. A leader leads from the votes on. Once in each
--   election timeout it looks whether a majority has answered since its last look. So one that is cut off
--   leads for one to two election timeouts, while the others elect after one to two. A server that starts
--   knows of no leader, and votes at once. Time is counted in ticks, of a beat each; a process that stands
--   still counts none.
-- - Two more parameters can leave out what makes it safe: `sync`, and `max_clock_drift_ppm`.
-- - Left out: changes of members, snapshots, pre-votes (a vote that is refused changes no term here; etcd-io/raft has
--   them if asked to), transfers of leadership; clients, other than the leader's writes to the outside resource.
return {
  name = "raft",
  summary = "Raft with a log of one entry a term, and a leader lease",
  tokens = true,

  parameters = {
    beat = { default = "100ms", min = "1ms", doc = "between two messages of a leader" },
    election_timeout = { default = "1s", min = "2ms", doc = "for how long whoever has heard a leader refuses votes" },
    spread = { default = "1s", min = "1ms", doc = "up to this much after that it asks for votes" },
    max_clock_drift_ppm = { default = 500, min = 0, max = 500000, doc = "how far the rate of a clock may be off" },
    write_period = { default = "500ms", min = "1ms", doc = "between two writes of a leader" },
    deadline = { default = "lease", choices = { "lease", "check-quorum" }, doc = "what ends a cut-off leader" },
    sync = { default = true, doc = "whether what it answers is safe on its disk" },
  },

  claims = {
    ["one-believer"] = { "rate-bound", "no-mono-freeze" },
    ["one-holder-per-epoch"] = {},
    ["fenced-writes"] = {},
    ["acts-within-belief"] = {},
    ["leader-elected"] = {},
  },

  node = function(t)
    local mono, send, election_timeout = t.mono, t.send, t.p.election_timeout  -- asked for with every message
    local quorum = t.nodes // 2 + 1
    local rho = t.p.max_clock_drift_ppm
    local lease = election_timeout * (1000000 - rho) // (1000000 + rho)
    local checks_quorum = t.p.deadline == "check-quorum"
    local ticked = t.duration("0s")
    local now = checks_quorum and function() return ticked end or mono

    local term = t.disk.get("term") or 0
    local vote = t.disk.get("vote") or 0     -- 0: none in this term
    local log = {}                           -- the term of each entry
    for i = 1, t.disk.get("length") or 0 do log[i] = t.disk.get("entry " .. i) end
    local heard = now()                      -- a leader, or a candidate that it voted for
    local led = nil                          -- when it heard the leader of its term
    local may_vote_at = now() + election_timeout
    local votes = nil                        -- for it, while it is a candidate
    local reign = nil                        -- what a leader knows of the others

    local function sync()
      if t.p.sync then t.disk.sync() end
    end

    -- A crash between the puts leaves an older vote in a newer term, or a longer log than was told. That does no harm.
    local function save_term(new_term, new_vote)
      term, vote, led = new_term, new_vote, nil
      if checks_quorum then heard = now() end
      t.disk.put("term", term)
      t.disk.put("vote", vote)
      sync()
    end

    local function save_entry(index, its_term)
      for i = #log, index, -1 do log[i] = nil end
      log[index] = its_term
      t.disk.put("entry " .. index, its_term)
      t.disk.put("length", index)
      sync()
    end

    local function step_back(why)
      if reign and t.leads() then t.step_down(why) end
      reign, votes = nil, nil
    end

    -- When what was sent that a majority has answered; its own answer is never late. (`latest` has the others in the
    -- order of their answers: of the majority, the last one that is needed.)
    local function heard_by_majority()
      return quorum > 1 and reign.answered[reign.latest[quorum - 1]] or mono()
    end

    local function is_stored_by_majority()
      local stored = reign.own_stored and 1 or 0
      for _, other in ipairs(reign.latest) do
        if reign.match[other] >= reign.entry then stored = stored + 1 end
      end
      return stored >= quorum
    end

    -- Leads for as long as a majority has heard it lately, once a majority has stored its entry.
    local function extend()
      if checks_quorum then return end
      reign.stored = reign.stored or is_stored_by_majority()
      local until_mono = heard_by_majority() + lease
      if reign.stored and until_mono > mono() then t.believe{until_mono = until_mono, token = term} end
    end

    -- Whether a majority has been silent for so long that others may ask for votes.
    local function is_left()
      if checks_quorum then
        if now() - reign.looked < election_timeout then return false end
        local active = 1
        for _ in pairs(reign.active) do active = active + 1 end
        reign.looked, reign.active = now(), {}
        return active < quorum
      end
      local last = heard_by_majority()
      if last < reign.began then last = reign.began end
      return mono() - last >= election_timeout
    end

    local function send_to(other)
      local previous = reign.next[other] - 1
      send(other, "append", term, previous, log[previous] or 0, log[previous + 1] or 0, reign.round)
    end

    local function lead()
      local mine = { began = mono(), next = {}, match = {}, answered = {}, latest = {}, sent = {}, round = 0,
                     entry = #log + 1, own_stored = false, stored = false, looked = now(), active = {} }
      for other = 1, t.nodes do
        if other ~= t.number then
          mine.next[other], mine.match[other], mine.answered[other] = #log + 1, 0, mono() - lease
          table.insert(mine.latest, other)
        end
      end
      votes, reign = nil, mine
      if checks_quorum then t.believe{open = true, token = term} end
      t.spawn("beat", function()
        save_entry(mine.entry, term)
        mine.own_stored = true
        while reign == mine do
          extend()
          if is_left() then return step_back("no majority has answered for an election timeout") end
          mine.round = mine.round + 1
          mine.sent[mine.round] = mono()
          mine.sent[mine.round - 100] = nil
          heard = now()
          for other = 1, t.nodes do
            if other ~= t.number then send_to(other) end
          end
          t.sleep(t.p.beat)
        end
      end)
      t.spawn("write", function()
        while reign == mine do
          if t.leads() then t.write{token = term, timeout = election_timeout} end
          t.sleep(t.p.write_period)
        end
      end)
    end

    local function is_up_to_date(index, its_term)
      local last = log[#log] or 0
      return its_term > last or (its_term == last and index >= #log)
    end

    -- Whether it has heard too lately of somebody else to think of another leader.
    local function refuses(candidate)
      if checks_quorum then return reign ~= nil or led ~= nil and now() - led < election_timeout end
      return now() < may_vote_at or (now() - heard < election_timeout and vote ~= candidate)
    end

    local on = {}

    function on.ask(from, its_term, index, last_term)
      if refuses(from) then return end
      if its_term > term then
        step_back("a newer term")
        save_term(its_term, 0)
      end
      if its_term == term and vote == 0 and is_up_to_date(index, last_term) then save_term(term, from) end
      if its_term == term and vote == from then
        heard = now()
        send(from, "grant", term)
      elseif its_term < term and not checks_quorum then
        send(from, "newer", term)
      end
    end

    function on.grant(from, its_term)
      if its_term ~= term or not votes then return end
      votes[from] = true
      local count = 0
      for _ in pairs(votes) do count = count + 1 end
      if count >= quorum then lead() end
    end

    function on.newer(_, its_term)
      if its_term <= term then return end
      step_back("a newer term")
      save_term(its_term, 0)
    end

    function on.append(from, its_term, previous, previous_term, entry, round)
      if its_term < term then return send(from, "newer", term) end
      heard = now()
      if its_term > term then
        step_back("a newer term")
        save_term(its_term, 0)
      end
      led = heard
      votes = nil
      if (log[previous] or 0) ~= previous_term then return send(from, "missing", term, #log, round) end
      if entry > 0 and log[previous + 1] ~= entry then save_entry(previous + 1, entry) end
      send(from, "stored", term, entry > 0 and previous + 1 or previous, round)
    end

    local function answered(from, round)
      reign.active[from] = true
      local sent = reign.sent[round]
      if not sent or sent <= reign.answered[from] then return end
      reign.answered[from] = sent
      local latest, place = reign.latest, 1
      while latest[place] ~= from do place = place + 1 end
      while place > 1 and reign.answered[latest[place - 1]] < sent do
        latest[place] = latest[place - 1]
        place = place - 1
      end
      latest[place] = from
    end

    function on.stored(from, its_term, index, round)
      if its_term ~= term or not reign then return end
      answered(from, round)
      if index > reign.match[from] then reign.match[from] = index end
      reign.next[from] = reign.match[from] + 1
      if reign.next[from] <= #log then send_to(from) end
      extend()
    end

    function on.missing(from, its_term, length, round)
      if its_term ~= term or not reign then return end
      answered(from, round)
      local before = reign.next[from] - 1
      if length < before then before = length + 1 end
      if before < 1 then before = 1 end
      reign.next[from] = before
      send_to(from)
      extend()
    end

    if checks_quorum then
      t.spawn("tick", function()
        while true do
          t.sleep(t.p.beat)
          ticked = ticked + t.p.beat
        end
      end)
    end

    t.spawn("listen", function()
      while true do
        local from, kind, a, b, c, d, e = t.receive()
        on[kind](from, a, b, c, d, e)
      end
    end)

    while true do
      local patience = election_timeout + t.duration("1ms") * t.random(t.p.spread // t.duration("1ms"))
      while now() - heard < patience do t.sleep(heard + patience - now()) end
      if not reign then
        heard = now()
        local mine = term + 1
        save_term(mine, t.number)
        if term == mine and vote == t.number then
          votes = { [t.number] = true }
          for other = 1, t.nodes do
            if other ~= t.number then send(other, "ask", term, #log, log[#log] or 0) end
          end
        end
      elseif now() - heard >= patience then
        heard = now()
      end
    end
  end,
}
