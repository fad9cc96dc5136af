-- Raft's election, without its log: who has the votes of most leads a term, and each votes once a term.
--
-- Source: Diego Ongaro and John Ousterhout, In Search of an Understandable Consensus Algorithm (2014), section 5.2 and
-- figure 2: currentTerm and votedFor are on the disk before an answer leaves. The comparison of logs is left out, and
-- so is what would end the belief of a leader that is cut off: its writes are refused by the resource.
return {
  name = "ballot",
  summary = "Raft's election: a majority of votes, which each keeps on its disk",
  tokens = true,

  parameters = {
    beat = { default = "100ms", min = "1ms", doc = "between two signs of life of a leader" },
    patience = { default = "500ms", min = "1ms", doc = "for how long it hears no leader before it asks for votes" },
    spread = { default = "500ms", min = "1ms", doc = "up to this much longer" },
    write_period = { default = "200ms", min = "1ms", doc = "between two writes of a leader" },
    sync = { default = true, doc = "whether a vote is safe before it is told" },
  },

  claims = {
    ["one-holder-per-epoch"] = {},
    ["acts-within-belief"] = {},
    ["leader-elected"] = {},
  },

  node = function(t)
    local term = t.disk.get("term") or 0
    local vote = t.disk.get("vote") or 0  -- 0: none in this term
    local votes = nil                     -- for it, while it is a candidate
    local leading = false
    local heard = t.mono()                -- a leader, or a candidate that it voted for

    -- A crash between the two leaves an older vote in a newer term. Nothing was told yet, so that does no harm.
    local function save(new_term, new_vote)
      term, vote = new_term, new_vote
      t.disk.put("term", term)
      t.disk.put("vote", vote)
      if t.p.sync then t.disk.sync() end
    end

    local function tell_others(kind)
      for other = 1, t.nodes do
        if other ~= t.number then t.send(other, kind, term) end
      end
    end

    local function give_up(why)
      if leading then t.step_down(why) end
      leading, votes = false, nil
    end

    local function lead()
      local mine = term
      leading, votes = true, nil
      t.believe{open = true, token = mine}
      t.spawn("beat", function()
        while leading and term == mine do
          tell_others("beat")
          t.sleep(t.p.beat)
        end
      end)
      t.spawn("write", function()
        while leading and term == mine do
          if t.write{token = mine} == "fenced" and term == mine then give_up("fenced") end
          t.sleep(t.p.write_period)
        end
      end)
    end

    t.spawn("listen", function()
      while true do
        local from, kind, its_term = t.receive()
        if its_term > term then
          give_up("a newer term")
          save(its_term, 0)
        end
        if kind == "ask" then
          if its_term == term and vote == 0 then save(term, from) end
          if its_term == term and vote == from then
            heard = t.mono()
            t.send(from, "grant", term)
          end
        elseif kind == "beat" and its_term == term then
          heard = t.mono()
        elseif kind == "grant" and its_term == term and votes then
          votes[from] = true
          local count = 0
          for _ in pairs(votes) do count = count + 1 end
          if count * 2 > t.nodes then lead() end
        end
      end
    end)

    while true do
      local patience = t.p.patience + t.duration("1ms") * t.random(t.p.spread // t.duration("1ms"))
      while leading or t.mono() - heard < patience do
        t.sleep(leading and t.p.beat or heard + patience - t.mono())
        if leading then heard = t.mono() end
      end
      heard = t.mono()
      local mine = term + 1
      save(mine, t.number)
      if term == mine and vote == t.number then
        votes = { [t.number] = true }
        tell_others("ask")
      end
    end
  end,
}
