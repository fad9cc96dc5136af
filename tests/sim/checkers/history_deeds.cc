// What the instances of a history do: they lead, fire and work.
#include "sim/stores/placement/requests.h"
#include "tests/sim/checkers/history_words.h"

namespace tenure::sim {
namespace {

Ending ending_of(const std::string& name) { return named(name, Ending::failed); }
DeliveryOutcome outcome_of(const std::string& name) { return named(name, DeliveryOutcome::duplicate); }
bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789:/") == std::string::npos;
}

reference::CommitFires read_commit(Deed& deed) {
  reference::CommitFires commit{kResource, deed.who, deed.token(), {}};
  while (!deed.words.done()) commit.rows.push_back(read_row(deed).row);
  return commit;
}

Until read_end(Deed& deed) {
  if (deed.words.take("until"))
    return WallTime::from_ns(kStartNs) + read_duration(deed.words);  // by the wall clock
  if (deed.words.done()) return Open{};
  return deed.h.view.mono_now(deed.who.node) + read_duration(deed.words);
}

Duration read_lease(Deed& deed) { return deed.words.take("for") ? read_duration(deed.words) : seconds(15); }
// The token that it is granted, or has.
Token read_grant(Deed& deed) {
  if (is_number(deed.words.peek())) deed.remember(read_token(deed.words.next()));
  return deed.token();
}

void fires(Deed& deed, Duration slot) {
  deed.h.covers(deed.who, deed.token(), History::fired_row(slot));
  deed.h.asks_for(deed.who, slot, deed.token());
  deed.h.work_is_done(deed.who, slot, deed.token());
}

// "0s..60s": at each slot of it; `renews`: and the lease first.
template <class Does>
void at_each_slot(const std::string& range, const Does& does) {
  const std::size_t dots = range.find("..");
  const Duration to = duration_of(range.substr(dots + 2)).value();
  for (Duration slot = duration_of(range.substr(0, dots)).value(); slot < to; slot += seconds(10)) does(slot);
}
void heals_at_a_minute(Deed& deed, Duration slot) {
  deed.h.at(slot);
  if (slot == seconds(60)) deed.state.heal();
}

reference::AckEvents acks(Deed& deed) {
  reference::AckEvents ack{kResource, {}};
  for (const Event& event : deed.events()) ack.events.push_back(had(deed.item(event)));
  return ack;
}
reference::GiveUpEvents given_up(Deed& deed) {
  const Event event = deed.event();
  reference::DeadEvent dead{event.id, deed.words.take("often") ? 5 : event.attempt};
  if (deed.words.take("numbered")) dead.seq = static_cast<std::uint64_t>(deed.words.number());
  return {kResource, deed.who, deed.token(), {dead}};
}

void belief_and_lease(Verbs& verbs) {
  verbs["believes"] = [](Deed& d) {
    if (d.as) d.remember(*d.as);
    const Until until = read_end(d);
    d.h.believes(d.who, until, d.state.shown.contains(d.who) ? std::optional(d.token()) : std::nullopt);
  };
  verbs["steps"] = [](Deed& d) {
    d.words.take("down");
    d.h.steps_down(d.who);
  };
  verbs["gets"] = [](Deed& d) {
    const Token token = read_grant(d);
    d.h.granted(d.who, token, read_lease(d));
  };
  verbs["leads"] = [](Deed& d) {
    if (d.words.take("and fires")) {
      at_each_slot(d.words.next(), [&d](Duration slot) {
        d.h.at(slot + millis(100));
        if (!d.state.shown.contains(d.who)) d.remember(token(1));
        slot == Duration{} ? d.h.leads(d.who, d.token()) : d.h.extends(d.who, d.token());
        d.h.at(slot + millis(200));
        fires(d, slot);
      });
      return;
    }
    const Token token = read_grant(d);
    d.h.leads(d.who, token, read_lease(d));
  };
  verbs["extends"] = [](Deed& d) { d.h.extends(d.who, d.token(), read_lease(d)); };
  verbs["renews"] = [](Deed& d) { d.h.renewed(d.who, d.token(), read_lease(d)); };
  verbs["releases"] = [](Deed& d) {
    const reference::Request request = reference::Release{kResource, d.who, read_grant(d)};
    d.submits(request, false);
    d.applies(request, reply_to(request));
  };
  verbs["refused"] = [](Deed& d) {  // refused a commit, a renewal, the lease of n1 for 10s
    const bool commit = d.words.take("a commit");
    const bool renewal = d.words.take("a renewal");
    d.words.take("the lease");
    const reference::Denial why = named(d.words.next(), reference::Denial::stale_view);
    reference::Refused refused{why, kN1, 1, {}};
    if (d.words.take("for")) refused.remaining = read_duration(d.words);
    if (commit) {
      const reference::CommitRefused reply{why, d.words.take("during a hold")};
      d.applies(reference::Request{reference::CommitFires{kResource, d.who, d.token(), {}}},
                reference::Reply{reply});
    } else if (renewal) {
      d.applies(reference::Request{reference::Renew{kResource, d.who, d.token(), seconds(15)}},
                reference::Reply{refused});
    } else {
      d.applies(reference::Request{reference::Acquire{kResource, d.who, 1, 9, seconds(10)}},
                reference::Reply{refused}, d.words.take("on branch 2") ? 2 : 0);
    }
  };
  verbs["alarms"] = [](Deed& d) { d.h.note(d.who, ClockAlarm{seconds(60)}); };
}

void life(Verbs& verbs) {
  verbs["starts"] = [](Deed& d) { d.h.see(NodeStarted{d.who}); };
  verbs["dies"] = [](Deed& d) { d.h.see(NodeDied{d.who, Death::killed}); };
  verbs["stops"] = [](Deed& d) { d.h.see(NodeDied{d.who, Death::stopped}); };
  verbs["is"] = [](Deed& d) {
    d.words.take("to stop");
    d.h.see(StopHeard{d.who});
  };
  verbs["exits"] = [](Deed& d) { d.h.see(NodeDied{d.who, Death::exited}); };
  verbs["pauses"] = [](Deed& d) { d.h.see(NodePaused{d.who}); };
  verbs["resumes"] = [](Deed& d) { d.h.see(NodeResumed{d.who}); };
  verbs["clock"] = [](Deed& d) {
    d.h.view.mono_ahead[d.who.node] = read_duration(d.words);
    d.h.see(ClockChanged{d.who.node});
  };
  verbs["wall"] = [](Deed& d) {
    d.h.view.wall_ahead[d.who.node] = read_duration(d.words);
    d.h.see(ClockChanged{d.who.node});
  };
}

void work(Verbs& verbs) {
  verbs["asks"] = [](Deed& d) {
    if (d.words.take("to release")) {
      d.submits(reference::Request{reference::Release{kResource, d.who, read_token(d.words.next())}}, false);
    } else if (d.words.take("for a hold")) {
      d.submits(reference::Request{reference::SetHold{kResource, d.who, d.token(), seconds(1)}});
    } else if (d.words.take("what is due")) {
      d.submits(reference::Request{reference::ReadDue{kResource, store_at({}), 10, {}}},
                d.words.take("leading"));
    } else {
      d.each([&d](const Event& event) { d.h.see(WorkAsked{d.who, d.item(event)}); });
    }
  };
  verbs["lands"] = [](Deed& d) {
    const std::vector<Event> events = d.events();
    const DeliveryOutcome outcome = d.words.done() ? DeliveryOutcome::begun : outcome_of(d.words.next());
    for (const Event& event : events)
      d.h.see(WorkArrived{d.who, d.item(event), outcome, d.h.view.store_now(StoreId{})});
  };
  verbs["ends"] = [](Deed& d) {
    const std::vector<Event> events = d.events();
    const Ending ending = d.words.done() ? Ending::done : ending_of(d.words.next());
    for (const Event& event : events) d.h.see(WorkEnded{d.who, d.item(event), ending});
  };
  verbs["does"] = [](Deed& d) {
    d.each([&d](const Event& event) {
      d.h.see(WorkArrived{d.who, d.item(event), DeliveryOutcome::begun, d.h.view.store_now(StoreId{})});
      d.h.see(WorkEnded{d.who, d.item(event), Ending::done});
    });
  };
  verbs["writes"] = [](Deed& d) { d.h.see(WriteAsked{d.who, WriteItem{kResource, 7, d.shown()}}); };
  verbs["write"] = [](Deed& d) {  // write lands [fenced]
    d.words.take("lands");
    d.h.see(WriteLanded{d.who, WriteItem{kResource, 7, d.shown()}, d.words.take("fenced")});
  };
  verbs["fires"] = [](Deed& d) {
    if (d.words.peek().find("..") == std::string::npos) {
      while (!d.words.done()) fires(d, read_duration(d.words));
      return;
    }
    at_each_slot(d.words.next(), [&d](Duration slot) {
      d.h.at(slot + millis(200));
      fires(d, slot);
    });
  };
  verbs["goes"] = [](Deed& d) {  // goes on from 40s: it renews and fires to the end
    if (d.as) d.remember(*d.as);
    d.words.take("on from");
    at_each_slot(d.words.next() + "..120s", [&d](Duration slot) {
      heals_at_a_minute(d, slot);
      d.h.at(slot + millis(100));
      d.h.extends(d.who, d.token());
      d.h.at(slot + millis(200));
      fires(d, slot);
    });
  };
  verbs["executes"] = [](Deed& d) {  // executes 0s..60s: it leads, without a ledger
    at_each_slot(d.words.next(), [&d](Duration slot) {
      heals_at_a_minute(d, slot);
      d.h.at(slot + millis(100));
      d.h.believes_for(d.who, seconds(15), d.as);
      d.h.asks_for(d.who, slot, d.as);
      d.h.lands(d.who, slot, d.as);
      d.h.at(slot + millis(200));
      d.h.work_ends(d.who, slot);
    });
  };
}

void ledger(Verbs& verbs) {
  verbs["commits"] = [](Deed& d) {
    if (d.words.take("together") || d.words.done()) {
      const reference::Request request = read_commit(d);
      d.submits(request);
      d.applies(request, reply_to(request), d.token().branch);
      return;
    }
    while (!d.words.done()) {
      const Row read = read_row(d);
      d.h.covers(d.who, d.token(), read.row, read.result);
    }
  };
  verbs["submits"] = [](Deed& d) {
    const bool leads = !d.words.take("as standby");
    d.submits(reference::Request{read_commit(d)}, leads);
  };
  verbs["acks"] = [](Deed& d) { d.submits(reference::Request{acks(d)}, false); };
  verbs["buries"] = [](Deed& d) {  // submits that it is dead
    d.submits(reference::Request{given_up(d)});
  };
  verbs["has"] = [](Deed& d) {  // has buried it, or has not
    const bool denied = d.words.take("not");
    d.words.take("buried");
    const reference::Request request = given_up(d);
    d.applies(request,
              denied ? reference::Reply{reference::CommitRefused{reference::Denial::other_holder, false}}
                     : reply_to(request));
  };
  verbs["assigns"] = [](Deed& d) {
    placement::AssignItem assign{d.words.number(), 0, 0, true, {}};
    d.words.take("to");
    assign.worker = read_who(d.words.next()).node.value + 1;
    d.words.take("seen");
    assign.seen = d.words.number();
    assign.guarded = !d.words.take("unguarded");
    const Request request = placement::Request{assign};
    d.submits(request);
    d.applies(request, placement::Reply{placement::Assigned{assign.seen + 1}});
  };
  verbs["reports"] = [](Deed& d) {
    placement::ReportWork report{d.who.node.value + 1, {}, false};
    while (!d.words.done()) report.runs.push_back(d.words.number());
    d.submits(placement::Request{report}, false);
  };
}

void deliveries(Verbs& verbs) {
  verbs["sends"] = [](Deed& d) { d.each([&d](const Event& event) { d.h.sends(d.who, d.item(event)); }); };
  verbs["reaches"] = [](Deed& d) {  // reaches EVENT [refused | fenced | running | duplicate] [retry D]
    const WorkItem item = d.item(d.event());
    const bool refused = d.words.take("refused");
    const bool judged = !refused && !d.words.done() && d.words.peek() != "retry";
    const DeliveryOutcome outcome = judged ? outcome_of(d.words.next()) : DeliveryOutcome::begun;
    const Duration retry = d.words.take("retry") ? read_duration(d.words) : Duration{};
    d.h.arrives(d.who, item, refused ? std::nullopt : std::optional(outcome), retry);
  };
  verbs["fails"] = [](Deed& d) {  // what it delivers; of nothing: its program
    if (d.words.done()) return d.h.note(d.who, DesignError{"an error"});
    const WorkItem item = d.item(d.event());
    const Duration retry = d.words.take("retry") ? read_duration(d.words) : Duration{};
    d.h.see(DeliveryEnded{d.who, item, Ending::failed, retry});
  };
  verbs["gives"] = [](Deed& d) {
    d.words.take("up");
    d.h.gives_up(d.who, d.item(d.event()));
  };
  verbs["answers"] = [](Deed& d) {  // answers EVENT [unheard]
    const WorkItem item = d.item(d.event());
    d.h.see(DeliveryEnded{d.who, item, Ending::done, {}, !d.words.take("unheard")});
  };
  verbs["takes"] = [](Deed& d) { d.h.takes_from_the_outbox(d.who, d.item(d.event())); };
  verbs["reads"] = [](Deed& d) {  // of the outbox, or of what goes to destinations
    reference::WaitingEvents waiting;
    reference::Outbox outbox;
    for (const Event& event : d.events()) {
      waiting.events.emplace_back().id = event.id;
      outbox.events.emplace_back().id = event.id;
    }
    if (d.schedule == kBilling)
      d.applies(reference::Request{reference::ReadOutbox{kResource, 1000, 0}}, reference::Reply{outbox});
    else
      d.applies(reference::Request{reference::ReadWaiting{}}, reference::Reply{waiting});
  };
  verbs["delivers"] = [](Deed& d) {
    d.each([&d](const Event& event) { d.h.delivers(d.who, d.item(event)); });
  };
}

}  // namespace

Verbs verbs_of_instances() {
  Verbs verbs;
  for (const auto& add : {belief_and_lease, life, work, ledger, deliveries}) add(verbs);
  return verbs;
}

}  // namespace tenure::sim
