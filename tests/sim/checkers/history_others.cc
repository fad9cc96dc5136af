// What others than instances do in a history: workers, clients, the store and faults.
#include <span>

#include "sim/stores/schedule_table/requests.h"
#include "tests/sim/checkers/history_words.h"

namespace tenure::sim {
namespace {

std::optional<reference::Standing> standing_of(const std::string& name) {
  return name == "nothing" ? std::nullopt : std::optional(named(name, reference::Standing::released));
}

// So much longer than was asked for.
Duration read_longer(Words& words) { return words.take("longer") ? read_duration(words) : Duration{}; }
// What the faults of the registry say of themselves.
Harm harm_of(const std::string& action) {
  return named<Harm>(action, {{"kill", {FaultCause::crash, Manner::stops}},
                              {"pause", {FaultCause::pause, Manner::stops}},
                              {"rolling-restart", {FaultCause::deploy, Manner::stops}},
                              {"partition", {FaultCause::network, Manner::cuts}},
                              {"delay", {FaultCause::network, Manner::hinders}},
                              {"duplicate", {FaultCause::network, Manner::spares}},
                              {"loss", {FaultCause::network, Manner::cuts}},
                              {"store-hang", {FaultCause::store, Manner::cuts}},
                              {"store-slow", {FaultCause::store, Manner::hinders}},
                              {"store-failover", {FaultCause::store, Manner::fails_over}},
                              {"store-weakened", {FaultCause::store, Manner::weakens}},
                              {"clock-step", {FaultCause::clock, Manner::hinders}},
                              {"clock-rate", {FaultCause::clock, Manner::hinders}},
                              {"slow-node", {FaultCause::slow, Manner::hinders}},
                              {"destination-slow", {FaultCause::other, Manner::spares}}});
}

void workers(Verbs& verbs) {
  using reference::Standing;
  verbs["claims"] = [](Deed& d) {
    std::vector<reference::ExecutionToken> tokens;
    for (const Event& event : d.events()) tokens.push_back(d.attempt(event));
    const auto topic =
        d.words.take("topic") ? std::optional(d.words.take("none") ? "" : d.words.next()) : std::nullopt;
    const std::uint32_t max = d.words.take("max") ? static_cast<std::uint32_t>(d.words.number()) : 1;
    const std::uint32_t version = d.words.take("v2") ? 2 : 1;
    d.h.hands_out(d.who, tokens, max, topic, version, read_longer(d.words));
  };
  verbs["works"] = [](Deed& d) {
    const Event event = d.event();
    d.h.works(d.who, d.attempt(event), d.words.take("failed") ? Ending::failed : Ending::done);
  };
  verbs["fails"] = [](Deed& d) {
    const Event event = d.event();
    d.h.works(d.who, d.attempt(event), Ending::failed);
    d.h.ends(d.who, d.attempt(event), Standing::failed, true,
             d.words.take("back-off") ? read_duration(d.words) : seconds(1));
  };
  verbs["completes"] = [](Deed& d) {
    d.each([&d](const Event& event) {
      d.h.works(d.who, d.attempt(event));
      d.h.ends(d.who, d.attempt(event), Standing::completed);
    });
  };
  verbs["executes"] = [](Deed& d) {
    const std::vector<Event> events = d.events();
    const std::uint32_t version = d.words.take("v2") ? 2 : 1;
    for (const Event& event : events) {
      d.h.hands_out(d.who, {d.attempt(event)}, 1, {}, version);
      d.h.works(d.who, d.attempt(event));
      d.h.ends(d.who, d.attempt(event), Standing::completed);
    }
  };
  verbs["ends"] = [](Deed& d) {
    const Event event = d.event();
    const std::optional<Standing> answer = standing_of(d.words.next());
    d.h.ends(d.who, d.attempt(event), answer, d.words.take("failed") || answer == Standing::failed);
  };
  verbs["extends"] = [](Deed& d) {
    const Event event = d.event();
    const std::optional<Standing> answer = standing_of(d.words.next());
    d.h.extends(d.who, d.attempt(event), answer, read_longer(d.words));
  };
  verbs["gives"] = [](Deed& d) {
    d.words.take("back");
    const Event event = d.event();
    d.h.gives_back(d.who, d.attempt(event),
                   d.words.done() ? std::optional(Standing::released) : standing_of(d.words.next()));
  };
  verbs["finds"] = [](Deed& d) {
    d.words.take("no");
    d.h.claims_in_vain(d.who, d.named_schedule());
  };
}

// ---- others than instances and workers ----

void clients(Verbs& verbs) {
  verbs["puts"] = [](Deed& d) {
    const ScheduleId schedule = d.named_schedule();
    const auto version = static_cast<std::uint32_t>(d.words.number());
    Definition definition = d.state.definition_of(schedule);
    read_definition(d.words, definition);
    d.state.definitions[schedule] = definition;
    d.h.submits(d.who, reference::Request{reference::PutSchedule{}}, false);
    d.h.puts(schedule, version, definition);
  };
  verbs["deletes"] = [](Deed& d) {
    const ScheduleId schedule = d.named_schedule();
    const auto version = static_cast<std::uint32_t>(d.words.done() ? 1 : d.words.number());
    if (d.state.scenario.scheduler->store == &kReferenceStore) {
      d.applies(reference::Request{reference::DeleteSchedule{kResource, schedule, version}},
                reference::Reply{reference::Edited{version, version + 1}});
    } else {
      d.applies(schedule_table::Request{schedule_table::DeleteRow{kResource, schedule}},
                schedule_table::Reply{schedule_table::Written{}});
    }
  };
  verbs["triggers"] = [](Deed& d) {
    d.each([&d](const Event& event) {
      d.applies(reference::Request{reference::TriggerSchedule{kResource, event.id.schedule, event.id.run,
                                                              event.id.slot}},
                reference::Reply{reference::Edited{1, 1}});
    });
  };
  verbs["redrives"] = [](Deed& d) {
    reference::Redrive request{kResource, {}};
    for (const Event& event : d.events()) request.events.push_back(event.id);
    d.applies(reference::Request{request}, reference::Reply{reference::Redriven{request.events.size()}});
  };
  verbs["backfills"] = [](Deed& d) {  // backfills RUN SLOT… [refused]
    reference::BackfillSchedule request{
        kResource, kBilling, static_cast<std::uint64_t>(d.words.number()), {}};
    for (const Event& event : d.events()) request.slots.push_back(event.id.slot);
    const reference::EditRefused refused{reference::EditDenial::in_future, 1};
    d.applies(reference::Request{request}, d.words.take("refused")
                                               ? reference::Reply{refused}
                                               : reference::Reply{reference::Edited{1, 1}});
  };
}

void store(Verbs& verbs) {
  verbs["takes"] = [](Deed& d) {  // takes it: what was submitted last
    d.words.take("it");
    const std::uint32_t branch = d.words.take("on branch") ? static_cast<std::uint32_t>(d.words.number()) : 0;
    const auto& [who, request] = d.state.submitted.value();
    d.h.applies(who, request, reply_to(*message_as<reference::Request>(request)), branch);
  };
  verbs["stalls"] = [](Deed& d) { d.h.see(StoreReplicaStalled{StoreId{}}); };
  verbs["fails"] = [](Deed& d) {
    d.words.take("over");
    d.h.see(
        StoreFailedOver{StoreId{}, d.words.take("to") ? static_cast<std::uint32_t>(d.words.number()) : 2});
  };
  verbs["ahead"] = [](Deed& d) { d.h.view.store_ahead = read_duration(d.words); };
  verbs["steps"] = [](Deed& d) {
    const Duration by = read_duration(d.words);
    d.h.view.store_ahead += by;
    d.h.see(StoreClockStepped{StoreId{}, by});
  };
  verbs["holds"] = [](Deed& d) {
    const bool over = d.words.take("no longer");
    d.who = kN1;
    const reference::Request request =
        over ? reference::Request{reference::ClearHold{kResource, kN1, d.token()}}
             : reference::Request{reference::SetHold{kResource, kN1, d.token(), seconds(9)}};
    d.applies(request,
              reference::Reply{reference::HoldSet{over ? std::nullopt : std::optional(reference::Hold{})}});
  };
}

// fault ID ACTION [n1..n3] [for D], fault ID ends
void fault(HistoryState& state, Words& words) {
  static constexpr NodeId kNodes[] = {NodeId{0}, NodeId{1}, NodeId{2}};
  const auto id = static_cast<std::uint64_t>(words.number());
  std::string& action = state.faults[id];
  if (words.take("is skipped")) return state.history.see(FaultSkipped{id, "its target matched nobody"});
  if (words.take("ends")) {
    state.history.see(FaultEnded{id, action});
    return;
  }
  action = words.next();
  const std::string target = words.peek().starts_with("n") ? words.next() : "store";
  const auto number = [](char digit) { return static_cast<std::size_t>(digit - '1'); };
  std::span<const NodeId> nodes;
  if (target.front() == 'n')
    nodes = std::span(kNodes).subspan(number(target[1]), number(target.back()) - number(target[1]) + 1);
  const Duration length = words.take("for ever") ? Duration::max()
                          : words.take("for")    ? read_duration(words)
                                                 : Duration{};
  state.history.see(FaultBegan{id, action, action, target, nodes, length, 0, 0, harm_of(action)});
}

// deliver the rest; execute the rest [but orders 59s] [from 54s] [v2]: from 53s on, n1 commits orders and mails
// each second, and delivers them, or m1 executes them; but for that one, n1 then goes on to the end.
void rest(Deed& d, bool delivers) {
  d.words.take("the rest");
  const std::string left_out = d.words.take("but orders 59s") ? "orders 59s" : "";
  const Duration from = d.words.take("from") ? read_duration(d.words) : seconds(53);
  const std::string version = d.words.take("v2") ? " v2" : "";
  for (Duration slot = from; slot < seconds(60); slot += seconds(1)) {
    if (d.state.now() < slot) d.h.at(slot + millis(100));
    for (const std::string name : {"orders", "mails"}) {
      const std::string event = name + " " + describe(slot);
      const std::string row = event + (name == "orders" ? version : "");
      read_deed(d.state, "n1", Words("commits " + row));
      if (delivers) read_deed(d.state, "n1", Words("delivers " + event));
      if (!delivers && event != left_out) read_deed(d.state, "m1", Words("executes " + row));
    }
  }
  if (left_out.empty()) read_deed(d.state, "n1", Words("goes on from 60s"));
}

Verbs verbs_of(void (*adds)(Verbs&)) {
  Verbs verbs;
  adds(verbs);
  return verbs;
}

}  // namespace

void read_deed(HistoryState& state, const std::string& subject, Words words) {
  static const Verbs kOfInstances = verbs_of_instances();
  static const Verbs kOfWorkers = verbs_of(workers);
  static const Verbs kOfClients = verbs_of(clients);
  static const Verbs kOfStore = verbs_of(store);
  History& history = state.history;
  if (subject == "heal") return state.heal();
  if (subject == "fault") return fault(state, words);
  Deed deed{state, history, read_who(subject), words};
  if (subject == "commit") {  // the first orders and mails
    read_deed(state, "n1", Words("leads and fires 0s..60s"));
    return history.commits_orders_and_mails();
  }
  if (subject == "deliver" || subject == "execute") return rest(deed, subject == "deliver");
  const std::string verb = words.next();
  deed.take_token();
  const Verbs& verbs = subject == "client"        ? kOfClients
                       : subject == "store"       ? kOfStore
                       : is_worker(deed.who.node) ? kOfWorkers
                                                  : kOfInstances;
  const auto found = verbs.find(verb);
  ASSERT_NE(found, verbs.end()) << subject << " " << verb << ": no such verb";
  found->second(deed);
  EXPECT_TRUE(words.done()) << words.rest() << ": not understood";
}

}  // namespace tenure::sim
