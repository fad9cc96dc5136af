// Each checker has a bug planted for it, which it must find and the others must
// not: so none is there only because another hides it, and each is needed. The
// table is held against the registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "sim/checkers/oracle/slots.h"
#include "sim/stores/placement/requests.h"
#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

struct PlantedBug {
  const char* checker;  // that must find it
  const char* bug;
  std::function<Scenario()> scenario;
  std::function<void(History&)> happens;
  std::set<std::string> also = {};  // those that cannot but see it as well
};

// `who` renews at each slot from `from` to the end of the run, and fires it;
// the heal is at 60s.
void goes_on(History& h, Incarnation who, const Token& shown, int from) {
  for (int slot = from; slot < 120; slot += 10) {
    h.at(seconds(slot));
    if (slot == 60) h.heals();
    h.at(seconds(slot) + millis(100));
    h.extends(who, shown);
    h.at(seconds(slot) + millis(200));
    h.fires(who, shown, seconds(slot));
  }
}

// n1 fires up to 20s and dies; n2 leads from 39s on, fires what is late, and
// goes on to the end.
void hands_over(History& h) {
  h.leads_and_fires({}, seconds(30));
  h.at(seconds(25));
  h.see(NodeDied{kN1, Death::killed});
  h.at(seconds(39));
  h.leads(kN2, token(2));
  h.fires(kN2, token(2), seconds(30));
  goes_on(h, kN2, token(2), 40);
}

// With a schedule table: `who` leads, and executes the slots `from` one on and
// before another; the heal is at 60s.
void executes(History& h, Incarnation who, int from, int before, std::optional<Token> shown = {}) {
  for (int slot = from; slot < before; slot += 10) {
    h.at(seconds(slot));
    if (slot == 60) h.heals();
    h.at(seconds(slot) + millis(100));
    h.believes_for(who, seconds(15), shown);
    h.asks_for(who, seconds(slot), shown);
    h.lands(who, seconds(slot), shown);
    h.at(seconds(slot) + millis(200));
    h.work_ends(who, seconds(slot));
  }
}
// n1 leads all the time, and executes every slot.
void executes(History& h, std::optional<Token> shown = {}) { executes(h, kN1, 0, 120, shown); }

// With a schedule table: n1 asks for the work of the slot 20s, leads no more,
// and n2 executes all from 30s on. What n1 has asked for is taken when n2 has
// executed those before `taken_before`.
void hands_over_with_work_on_its_way(History& h, int taken_before) {
  executes(h, kN1, 0, 20);
  h.at(seconds(20) + millis(100));
  h.believes_for(kN1, seconds(5));
  h.asks_for(kN1, seconds(20));
  h.steps_down(kN1);
  executes(h, kN2, 30, taken_before);
  h.at(seconds(taken_before));
  h.lands(kN1, seconds(20));
  h.work_ends(kN1, seconds(20));
  executes(h, kN2, taken_before, 120);
}

// n2's rows of another schedule, which has one slot, 115s: due some time later.
constexpr ScheduleId kReport{1};
reference::LedgerRow has_report_to_do(History& h) {
  hands_over(h);
  Definition once{
      .recurrence = Times{std::make_shared<const std::vector<StoreTime>>(1, store_at(seconds(115)))},
      .jitter = {.max = seconds(4), .seed = 1}};
  h.puts(kReport, 1, once);
  reference::LedgerRow row = History::fired_row(seconds(115));
  row.schedule = kReport;
  row.from = store_at(seconds(110) + millis(200));
  row.due = Slots{once}.due(kReport, row.slot);
  return row;
}

Scenario minding_overlap() {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition.overlap = Overlap::skip;
  return scenario;
}

Scenario limited_to_one() {
  Scenario scenario = reference_scenario();
  scenario.scheduling.set(scenario.scheduling.find("max_running"), 1);
  return scenario;
}

// n1's work goes on, while n2 leads, asks for it too, hears this, and takes it
// for delivered.
void acknowledges_running_work(History& h, DeliveryOutcome heard) {
  h.leads_and_fires({}, seconds(20));
  h.at(seconds(20));
  h.extends(kN1, token(1));
  h.covers(kN1, token(1), History::fired_row(seconds(20)));
  h.asks_for(kN1, seconds(20), token(1));
  h.lands(kN1, seconds(20), token(1));
  h.at(seconds(40));
  h.leads(kN2, token(2));
  h.asks_for(kN2, seconds(20), token(2));
  h.lands(kN2, seconds(20), token(2), heard);
  const reference::Request ack{reference::AckEvents{kResource, {{kBilling, store_at(seconds(20)), 0}}}};
  h.submits(kN2, ack, false);
  h.applies(kN2, ack, reference::Reply{reference::Acknowledged{}});
  h.work_ends(kN1, seconds(20));
  for (const int slot : {30, 40}) h.fires(kN2, token(2), seconds(slot));
  goes_on(h, kN2, token(2), 50);
}

// ---- placement ----

void reports(History& h, Incarnation who, std::vector<std::int64_t> runs) {
  h.submits(who, placement::Request{placement::ReportWork{who.node.value + 1, std::move(runs), false}},
            false);
}
void assigns(History& h, Incarnation who, const placement::AssignItem& assign) {
  const Request request = placement::Request{assign};
  h.submits(who, request, true);
  h.applies(who, request, placement::Reply{placement::Assigned{assign.seen + 1}});
}

// n1 leads to the end and gives items 1 and 2 to n1, and 3 to n2; they run
// them. The heal is at 60s.
void places(History& h) {
  h.at(seconds(1));
  h.believes(kN1, Open{});
  for (const std::int64_t item : {1, 2}) assigns(h, kN1, {item, 1, 0, true, {}});
  assigns(h, kN1, {3, 2, 0, true, {}});
  h.at(seconds(2));
  reports(h, kN1, {1, 2});
  reports(h, kN2, {3});
  h.at(seconds(60));
  h.heals();
}

// n1 delivers what it has committed of orders and mails, but for `bug`, which
// says whether it has delivered that event; it leads to the end.
void delivers_all_but(History& h, const std::function<bool(History&, const WorkItem&)>& bug) {
  h.commits_orders_and_mails();
  for (const ScheduleId schedule : {kOrders, kMails})
    for (const int slot : {51, 52}) {
      const WorkItem item = History::delivery(schedule, seconds(slot), token(1));
      if (!bug(h, item)) h.delivers(kN1, item);
    }
  for (int slot = 53; slot < 60; ++slot) {
    if (h.now() < at_seconds(slot)) h.at(seconds(slot) + millis(100));
    for (const ScheduleId schedule : {kOrders, kMails}) {
      reference::LedgerRow row = History::fired_row(seconds(slot));
      row.schedule = schedule;
      row.to = row.slot + seconds(1);
      h.covers(kN1, token(1), row);
      h.delivers(kN1, History::delivery(schedule, seconds(slot), token(1)));
    }
  }
  goes_on(h, kN1, token(1), 60);
}
bool is(const WorkItem& item, ScheduleId schedule, int slot) {
  return item.event.schedule == schedule && item.event.slot == store_at(seconds(slot));
}

// The destination does not take the event, and asks for a second; n1 sends it
// again after `wait`.
void asks_for_a_second(History& h, const WorkItem& item, Duration wait) {
  h.sends(kN1, item);
  h.arrives(kN1, item, std::nullopt, seconds(1));
  h.at(h.now() - TrueTime{} + wait);
  WorkItem again = item;
  ++again.attempt;
  h.delivers(kN1, again);
}
// Events are dead after a second.
Scenario aging_scenario() {
  Scenario scenario = pushing_scenario();
  scenario.scheduling.set(scenario.scheduling.find("destination_age"), seconds(1).ns());
  return scenario;
}

// Workers complete what n1 has committed of orders and mails, but for these
// slots of a schedule: `happens` is what becomes of them.
void executes_all_but(History& h, ScheduleId left_out, const std::set<int>& slots,
                      const std::function<void(History&)>& happens) {
  h.commits_orders_and_mails();
  for (const ScheduleId schedule : {kOrders, kMails})
    for (const int slot : {51, 52})
      if (schedule != left_out || !slots.contains(slot)) h.executes(schedule, seconds(slot));
  if (*slots.begin() < 53) happens(h);
  for (int slot = 53; slot < 60; ++slot) {
    if (h.now() < at_seconds(slot)) h.at(seconds(slot) + millis(100));
    for (const ScheduleId schedule : {kOrders, kMails}) {
      reference::LedgerRow row = History::fired_row(seconds(slot));
      row.schedule = schedule;
      row.to = row.slot + seconds(1);
      h.covers(kN1, token(1), row);
      if (schedule != left_out || !slots.contains(slot)) h.executes(schedule, seconds(slot));
    }
    if (slots.contains(slot)) happens(h);
  }
  goes_on(h, kN1, token(1), 60);
}
// Orders, of which one is to wait at most, or none.
Scenario overlapping_scenario(Overlap overlap) {
  Scenario result = pulling_scenario();
  result.schedules[kOrders.value].definition.overlap = overlap;
  return result;
}
// All of it, of an order that this version has fired.
void executes_order(History& h, int slot, std::uint32_t version) {
  const reference::ExecutionToken token = History::attempt(kMailer1, kOrders, seconds(slot));
  h.hands_out(kMailer1, {token}, 1, {}, version);
  h.works(kMailer1, token);
  h.ends(kMailer1, token, reference::Standing::completed);
}
// The orders of 51s and 52s are worked on, or wait; then a version is put that
// replaces, and its first slot, of 53s, is committed. `before` and `after` are
// what becomes of the order of 52s; the rest is executed.
void replaces_order(History& h, const std::function<void(History&)>& before,
                    const std::function<void(History&)>& after) {
  h.commits_orders_and_mails();
  for (const int slot : {51, 52}) h.executes(kMails, seconds(slot));
  h.executes(kOrders, seconds(51));
  before(h);
  h.at(seconds(52) + millis(900));
  Definition orders = pulling_scenario().schedules[kOrders.value].definition;
  orders.overlap = Overlap::replace;
  h.puts(kOrders, 2, orders);
  h.at(seconds(53) + millis(100));
  h.commits(kOrders, seconds(53), 2);
  h.commits(kMails, seconds(53));
  after(h);
  executes_order(h, 53, 2);
  h.executes(kMails, seconds(53));
  for (int slot = 54; slot < 60; ++slot) {
    if (h.now() < at_seconds(slot)) h.at(seconds(slot) + millis(100));
    h.commits(kOrders, seconds(slot), 2);
    h.commits(kMails, seconds(slot));
    executes_order(h, slot, 2);
    h.executes(kMails, seconds(slot));
  }
  goes_on(h, kN1, token(1), 60);
}
// The order of 52s, by this worker.
reference::ExecutionToken order(Incarnation who, std::uint32_t attempt = 1) {
  return History::attempt(who, kOrders, seconds(52), attempt);
}
// Of mails, in the order of slots.
reference::ExecutionToken mail(int slot, Incarnation who, std::uint32_t attempt = 1) {
  return History::attempt(who, kMails, seconds(slot), attempt);
}
// Mails are to have one at a time, and another may go before one that waits.
Scenario queueing_scenario() {
  Scenario result = pulling_scenario();
  Definition& mails = result.schedules[kMails.value].definition;
  mails.delivery.strict_order = false;
  mails.delivery.attempts = 3;
  mails.overlap = Overlap::queue_one;
  return result;
}
// The mail of 51s fails, that of 52s is given back meanwhile, and the first one
// is claimed again.
void fails_and_lets_the_next_be_given_back(History& h) {
  h.claims(kMailer1, mail(51, kMailer1));
  h.works(kMailer1, mail(51, kMailer1), Ending::failed);
  h.ends(kMailer1, mail(51, kMailer1), reference::Standing::failed, true);
  h.claims(kMailer2, mail(52, kMailer2));
  h.at(seconds(54));  // the back-off is over
  h.gives_back(kMailer2, mail(52, kMailer2));
  h.hands_out(kMailer1, {mail(51, kMailer1, 2)}, 2);
}
// Run 7 of orders.
reference::ExecutionToken run_of_orders() {
  return {{kOrders, store_at(seconds(52) + millis(300)), 7}, 1, kMailer1.node.value};
}
// It is done at once.
void completes(History& h, Incarnation who, const reference::ExecutionToken& token) {
  h.works(who, token);
  h.ends(who, token, reference::Standing::completed);
}

void completes_order(History& h) {
  h.claims(kMailer1, order(kMailer1));
  completes(h, kMailer1, order(kMailer1));
}

// The last slot of orders is committed, with this result, beside so many that
// wait.
void commits_the_last_beside(History& h, Overlap overlap, int waiting, reference::RowResult result) {
  h.leads_and_fires({}, seconds(60));
  h.at(seconds(50) + millis(300));
  h.puts(kOrders, 1, overlapping_scenario(overlap).schedules[kOrders.value].definition);
  for (int slot = 51; slot < 59; ++slot) {
    h.at(seconds(slot) + millis(100));
    h.commits(kOrders, seconds(slot));
    if (slot < 59 - waiting) h.executes(kOrders, seconds(slot));
  }
  h.at(seconds(59) + millis(100));
  h.commits(kOrders, seconds(59), 1, result);
  for (int slot = 59 - waiting; slot < 59; ++slot) h.executes(kOrders, seconds(slot));
  if (result == reference::RowResult::covered) h.executes(kOrders, seconds(59));
  goes_on(h, kN1, token(1), 60);
}

std::vector<PlantedBug> bugs_of_executions() {
  using reference::Standing;
  using Happens = std::function<void(History&)>;
  std::vector<PlantedBug> bugs;
  const auto add = [&](const char* checker, const char* bug, const Happens& happens) {
    bugs.push_back({checker, bug, pulling_scenario,
                    [happens](History& h) { executes_all_but(h, kOrders, {52}, happens); }});
  };
  add("one-live-attempt", "an event is handed out while its claim stands", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.at(seconds(54));  // its end is at 54.2s
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("one-live-attempt", "an event is handed out while its claim stands, thanks to a heartbeat",
      [](History& h) {
        h.claims(kMailer1, order(kMailer1));
        h.at(seconds(54));
        h.extends(kMailer1, order(kMailer1), Standing::claimed);
        h.at(seconds(55) + millis(900));
        h.claims(kMailer2, order(kMailer2, 2));
        completes(h, kMailer2, order(kMailer2, 2));
      });
  add("one-live-attempt", "a claim ends during a hold", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.applies(kN1, reference::Request{reference::SetHold{kResource, kN1, token(1), seconds(9)}},
              reference::Reply{reference::HoldSet{reference::Hold{}}});
    h.at(seconds(54) + millis(300));
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
    h.applies(kN1, reference::Request{reference::ClearHold{kResource, kN1, token(1)}},
              reference::Reply{reference::HoldSet{}});
  });
  add("one-live-attempt", "after a hold a claim is not counted anew", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.applies(kN1, reference::Request{reference::SetHold{kResource, kN1, token(1), seconds(9)}},
              reference::Reply{reference::HoldSet{reference::Hold{}}});
    h.at(seconds(54));
    h.applies(kN1, reference::Request{reference::ClearHold{kResource, kN1, token(1)}},
              reference::Reply{reference::HoldSet{}});
    h.at(seconds(55));
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("one-live-attempt", "what was completed is handed out again", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    completes(h, kMailer1, order(kMailer1));
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("one-live-attempt", "an attempt does not wait for its back-off", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.works(kMailer1, order(kMailer1), Ending::failed);
    h.ends(kMailer1, order(kMailer1), Standing::failed, true);
    h.at(seconds(53));
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("one-live-attempt", "a second attempt is called the first", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.at(seconds(55));
    h.claims(kMailer2, order(kMailer2));
    completes(h, kMailer2, order(kMailer2));
  });
  add("no-stale-completion", "a completion counts after the event was handed out again", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.at(seconds(55));
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer1, order(kMailer1));
  });
  add("no-stale-completion", "a heartbeat is heard after the event was handed out again", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.at(seconds(55));
    h.claims(kMailer2, order(kMailer2, 2));
    h.extends(kMailer1, order(kMailer1), Standing::claimed);
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("no-stale-completion", "a worker's number is taken for its claim", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.works(kMailer1, order(kMailer1));
    h.ends(kMailer2, order(kMailer2), Standing::failed, true);
    h.ends(kMailer1, order(kMailer1), Standing::completed);
  });
  add("no-stale-completion", "a live attempt is refused", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.at(seconds(55));  // its claim is over, and nobody else has the event
    h.works(kMailer1, order(kMailer1));
    h.ends(kMailer1, order(kMailer1), Standing::reissued);
    h.ends(kMailer1, order(kMailer1), Standing::completed);
  });
  add("no-stale-completion", "what is said for the second time gets another answer", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    completes(h, kMailer1, order(kMailer1));
    h.ends(kMailer1, order(kMailer1), Standing::unknown);
  });
  add("no-stale-completion", "what is given back after the event was handed out again is taken back",
      [](History& h) {
        h.claims(kMailer1, order(kMailer1));
        h.at(seconds(55));
        h.claims(kMailer2, order(kMailer2, 2));
        h.gives_back(kMailer1, order(kMailer1));
        completes(h, kMailer2, order(kMailer2, 2));
      });
  add("no-stale-completion", "what was given back has failed", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.gives_back(kMailer1, order(kMailer1));
    h.ends(kMailer1, order(kMailer1), Standing::failed, true);
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("no-stale-completion", "what was given back is not handed out", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.gives_back(kMailer1, order(kMailer1));
    h.claims_in_vain(kMailer2);
    h.at(seconds(55));
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  const auto add_ordered = [&](const char* checker, const char* bug, const Happens& happens) {
    bugs.push_back({checker, bug, pulling_scenario, [happens](History& h) {
                      executes_all_but(h, kMails, {51, 52}, happens);
                    }});
  };
  add_ordered("no-stale-completion", "of a schedule in strict order, what was given back is not handed out",
              [](History& h) {
                h.claims(kMailer1, mail(51, kMailer1));
                h.gives_back(kMailer1, mail(51, kMailer1));
                h.claims_in_vain(kMailer2, kMails);
                h.claims(kMailer2, mail(51, kMailer2, 2));
                completes(h, kMailer2, mail(51, kMailer2, 2));
                h.executes(kMails, seconds(52));
              });
  const auto add_queueing = [&](const char* bug, const Happens& happens) {
    bugs.push_back({"no-stale-completion", bug, queueing_scenario, [happens](History& h) {
                      executes_all_but(h, kMails, {51, 52}, happens);
                    }});
  };
  add_queueing(
      "of a schedule that has one at a time, what was given back is "
      "not handed out",
      [](History& h) {
        h.claims(kMailer1, mail(51, kMailer1));
        h.gives_back(kMailer1, mail(51, kMailer1));
        h.claims_in_vain(kMailer2, kMails);
        for (const int slot : {51, 52}) {
          h.claims(kMailer2, mail(slot, kMailer2, slot == 51 ? 2 : 1));
          completes(h, kMailer2, mail(slot, kMailer2, slot == 51 ? 2 : 1));
        }
      });
  add_queueing(
      "what was given back is not handed out when the claim of "
      "another one is over",
      [](History& h) {
        fails_and_lets_the_next_be_given_back(h);
        h.at(h.now() - TrueTime{} + seconds(3));
        h.claims_in_vain(kMailer1, kMails);
        for (const int slot : {51, 52}) {
          const std::uint32_t attempt = slot == 51 ? 3 : 2;
          h.claims(kMailer2, mail(slot, kMailer2, attempt));
          completes(h, kMailer2, mail(slot, kMailer2, attempt));
        }
      });
  add_queueing("a later one is handed out before what was given back", [](History& h) {
    h.claims(kMailer1, mail(51, kMailer1));
    h.gives_back(kMailer1, mail(51, kMailer1));
    h.hands_out(kMailer2, {mail(52, kMailer2)}, 2);
    completes(h, kMailer2, mail(52, kMailer2));
    h.claims(kMailer2, mail(51, kMailer2, 2));
    completes(h, kMailer2, mail(51, kMailer2, 2));
  });
  const auto add_replacing = [&](const char* bug, const Happens& before, const Happens& after) {
    bugs.push_back({"no-stale-completion", bug, pulling_scenario,
                    [before, after](History& h) { replaces_order(h, before, after); }});
  };
  const Happens claims_it = [](History& h) { h.claims(kMailer1, order(kMailer1)); };
  const Happens nothing = [](History&) {};
  add_replacing("what is to give way is taken back", claims_it, [](History& h) {
    h.extends(kMailer1, order(kMailer1), Standing::cancelled);
    h.gives_back(kMailer1, order(kMailer1));
    completes(h, kMailer1, order(kMailer1));
  });
  add_replacing("what is to give way is handed out again", claims_it, [](History& h) {
    h.extends(kMailer1, order(kMailer1), Standing::cancelled);
    h.at(seconds(56));
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add_replacing("nobody is asked to stop", claims_it, [](History& h) {
    h.extends(kMailer1, order(kMailer1), Standing::claimed);
    completes(h, kMailer1, order(kMailer1));
  });
  add_replacing("what is to give way is over although it was completed", claims_it, [](History& h) {
    h.works(kMailer1, order(kMailer1));
    h.ends(kMailer1, order(kMailer1), Standing::replaced);
  });
  add_replacing("what nobody works on does not give way", nothing, [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    completes(h, kMailer1, order(kMailer1));
  });
  add_replacing(
      "what waits after a failure does not give way",
      [](History& h) {
        h.claims(kMailer1, order(kMailer1));
        h.works(kMailer1, order(kMailer1), Ending::failed);
        h.ends(kMailer1, order(kMailer1), Standing::failed, true);
      },
      [](History& h) {
        h.at(seconds(54));
        h.claims(kMailer1, order(kMailer1, 2));
        completes(h, kMailer1, order(kMailer1, 2));
      });
  add_replacing("the newest is over with an attempt that is given back", claims_it, [](History& h) {
    completes(h, kMailer1, order(kMailer1));
    const auto newest = History::attempt(kMailer1, kOrders, seconds(53));
    h.hands_out(kMailer1, {newest}, 1, {}, 2);
    h.gives_back(kMailer1, newest, Standing::replaced);
  });
  add_replacing(
      "a manual run gives way",
      [](History& h) {
        completes_order(h);
        h.asks_for_a_run(kOrders, 7, seconds(52) + millis(300));
        h.hands_out(kMailer1, {run_of_orders()}, 1);
      },
      [](History& h) {
        h.extends(kMailer1, run_of_orders(), Standing::cancelled);
        completes(h, kMailer1, run_of_orders());
      });
  add("one-live-attempt", "what was given back is paid for with two attempts more", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.gives_back(kMailer1, order(kMailer1));
    h.claims(kMailer1, order(kMailer1, 2));
    h.works(kMailer1, order(kMailer1, 2), Ending::failed);
    h.ends(kMailer1, order(kMailer1, 2), Standing::failed, true);
    h.at(seconds(54));
    h.claims(kMailer1, order(kMailer1, 3));
    h.at(seconds(57));  // its claim is over
    h.claims(kMailer2, order(kMailer2, 4));
    completes(h, kMailer2, order(kMailer2, 4));
  });
  add("topics-apart", "a worker of no topic is handed an event that has one", [](History& h) {
    h.claims(kMailer1, order(kMailer1), "");
    completes(h, kMailer1, order(kMailer1));
  });
  add("topics-apart", "a worker is handed an event of another topic", [](History& h) {
    h.claims(kMailer1, order(kMailer1), "video");
    completes(h, kMailer1, order(kMailer1));
  });
  add("dead-or-delivered", "an event is dead after one attempt of two", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.works(kMailer1, order(kMailer1), Ending::failed);
    h.ends(kMailer1, order(kMailer1), Standing::dead, true);
  });
  add("dead-or-delivered", "an attempt that was given back counts", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.gives_back(kMailer1, order(kMailer1));
    h.claims(kMailer2, order(kMailer2, 2));
    h.works(kMailer2, order(kMailer2, 2), Ending::failed);
    h.ends(kMailer2, order(kMailer2, 2), Standing::dead, true);
  });
  add("dead-or-delivered", "a failure counts as a completion", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.works(kMailer1, order(kMailer1), Ending::failed);
    h.ends(kMailer1, order(kMailer1), Standing::completed, false);
  });
  const auto add_last = [&](const char* bug, const Happens& happens) {
    bugs.push_back({"delivered", bug, pulling_scenario,
                    [happens](History& h) { executes_all_but(h, kOrders, {59}, happens); }});
  };
  add_last("an event is not handed out", nothing);
  add_last("an event is not handed out again",
           [](History& h) { h.claims(kMailer1, History::attempt(kMailer1, kOrders, seconds(59))); });
  add("no-stale-completion", "what nobody has claimed is left lying", [](History& h) {
    h.claims_in_vain(kMailer2);
    completes_order(h);
  });
  add("no-stale-completion", "an event whose claim is over is left lying", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.at(seconds(55));
    h.claims_in_vain(kMailer2);
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("no-stale-completion", "an event whose back-off is over is left lying", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.works(kMailer1, order(kMailer1), Ending::failed);
    h.ends(kMailer1, order(kMailer1), Standing::failed, true);
    h.at(seconds(53) + millis(300));
    h.claims_in_vain(kMailer2);
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  bugs.push_back(
      {"no-stale-completion", "what comes last is handed out first", pulling_scenario, [](History& history) {
         executes_all_but(history, kOrders, {51, 52}, [](History& h) {
           for (const int slot : {52, 51}) h.executes(kOrders, seconds(slot));
         });
       }});
  bugs.push_back({"no-stale-completion", "two are handed out in the wrong order", pulling_scenario,
                  [](History& history) {
                    executes_all_but(history, kOrders, {51, 52}, [](History& h) {
                      const auto first = History::attempt(kMailer1, kOrders, seconds(51));
                      h.hands_out(kMailer1, {order(kMailer1), first}, 2);
                      completes(h, kMailer1, first);
                      completes(h, kMailer1, order(kMailer1));
                    });
                  }});
  add_ordered("no-stale-completion", "in strict order a later one is handed out while the first backs off",
              [](History& h) {
                h.claims(kMailer1, mail(51, kMailer1));
                h.works(kMailer1, mail(51, kMailer1), Ending::failed);
                h.ends(kMailer1, mail(51, kMailer1), Standing::failed, true);
                h.executes(kMails, seconds(52));
                h.at(seconds(54));
                h.claims(kMailer1, mail(51, kMailer1, 2));
                completes(h, kMailer1, mail(51, kMailer1, 2));
              });
  add("no-stale-completion", "a worker is told of another back-off", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.works(kMailer1, order(kMailer1), Ending::failed);
    h.ends(kMailer1, order(kMailer1), Standing::failed, true, millis(1));
    h.at(seconds(54));
    h.claims(kMailer2, order(kMailer2, 2));
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("no-stale-completion", "the last failure is one of several", [](History& h) {
    for (const std::uint32_t attempt : {1u, 2u}) {
      h.claims(kMailer1, order(kMailer1, attempt));
      h.works(kMailer1, order(kMailer1, attempt), Ending::failed);
      h.ends(kMailer1, order(kMailer1, attempt), Standing::failed, true, seconds(attempt));
      h.at(seconds(54));
    }
    h.works(kMailer1, order(kMailer1, 2));
    h.ends(kMailer1, order(kMailer1, 2), Standing::completed);
  });
  add("no-stale-completion", "an older attempt is unknown", [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.at(seconds(55));
    h.claims(kMailer2, order(kMailer2, 2));
    h.extends(kMailer1, order(kMailer1), Standing::unknown);
    completes(h, kMailer2, order(kMailer2, 2));
  });
  add("no-stale-completion", "an event is handed out as one of another version", [](History& h) {
    h.hands_out(kMailer1, {order(kMailer1)}, 1, {}, 2);
    completes(h, kMailer1, order(kMailer1));
  });
  const auto add_overlapping = [&](const char* bug, Overlap overlap, int waiting,
                                   reference::RowResult result) {
    bugs.push_back({"no-lost-fire", bug, [overlap] { return overlapping_scenario(overlap); },
                    [=](History& h) { commits_the_last_beside(h, overlap, waiting, result); }});
  };
  using enum reference::RowResult;
  add_overlapping("a slot overlaps nothing", Overlap::skip, 0, overlapped);
  add_overlapping("a slot fires beside an event that waits", Overlap::skip, 1, covered);
  add_overlapping("a slot is left out that may wait", Overlap::queue_one, 1, overlapped);
  add_overlapping("a second slot waits", Overlap::queue_one, 2, covered);
  add_overlapping("a slot of a schedule that lets all fire overlaps", Overlap::allow, 2, overlapped);
  bugs.push_back({"one-live-attempt",
                  "of a schedule that has one at a time, two events are handed out at once",
                  queueing_scenario, [](History& history) {
                    executes_all_but(history, kMails, {51, 52}, [](History& h) {
                      const auto first = History::attempt(kMailer1, kMails, seconds(51));
                      const auto second = History::attempt(kMailer2, kMails, seconds(52));
                      h.claims(kMailer1, first);
                      h.claims(kMailer2, second);
                      completes(h, kMailer1, first);
                      completes(h, kMailer2, second);
                    });
                  }});
  return bugs;
}

const std::vector<PlantedBug>& bugs_of_instances() {
  static const std::vector<PlantedBug> kBugs = {
      {"one-holder-per-epoch", "a standby shows the token of a leader that died", reference_scenario,
       [](History& h) {
         hands_over(h);
         h.submits(kN3, reference::Request{reference::Release{kResource, kN3, token(1)}}, false);
       }},
      {"one-holder-per-epoch", "a node works under an epoch that another was granted", reference_scenario,
       [](History& h) {
         hands_over(h);
         h.lands(kN3, seconds(110), token(2), DeliveryOutcome::duplicate);
       }},
      {"epochs-increase", "the store grants epoch 3 after epoch 5", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         h.at(seconds(36));
         h.granted(kN2, token(5), seconds(1));
         h.at(seconds(38));
         h.leads(kN1, token(3));
         h.fires(kN1, token(3), seconds(30));
         goes_on(h, kN1, token(3), 40);
       }},
      {"epochs-increase", "a ring has an older token again", ring_scenario,
       [](History& h) {
         executes(h, token(5));
         h.steps_down(kN1);
         h.believes(kN2, Open{}, token(7));
         h.steps_down(kN2);
         h.believes(kN1, Open{}, token(6));
       }},
      {"fenced-writes", "the store takes a commit of an expired lease", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         const reference::Request late =
             reference::CommitFires{kResource, kN1, token(1), {History::fired_row(seconds(30))}};
         h.at(seconds(30));
         h.submits(kN1, late);
         h.asks_for(kN1, seconds(30), token(1));
         h.at(seconds(36));
         h.applies(kN1, late, reference::Reply{reference::Committed{{reference::RowResult::covered}}});
         h.work_is_done(kN1, seconds(30), token(1));
         h.leads(kN1, token(2));
         goes_on(h, kN1, token(2), 40);
       }},
      {"fenced-writes",
       "the outside world takes the work of a deposed leader",
       reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.at(seconds(20));
         h.covers(kN1, token(1), History::fired_row(seconds(20)));
         h.asks_for(kN1, seconds(20), token(1));
         h.at(seconds(39));
         h.leads(kN2, token(2));
         h.fires(kN2, token(2), seconds(30));
         h.work_is_done(kN1, seconds(20), token(1));  // held up on its way
         goes_on(h, kN2, token(2), 40);
       },
       {"no-stale-act"}},
      {"no-stale-act", "the work of a leader is refused that alone leads", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.at(seconds(20));
         h.extends(kN1, token(1));
         h.covers(kN1, token(1), History::fired_row(seconds(20)));
         h.asks_for(kN1, seconds(20), token(1));
         h.lands(kN1, seconds(20), token(1), DeliveryOutcome::fenced);
         h.asks_for(kN1, seconds(20), token(1));
         h.work_is_done(kN1, seconds(20), token(1));
         goes_on(h, kN1, token(1), 30);
       }},
      {"acts-within-belief", "work shows another token than its leader's belief", ring_scenario,
       [](History& h) {
         executes(h, token(5));
         h.steps_down(kN1);
         h.believes(kN1, Open{}, token(6));
         h.steps_down(kN1);
         h.believes(kN1, Open{}, token(7));
         h.asks_for(kN1, seconds(120), token(6));
       }},
      {"one-holder-per-epoch", "a commit names an epoch that was never granted", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.submits(kN1, reference::Request{reference::CommitFires{kResource, kN1, token(9), {}}}, false);
         goes_on(h, kN1, token(1), 20);
       }},
      {"fenced-writes", "work is begun that shows no token", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.at(seconds(20));
         h.covers(kN1, token(1), History::fired_row(seconds(20)));
         h.extends(kN1, token(1));
         h.work_is_done(kN1, seconds(20));
         goes_on(h, kN1, token(1), 30);
       }},
      {"no-stale-act", "work of a deposed leader is taken after work of the next one", table_scenario,
       [](History& h) { hands_over_with_work_on_its_way(h, 40); }},
      {"acts-within-belief", "a leader writes after the end that it had declared", reference_scenario,
       [](History& h) {
         hands_over(h);
         h.at(millis(119'800));
         h.see(FaultBegan{.id = 1, .action = "delay", .what = ""});
         h.steps_down(kN2);
         h.at(millis(119'900));
         h.submits(kN2, reference::Request{reference::SetHold{kResource, kN2, token(2), seconds(1)}});
         h.believes_for(kN2, seconds(1), token(2));
       }},
      {"one-believer", "a paused leader still believes when another begins to", election_scenario,
       [](History& h) {
         h.at(seconds(1));
         h.believes(kN1, Open{});
         h.at(seconds(10));
         h.see(NodePaused{kN1});
         h.at(seconds(27));
         h.believes(kN2, Open{});
         h.at(seconds(30));
         h.see(NodeResumed{kN1});
         h.steps_down(kN1);
         h.at(seconds(60));
         h.heals();
       }},
      {"one-worker", "a job goes on when its node no longer leads", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.at(seconds(20));
         h.covers(kN1, token(1), History::fired_row(seconds(20)));
         h.asks_for(kN1, seconds(20), token(1));
         h.lands(kN1, seconds(20), token(1));
         h.at(seconds(39));
         h.leads(kN2, token(2));
         h.covers(kN2, token(2), History::fired_row(seconds(30)));
         h.asks_for(kN2, seconds(30), token(2));
         h.lands(kN2, seconds(30), token(2));
         h.at(millis(39'500));
         h.work_ends(kN1, seconds(20), Ending::stopped);
         h.work_ends(kN2, seconds(30));
         goes_on(h, kN2, token(2), 40);
       }},
      {"one-worker", "a lease is given back while a job runs", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.at(seconds(20));
         h.covers(kN1, token(1), History::fired_row(seconds(20)));
         h.asks_for(kN1, seconds(20), token(1));
         h.lands(kN1, seconds(20), token(1));
         h.see(FaultBegan{.id = 1, .action = "delay", .what = ""});
         h.steps_down(kN1);
         h.at(seconds(21));
         h.applies(kN1, reference::Request{reference::Release{kResource, kN1, token(1)}},
                   reference::Reply{reference::Released{}});
         h.at(seconds(22));
         h.work_ends(kN1, seconds(20), Ending::stopped, token(1));
         h.at(seconds(29));
         h.leads(kN2, token(2));
         goes_on(h, kN2, token(2), 30);
       }},
      {"no-duplicate-fire", "the work of a slot begins a second time", reference_scenario,
       [](History& h) {
         hands_over(h);
         h.work_is_done(kN2, seconds(50), token(2));
       }},
      {"no-duplicate-fire", "the ledger has a second row for a slot", reference_scenario,
       [](History& h) {
         hands_over(h);
         reference::LedgerRow again = History::fired_row(seconds(60));
         again.from = store_at(seconds(55));
         again.to = store_at(seconds(65));
         h.covers(kN2, token(2), again);
         h.work_is_done(kN2, seconds(60), token(2));
       }},
      {"no-duplicate-fire", "a trigger that is asked for again runs again", reference_scenario,
       [](History& h) {
         hands_over(h);
         const StoreTime asked_at = store_at(seconds(110));
         for (const Duration moment : {millis(111'000), millis(114'000)}) {
           h.at(moment);
           h.applies(kClient,
                     reference::Request{reference::TriggerSchedule{kResource, kBilling, 7, asked_at}},
                     reference::Reply{reference::Edited{1, 1}});
           h.see(WorkLanded{kN2,
                            {kResource, {kBilling, asked_at, 7}, token(2), true},
                            DeliveryOutcome::begun,
                            store_at(moment)});
         }
       }},
      {"no-lost-fire", "the cursor is moved over a slot", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         h.at(seconds(30));
         h.extends(kN1, token(1));
         goes_on(h, kN1, token(1), 40);
       }},
      {"no-lost-fire", "late slots are folded into one, although each is to fire", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         h.at(seconds(109));
         h.heals();
         h.leads(kN1, token(2));
         reference::LedgerRow row = History::fired_row(seconds(40));
         row.from = store_at(seconds(30));
         row.to = row.slot + Duration::micros(1);
         row.slots = 2;
         h.covers(kN1, token(2), row);
         h.work_is_done(kN1, seconds(40), token(2));
         for (int slot = 50; slot <= 100; slot += 10) h.fires(kN1, token(2), seconds(slot));
         goes_on(h, kN1, token(2), 110);
       }},
      {"no-lost-fire", "a slot is suppressed by work that is over", minding_overlap,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         h.at(seconds(25));
         std::vector<reference::EventId> done;
         for (const int slot : {0, 10, 20}) done.push_back({kBilling, store_at(seconds(slot)), 0});
         h.submits(kN1, reference::Request{reference::AckEvents{kResource, done}}, false);
         h.at(seconds(30) + millis(100));
         h.extends(kN1, token(1));
         h.covers(
             kN1, token(1),
             History::range_row(seconds(30), seconds(30) + millis(1), reference::Disposition::overlapped));
         goes_on(h, kN1, token(1), 40);
       }},
      {"no-lost-fire", "an event is acknowledged before its work has begun", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.at(seconds(20));
         h.extends(kN1, token(1));
         h.covers(kN1, token(1), History::fired_row(seconds(20)));
         h.asks_for(kN1, seconds(20), token(1));
         h.submits(
             kN1, reference::Request{reference::AckEvents{kResource, {{kBilling, store_at(seconds(20)), 0}}}},
             false);
         h.at(seconds(21));
         h.work_is_done(kN1, seconds(20), token(1));
         goes_on(h, kN1, token(1), 30);
       }},
      {"no-lost-fire", "an event is acknowledged while its work is running", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.at(seconds(20));
         h.extends(kN1, token(1));
         h.covers(kN1, token(1), History::fired_row(seconds(20)));
         h.asks_for(kN1, seconds(20), token(1));
         h.lands(kN1, seconds(20), token(1));
         h.at(seconds(21));
         h.submits(
             kN1, reference::Request{reference::AckEvents{kResource, {{kBilling, store_at(seconds(20)), 0}}}},
             false);
         h.at(seconds(22));
         h.work_ends(kN1, seconds(20));
         goes_on(h, kN1, token(1), 30);
       }},
      {"no-lost-fire", "an event is acknowledged while its work is running at another instance",
       reference_scenario, [](History& h) { acknowledges_running_work(h, DeliveryOutcome::running); }},
      {"no-lost-fire",
       "an event is acknowledged since the resource calls its running work a "
       "duplicate",
       reference_scenario, [](History& h) { acknowledges_running_work(h, DeliveryOutcome::duplicate); }},
      {"no-lost-fire",
       "an event is acknowledged whose work was refused",
       reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(20));
         h.at(seconds(20));
         h.extends(kN1, token(1));
         h.covers(kN1, token(1), History::fired_row(seconds(20)));
         h.asks_for(kN1, seconds(20), token(1));
         h.lands(kN1, seconds(20), token(1), DeliveryOutcome::fenced);
         h.at(seconds(21));
         h.submits(
             kN1, reference::Request{reference::AckEvents{kResource, {{kBilling, store_at(seconds(20)), 0}}}},
             false);
         h.at(seconds(22));
         h.asks_for(kN1, seconds(20), token(1));
         h.work_is_done(kN1, seconds(20), token(1));
         goes_on(h, kN1, token(1), 30);
       },
       {"no-stale-act"}},
      {"no-lost-fire", "a slot of a backfill is left out", reference_scenario,
       [](History& h) {
         h.at(seconds(0));
         h.applies(kClient,
                   reference::Request{
                       reference::BackfillSchedule{kResource, kBilling, 7, {store_at(seconds(-10))}}},
                   reference::Reply{reference::Edited{1, 1}});
         hands_over(h);
       }},
      {"never-early", "a fire does not wait for its jitter", reference_scenario,
       [](History& h) {
         const reference::LedgerRow row = has_report_to_do(h);
         h.at(row.due - store_at({}) - millis(1));
         h.covers(kN2, token(2), row);
       }},
      {"no-drift", "a node has a jitter of its own", reference_scenario,
       [](History& h) {
         reference::LedgerRow row = has_report_to_do(h);
         row.due += millis(1);
         h.at(seconds(119));
         h.covers(kN2, token(2), row);
       }},
      {"no-drift", "a time that the clocks leave out is fired at another", reference_scenario,
       [](History& h) {
         hands_over(h);
         // At 112s the clocks go forward by an hour, over 00:05.
         const auto zone = std::make_shared<const TimeZone>(
             "Made/Up", "test",
             std::vector<TimeZone::Period>{{TimeZone::kAlways, 0}, {kStartNs / 1'000'000'000 + 112, 3'600}});
         h.puts(kReport, 1,
                {.recurrence =
                     CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse("5 0 * * *"))),
                              .zone = zone}});
         reference::LedgerRow row = History::fired_row(seconds(113));
         row.schedule = kReport;
         row.from = store_at(seconds(110) + millis(200));
         h.at(seconds(114));
         h.covers(kN2, token(2), row);
       }},
      {"no-drift", "a schedule runs by hand after it was deleted", reference_scenario,
       [](History& h) {
         hands_over(h);
         h.puts(kReport, 1, every(seconds(1'000)));
         h.applies(kClient, reference::Request{reference::DeleteSchedule{kResource, kReport, 1}},
                   reference::Reply{reference::Edited{1, 2}});
         h.at(seconds(112));
         h.applies(
             kClient,
             reference::Request{reference::TriggerSchedule{kResource, kReport, 7, store_at(seconds(112))}},
             reference::Reply{reference::Edited{1, 2}});
       }},
      {"no-drift", "a slot is counted from the execution before it", table_scenario,
       [](History& h) {
         executes(h);
         h.asks_for(kN1, millis(105'100));
         h.work_is_done(kN1, millis(105'100));
       }},
      {"versions-take-turns", "a commit goes on from one version of a schedule to the next",
       reference_scenario,
       [](History& h) {
         hands_over(h);
         reference::LedgerRow first = History::fired_row(seconds(120), 1);
         reference::LedgerRow second = History::fired_row(seconds(130), 2);
         h.submits(kN2,
                   reference::Request{reference::CommitFires{kResource, kN2, token(2), {first, second}}});
       }},
      {"work-within-limit", "a leader that takes over begins all that it finds in the outbox", limited_to_one,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         h.at(seconds(30));
         h.extends(kN1, token(1));
         h.covers(kN1, token(1), History::fired_row(seconds(30)));
         h.at(seconds(40));
         h.extends(kN1, token(1));
         h.covers(kN1, token(1), History::fired_row(seconds(40)));
         for (const int slot : {30, 40}) h.asks_for(kN1, seconds(slot), token(1));
         for (const int slot : {30, 40}) h.lands(kN1, seconds(slot), token(1));
         h.at(seconds(41));
         for (const int slot : {30, 40}) h.work_ends(kN1, seconds(slot), Ending::done, token(1));
         goes_on(h, kN1, token(1), 50);
       }},
      {"never-early", "a row is written before its slot", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         h.at(millis(29'990));
         h.extends(kN1, token(1));
         h.fires(kN1, token(1), seconds(30));
         goes_on(h, kN1, token(1), 40);
       }},
      {"never-early", "work begins before its fire is committed", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         h.at(seconds(30));
         h.extends(kN1, token(1));
         h.asks_for(kN1, seconds(30), token(1));
         h.work_is_done(kN1, seconds(30), token(1));
         h.covers(kN1, token(1), History::fired_row(seconds(30)));
         goes_on(h, kN1, token(1), 40);
       }},
      {"items-run-once", "a worker that is cut off runs on while its item runs elsewhere", placement_scenario,
       [](History& h) {
         places(h);
         h.at(seconds(70));
         reports(h, kN3, {3});
         h.at(seconds(71));
         reports(h, kN2, {});
       }},
      {"items-run-once", "a worker wakes up and goes on with what was moved", placement_scenario,
       [](History& h) {
         places(h);
         h.at(seconds(70));
         h.see(NodePaused{kN2});
         h.at(seconds(80));
         reports(h, kN3, {3});
         h.at(seconds(90));
         h.see(NodeResumed{kN2});
         h.at(seconds(90) + millis(1));
         reports(h, kN2, {});
       }},
      {"no-stale-assignment", "a late assignment overwrites a newer one", placement_scenario,
       [](History& h) {
         places(h);
         h.at(seconds(70));
         assigns(h, kN1, {3, 3, 1, true, {}});
         reports(h, kN2, {});
         reports(h, kN3, {3});
         assigns(h, kN1, {3, 3, 1, false, {}});
       }},
      {"items-placed", "an item of a dead worker is forgotten", placement_scenario,
       [](History& h) {
         places(h);
         h.at(seconds(70));
         h.see(NodeDied{kN2, Death::killed});
       }},
      {"leader-elected", "nobody leads at the end of the tail", election_scenario,
       [](History& h) {
         h.at(seconds(1));
         h.believes_for(kN1, seconds(58));
         h.at(seconds(60));
         h.heals();
         h.at(seconds(61));
         h.believes_for(kN2, seconds(15));
       }},
      {"caught-up", "the leader stops firing in the tail", reference_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(60));
         h.at(seconds(60));
         h.heals();
         for (int second = 60; second < 120; second += 10) {
           h.at(seconds(second) + millis(100));
           h.extends(kN1, token(1));
           if (second <= 90) h.fires(kN1, token(1), seconds(second));
         }
       }},
      {"design-error", "the program of n2 fails while n1 leads", design_scenario,
       [](History& h) {
         h.leads_and_fires({}, seconds(30));
         h.note(kN2, DesignError{"an error"});
         goes_on(h, kN1, token(1), 30);
       }},
      {"begun-in-order", "an event is sent before one of its schedule that was committed earlier",
       pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kMails, 52)) return is(item, kMails, 51);
           all.delivers(kN1, item);
           all.delivers(kN1, History::delivery(kMails, seconds(51), token(1)));
           return true;
         });
       }},
      {"dead-or-delivered", "an event is acknowledged after an attempt that failed", pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kOrders, 52)) return false;
           all.sends(kN1, item);
           all.arrives(kN1, item, std::nullopt);
           all.takes_from_the_outbox(kN1, item);
           return true;
         });
       }},
      {"dead-or-delivered", "an event is sent for the third time of two", pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kOrders, 52)) return false;
           for (const std::uint32_t attempt : {1u, 2u}) {
             const WorkItem again = History::delivery(kOrders, seconds(52), token(1), attempt);
             all.sends(kN1, again);
             all.arrives(kN1, again, std::nullopt);
             all.at(seconds(52) + seconds(attempt) + millis(300));
           }
           all.delivers(kN1, History::delivery(kOrders, seconds(52), token(1), 3));
           return true;
         });
       }},
      {"dead-or-delivered", "an event is sent again at once", pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kOrders, 52)) return false;
           all.sends(kN1, item);
           all.arrives(kN1, item, std::nullopt);
           all.at(seconds(52) + millis(300));
           all.delivers(kN1, History::delivery(kOrders, seconds(52), token(1), 2));
           return true;
         });
       }},
      {"dead-or-delivered", "an event is dead after one attempt of two", pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kOrders, 52)) return false;
           all.sends(kN1, item);
           all.arrives(kN1, item, DeliveryOutcome::begun);
           all.see(DeliveryEnded{kN1, item, Ending::failed});
           all.gives_up(kN1, item);
           return true;
         });
       }},
      {"destinations-apart", "events for one destination wait until another has answered", pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (is(item, kMails, 51)) {
             const WorkItem slow = History::delivery(kOrders, seconds(52), token(1));
             all.sends(kN1, slow);
             all.arrives(kN1, slow, DeliveryOutcome::begun);
             all.at(seconds(55));
             all.see(DeliveryEnded{kN1, slow, Ending::done});
             all.takes_from_the_outbox(kN1, slow);
           }
           return is(item, kOrders, 52);
         });
       }},
      {"waits-as-asked", "an event that was refused is sent again too early", pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kMails, 52)) return false;
           asks_for_a_second(all, item, millis(999));
           return true;
         });
       }},
      {"waits-as-asked", "an event at which its destination failed is sent again too early", pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kMails, 52)) return false;
           all.sends(kN1, item);
           all.arrives(kN1, item, DeliveryOutcome::begun);
           all.see(DeliveryEnded{kN1, item, Ending::failed, seconds(1)});
           all.at(seconds(52) + millis(800));
           all.delivers(kN1, History::delivery(kMails, seconds(52), token(1), 2));
           return true;
         });
       }},
      {"waits-as-asked", "an event that is to wait for longer than it may is sent again", aging_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kMails, 52)) return false;
           asks_for_a_second(all, item, seconds(1));
           return true;
         });
       }},
      {"delivered", "an event that was delivered stays in the outbox", pushing_scenario,
       [](History& h) {
         delivers_all_but(h, [](History& all, const WorkItem& item) {
           if (!is(item, kOrders, 51)) return false;
           all.sends(kN1, item);
           all.arrives(kN1, item, DeliveryOutcome::begun);
           all.see(DeliveryEnded{kN1, item, Ending::done});
           return true;
         });
       }},
  };
  return kBugs;
}

const std::vector<PlantedBug>& planted_bugs() {
  static const std::vector<PlantedBug> kBugs = [] {
    std::vector<PlantedBug> bugs = bugs_of_instances();
    for (PlantedBug& bug : bugs_of_executions()) bugs.push_back(std::move(bug));
    return bugs;
  }();
  return kBugs;
}

TEST(PlantedBugs, every_checker_of_the_registry_has_one) {
  for (const CheckerKind& kind : checker_kinds()) {
    const bool planted = std::any_of(planted_bugs().begin(), planted_bugs().end(),
                                     [&kind](const PlantedBug& bug) { return bug.checker == kind.name; });
    EXPECT_TRUE(planted) << kind.name;
    EXPECT_EQ(find_checker_kind(kind.name), &kind);
    EXPECT_FALSE(kind.summary.empty());
  }
  EXPECT_EQ(find_checker_kind("no-such-checker"), nullptr);
}

// The slots of billing, 10s apart, in each way to say it.
std::vector<Recurrence> recurrences() {
  std::vector<StoreTime> times;
  for (int slot = 0; slot <= 200; slot += 10) times.push_back(store_at(seconds(slot)));
  return {every(seconds(10)).recurrence,
          CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse("*/10 * * * * *")))},
          Times{std::make_shared<const std::vector<StoreTime>>(std::move(times))}};
}

TEST(PlantedBugs, are_found_by_their_checker_and_by_no_other) {
  for (const PlantedBug& bug : planted_bugs()) {
    for (const Recurrence& recurrence : recurrences()) {
      SCOPED_TRACE(std::string{bug.checker} + ": " + bug.bug + "; " + std::to_string(recurrence.index()));
      Scenario scenario = bug.scenario();
      if (!scenario.schedules.empty()) scenario.schedules.front().definition.recurrence = recurrence;
      History history{std::move(scenario)};
      bug.happens(history);
      history.finishes();
      std::set<std::string> failing = history.failing();
      // As long as no failover comes between, it asks the same.
      if (bug.checker == std::string_view("one-live-attempt")) failing.erase("no-stale-completion");
      std::set<std::string> expected = bug.also;
      expected.insert(bug.checker);
      EXPECT_EQ(failing, expected);
      EXPECT_GT(history.checker(bug.checker).opportunities(), 0u);
      for (const Violation& violation : history.checker(bug.checker).violations()) {
        EXPECT_FALSE(violation.message.empty());
        EXPECT_LE(violation.at, history.now());
      }
    }
  }
}

const std::set<std::string_view> kAboutItems = {"items-run-once", "no-stale-assignment", "items-placed"};
// With tokens, fenced-writes says it.
const std::set<std::string_view> kWithoutTokens = {"no-stale-act"};
bool is_about_others(const CheckerKind& kind) {
  return kAboutItems.contains(kind.name) || kWithoutTokens.contains(kind.name);
}

// Or about workers.
bool is_about_deliveries(const CheckerKind& kind) {
  return kind.not_applicable(reference_scenario()) != nullptr && kind.name != "design-error" &&
         (kind.not_applicable(pushing_scenario()) == nullptr ||
          kind.not_applicable(pulling_scenario()) == nullptr);
}
bool is_about_destinations(const CheckerKind& kind) {
  return kind.not_applicable(pushing_scenario()) == nullptr &&
         kind.not_applicable(reference_scenario()) != nullptr && kind.name != "design-error";
}

TEST(GoodHistory, satisfies_every_checker_and_gives_each_something_to_look_at) {
  for (const Recurrence& recurrence : recurrences()) {
    Scenario scenario = design_scenario();
    scenario.schedules.front().definition.recurrence = recurrence;
    History history{std::move(scenario)};
    hands_over(history);
    history.finishes();
    EXPECT_EQ(history.failing(), std::set<std::string>{});
    for (const CheckerKind& kind : checker_kinds()) {
      if (is_about_others(kind) || is_about_deliveries(kind)) continue;
      EXPECT_TRUE(history.applies_to(kind.name)) << kind.name;
      EXPECT_GT(history.checker(kind.name).opportunities(), 0u) << kind.name;
    }
  }
}

TEST(GoodHistory, of_a_placement_satisfies_every_checker_that_applies) {
  History history{placement_scenario()};
  places(history);
  history.at(seconds(70));
  history.see(NodeDied{kN2, Death::killed});
  history.at(seconds(90));
  assigns(history, kN1, {3, 3, 1, true, {}});
  reports(history, kN3, {3});
  history.see(NodePaused{kN3});
  history.see(NodeResumed{kN3});
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
  for (const std::string_view name : kAboutItems)
    EXPECT_GT(history.checker(name).opportunities(), 0u) << name;
  EXPECT_TRUE(history.applies_to("acts-within-belief"));
  EXPECT_FALSE(history.applies_to("no-lost-fire"));
}

TEST(GoodHistory, of_destinations_satisfies_every_checker_and_gives_theirs_something_to_look_at) {
  History history{pushing_scenario()};
  delivers_all_but(history, [](History& h, const WorkItem& item) {
    if (!is(item, kMails, 52)) return false;
    asks_for_a_second(h, item, seconds(1));
    return true;
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
  for (const CheckerKind& kind : checker_kinds()) {
    if (!is_about_destinations(kind)) continue;
    EXPECT_GT(history.checker(kind.name).opportunities(), 0u) << kind.name;
  }
}

TEST(GoodHistory, of_destinations_may_die_of_a_wait_and_begin_anew_under_another_leadership) {
  History history{aging_scenario()};
  delivers_all_but(history, [](History& h, const WorkItem& item) {
    if (!is(item, kMails, 52)) return false;
    h.sends(kN1, item);
    h.arrives(kN1, item, std::nullopt, seconds(1));
    h.gives_up(kN1, item);
    h.delivers(kN1, item);  // an operator had it sent again
    return true;
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
  EXPECT_EQ(history.checker("waits-as-asked").opportunities(), 1u);
}

TEST(GoodHistory, of_workers_satisfies_every_checker_and_gives_theirs_something_to_look_at) {
  using reference::Standing;
  History history{pulling_scenario()};
  executes_all_but(history, kOrders, {52}, [](History& h) {
    // Fails, pauses beyond its claim, and is refused; a claim that is over is
    // completed late, and once more.
    h.claims(kMailer1, order(kMailer1));
    h.extends(kMailer1, order(kMailer1), Standing::claimed);
    h.at(seconds(55));
    h.claims(kMailer2, order(kMailer2, 2));
    h.extends(kMailer1, order(kMailer1), Standing::reissued);
    h.ends(kMailer1, order(kMailer1), Standing::reissued, true);
    h.at(seconds(58));
    completes(h, kMailer2, order(kMailer2, 2));
    h.ends(kMailer2, order(kMailer2, 2), Standing::completed);
    h.ends(kMailer1, order(kMailer1), Standing::reissued);
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
  for (const char* name : {"one-live-attempt", "no-stale-completion", "dead-or-delivered", "delivered"})
    EXPECT_GT(history.checker(name).opportunities(), 0u) << name;
  EXPECT_EQ(history.sometimes("execution-refused"), 3u);
}

TEST(GoodHistory, of_workers_that_give_back_may_die_after_its_last_attempt_that_counts) {
  using reference::Standing;
  History history{pulling_scenario()};
  executes_all_but(history, kOrders, {52}, [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.gives_back(kMailer1, order(kMailer1));
    h.gives_back(kMailer1, order(kMailer1));
    h.extends(kMailer1, order(kMailer1), Standing::released);
    h.ends(kMailer1, order(kMailer1), Standing::released, true);
    for (const std::uint32_t attempt : {2u, 3u}) {
      h.claims(kMailer2, order(kMailer2, attempt));
      h.gives_back(kMailer1, order(kMailer1), Standing::reissued);
      h.works(kMailer2, order(kMailer2, attempt), Ending::failed);
      h.ends(kMailer2, order(kMailer2, attempt), attempt == 3 ? Standing::dead : Standing::failed, true);
      h.at(seconds(52) + seconds(attempt));
    }
    h.gives_back(kMailer2, order(kMailer2, 3), Standing::dead);
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
  EXPECT_EQ(history.sometimes("execution-released"), 1u) << "it was said twice";
}

TEST(GoodHistory, of_workers_may_fire_beside_what_their_policy_of_overlap_lets_wait) {
  const std::pair<Overlap, int> all[] = {
      {Overlap::skip, 0}, {Overlap::queue_one, 0}, {Overlap::queue_one, 1}, {Overlap::allow, 3}};
  for (const auto& [overlap, waiting] : all) {
    History history{overlapping_scenario(overlap)};
    commits_the_last_beside(history, overlap, waiting, reference::RowResult::covered);
    history.finishes();
    EXPECT_EQ(history.failing(), std::set<std::string>{}) << waiting;
  }
  for (const auto& [overlap, waiting] : {std::pair{Overlap::skip, 1}, std::pair{Overlap::queue_one, 2}}) {
    History history{overlapping_scenario(overlap)};
    commits_the_last_beside(history, overlap, waiting, reference::RowResult::overlapped);
    history.finishes();
    EXPECT_EQ(history.failing(), std::set<std::string>{}) << waiting;
  }
}

TEST(GoodHistory, of_workers_may_lose_with_the_attempt_what_is_to_give_way) {
  using reference::Standing;
  History history{pulling_scenario()};
  const auto claims_it = [](History& h) { h.claims(kMailer1, order(kMailer1)); };
  replaces_order(history, claims_it, [](History& h) {
    h.extends(kMailer1, order(kMailer1), Standing::cancelled);
    h.extends(kMailer1, order(kMailer1), Standing::cancelled);
    h.gives_back(kMailer1, order(kMailer1), Standing::replaced);
    h.gives_back(kMailer1, order(kMailer1), Standing::replaced);
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
}

TEST(GoodHistory, of_workers_may_keep_back_what_was_given_back_while_another_of_its_schedule_is_worked_on) {
  History history{queueing_scenario()};
  executes_all_but(history, kMails, {51, 52}, [](History& h) {
    fails_and_lets_the_next_be_given_back(h);
    h.claims_in_vain(kMailer2, kMails);
    completes(h, kMailer1, mail(51, kMailer1, 2));
    h.claims(kMailer2, mail(52, kMailer2, 2));
    completes(h, kMailer2, mail(52, kMailer2, 2));
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
}

// During a hold the claim of the first stands, however late it is.
TEST(GoodHistory, of_workers_may_keep_back_what_was_given_back_while_a_claim_stands_during_a_hold) {
  History history{queueing_scenario()};
  executes_all_but(history, kMails, {51, 52}, [](History& h) {
    fails_and_lets_the_next_be_given_back(h);
    h.applies(kN1, reference::Request{reference::SetHold{kResource, kN1, token(1), seconds(9)}},
              reference::Reply{reference::HoldSet{reference::Hold{}}});
    h.at(seconds(58));
    h.claims_in_vain(kMailer2, kMails);
    completes(h, kMailer1, mail(51, kMailer1, 2));
    h.claims(kMailer2, mail(52, kMailer2, 2));
    completes(h, kMailer2, mail(52, kMailer2, 2));
    h.applies(kN1, reference::Request{reference::ClearHold{kResource, kN1, token(1)}},
              reference::Reply{reference::HoldSet{}});
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
}

TEST(GoodHistory, of_workers_may_lose_to_a_later_event_what_was_given_back) {
  using reference::Standing;
  History history{pulling_scenario()};
  const auto gives_it_back = [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.gives_back(kMailer1, order(kMailer1));
  };
  replaces_order(history, gives_it_back, [](History& h) {
    h.gives_back(kMailer1, order(kMailer1), Standing::replaced);
    h.extends(kMailer1, order(kMailer1), Standing::replaced);
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
}

// Its claim stood when a later slot fired, and was over at the next claim.
TEST(GoodHistory, of_workers_may_lose_to_a_later_event_what_was_worked_on) {
  History history{pulling_scenario()};
  const auto claims_it = [](History& h) { h.claims(kMailer1, order(kMailer1)); };
  replaces_order(history, claims_it, [](History& h) { h.at(seconds(55)); });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
}

TEST(GoodHistory, of_workers_may_lose_to_a_later_event_what_nobody_works_on) {
  for (const bool was_tried : {false, true}) {
    History history{pulling_scenario()};
    const auto before = [was_tried](History& h) {
      if (!was_tried) return;
      h.claims(kMailer1, order(kMailer1));
      h.works(kMailer1, order(kMailer1), Ending::failed);
      h.ends(kMailer1, order(kMailer1), reference::Standing::failed, true);
    };
    replaces_order(history, before, [](History&) {});
    history.finishes();
    EXPECT_EQ(history.failing(), std::set<std::string>{});
  }
}

// They were asked for by people.
TEST(GoodHistory, of_workers_may_go_on_with_a_manual_run_when_a_later_slot_fires) {
  using reference::Standing;
  History history{pulling_scenario()};
  const auto asks_for_a_run = [](History& h) {
    completes_order(h);
    h.asks_for_a_run(kOrders, 7, seconds(52) + millis(300));
    h.hands_out(kMailer1, {run_of_orders()}, 1);
  };
  replaces_order(history, asks_for_a_run, [](History& h) {
    h.extends(kMailer1, run_of_orders(), Standing::claimed);
    completes(h, kMailer1, run_of_orders());
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
}

// Ten runs were asked for by the heal, and worker after worker does one of them.
TEST(GoodHistory, of_workers_may_still_be_at_many_runs_of_a_schedule_that_has_one_at_a_time) {
  const Scenario scenario = overlapping_scenario(Overlap::skip);
  History history{scenario};
  history.leads_and_fires({}, seconds(60));
  history.at(seconds(50) + millis(300));
  history.puts(kOrders, 1, scenario.schedules[kOrders.value].definition);
  for (int run = 1; run <= 10; ++run)
    history.asks_for_a_run(kOrders, static_cast<std::uint64_t>(run), seconds(50) + millis(300 + run));
  history.at(seconds(60));
  history.heals();
  for (int run = 1; run <= 8; ++run) {
    history.at(seconds(60 + 7 * run));
    const auto id = static_cast<std::uint64_t>(run);
    const reference::ExecutionToken token{{kOrders, store_at(seconds(50) + millis(300 + run)), id}, 1, 1};
    history.hands_out(kMailer1, {token}, 1);
    completes(history, kMailer1, token);
  }
  history.finishes();
  for (const char* name : {"delivered", "no-stale-completion", "one-live-attempt"})
    EXPECT_EQ(history.first_message(name), "") << name;
  EXPECT_EQ(history.checker("delivered").not_judged().size(), 1u) << "one waits behind the other";
}

TEST(GoodHistory, of_workers_may_complete_what_was_given_back_and_lose_a_return_in_a_failover) {
  using reference::Standing;
  History history{pulling_scenario()};
  executes_all_but(history, kOrders, {52}, [](History& h) {
    h.claims(kMailer1, order(kMailer1));
    h.see(StoreReplicaStalled{StoreId{}});
    h.gives_back(kMailer1, order(kMailer1));
    h.see(StoreFailedOver{StoreId{}, 1});
    h.extends(kMailer1, order(kMailer1), Standing::claimed);
    h.works(kMailer1, order(kMailer1), Ending::failed);
    h.ends(kMailer1, order(kMailer1), Standing::failed, true);
    h.at(seconds(54));
    h.claims(kMailer1, order(kMailer1, 2));
    h.gives_back(kMailer1, order(kMailer1, 2));
    completes(h, kMailer1, order(kMailer1, 2));
  });
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
  EXPECT_EQ(history.sometimes("return-lost"), 1u);
  EXPECT_EQ(history.sometimes("execution-released"), 2u);
}

TEST(GoodHistory, of_workers_may_die_after_its_last_attempt_and_lose_claims_in_a_failover) {
  using reference::Standing;
  History history{pulling_scenario()};
  executes_all_but(history, kOrders, {52}, [](History& h) {
    h.see(StoreReplicaStalled{StoreId{}});
    h.claims(kMailer1, order(kMailer1));
    h.see(StoreFailedOver{StoreId{}, 1});
    h.extends(kMailer1, order(kMailer1), Standing::reissued);
    h.at(seconds(55));
    h.claims(kMailer2, order(kMailer2));
    h.works(kMailer2, order(kMailer2), Ending::failed);
    h.ends(kMailer2, order(kMailer2), Standing::failed, true);
    h.at(seconds(57));
    h.claims(kMailer1, order(kMailer1, 2));
    h.works(kMailer1, order(kMailer1, 2), Ending::failed);
    h.ends(kMailer1, order(kMailer1, 2), Standing::dead, true);
    h.ends(kMailer1, order(kMailer1, 2), Standing::dead);
  });
  history.finishes();
  // Two have worked on it at once, as far as anybody can tell: numbers begin
  // again.
  EXPECT_EQ(history.failing(), std::set<std::string>{"one-live-attempt"});
}

// The claims are lost as well: nothing that was known of them is left.
TEST(GoodHistory, of_workers_loses_no_return_in_a_failover_that_knows_nothing_of_the_claim) {
  History history{pulling_scenario()};
  executes_all_but(history, kOrders, {52}, [](History& h) {
    h.see(StoreReplicaStalled{StoreId{}});
    h.claims(kMailer1, order(kMailer1));
    h.gives_back(kMailer1, order(kMailer1));
    h.see(StoreFailedOver{StoreId{}, 1});
    h.claims(kMailer2, order(kMailer2));
    completes(h, kMailer2, order(kMailer2));
  });
  EXPECT_EQ(history.sometimes("return-lost"), 0u);
  EXPECT_EQ(history.sometimes("execution-released"), 1u);
}

// A slot that the store judges to overlap is covered as one that fires: to its end, and not to the next slot. So the
// version of an edit that comes at once owns what is due before that.
TEST(GoodHistory, of_a_slot_that_the_store_has_overlap_is_covered_as_a_fire) {
  Scenario scenario = pulling_scenario();
  Definition orders = scenario.schedules[kOrders.value].definition;
  orders.overlap = Overlap::skip;
  History history{std::move(scenario)};
  history.leads_and_fires({}, seconds(60));
  const auto puts = [&](std::uint32_t version, Duration period) {
    orders.recurrence = every(period).recurrence;
    history.puts(kOrders, version, orders);
  };
  const auto commits = [&](Duration slot, Duration period, std::uint32_t version,
                           reference::RowResult result) {
    history.at(slot + millis(100));
    reference::LedgerRow row = History::fired_row(slot);
    row.schedule = kOrders;
    row.version = version;
    row.to = row.slot + period;
    const reference::Request request = reference::CommitFires{kResource, kN1, token(1), {row}};
    history.submits(kN1, request);
    history.applies(kN1, request, reference::Reply{reference::Committed{{result}}});
  };
  history.at(seconds(61));
  puts(1, seconds(5));
  commits(seconds(65), seconds(5), 1, reference::RowResult::overlapped);
  puts(2, seconds(4));
  commits(seconds(68), seconds(4), 2, reference::RowResult::covered);
  EXPECT_FALSE(history.failing().contains("no-drift")) << history.first_message("no-drift");
  EXPECT_FALSE(history.failing().contains("never-early")) << history.first_message("never-early");
}

// Three returns are lost with their claims, and attempts begin again from 1: they count, whatever was given back.
TEST(OneLiveAttempt, counts_attempts_whose_numbers_a_failover_gives_out_again) {
  using reference::Standing;
  History history{pulling_scenario()};
  executes_all_but(history, kOrders, {52}, [](History& h) {
    h.see(StoreReplicaStalled{StoreId{}});
    for (const std::uint32_t attempt : {1u, 2u, 3u}) {
      h.claims(kMailer1, order(kMailer1, attempt));
      h.gives_back(kMailer1, order(kMailer1, attempt));
    }
    h.see(StoreFailedOver{StoreId{}, 1});
    for (const std::uint32_t attempt : {1u, 2u}) {
      h.claims(kMailer2, order(kMailer2, attempt));
      h.works(kMailer2, order(kMailer2, attempt), Ending::failed);
      h.ends(kMailer2, order(kMailer2, attempt), Standing::failed, true);
      h.at(seconds(52) + seconds(2 * attempt));
    }
    h.claims(kMailer2, order(kMailer2, 3));
    completes(h, kMailer2, order(kMailer2, 3));
  });
  const auto& violations = history.checker("one-live-attempt").violations();
  EXPECT_TRUE(std::any_of(violations.begin(), violations.end(), [](const Violation& violation) {
    return violation.message.find("after its last attempt") != std::string::npos;
  }));
}

TEST(GoodHistory, of_late_work_is_no_stale_act_before_the_next_leader_has_acted) {
  History history{table_scenario()};
  hands_over_with_work_on_its_way(history, 30);
  history.finishes();
  EXPECT_EQ(history.failing(), std::set<std::string>{});
  EXPECT_GT(history.checker("no-stale-act").opportunities(), 0u);
}

TEST(GoodHistory, of_a_plain_schedule_table_satisfies_every_checker_that_applies) {
  for (const Recurrence& recurrence : recurrences()) {
    Scenario scenario = table_scenario();
    scenario.schedules.front().definition.recurrence = recurrence;
    History history{std::move(scenario)};
    executes(history);
    history.finishes();
    EXPECT_EQ(history.failing(), std::set<std::string>{});
  }
  History history{table_scenario()};
  executes(history);
  history.finishes();
  for (const char* name :
       {"one-believer", "acts-within-belief", "no-stale-act", "one-worker", "no-duplicate-fire",
        "no-lost-fire", "no-drift", "never-early", "leader-elected", "caught-up"}) {
    EXPECT_TRUE(history.applies_to(name));
    EXPECT_GT(history.checker(name).opportunities(), 0u) << name;
  }
  for (const char* name : {"one-holder-per-epoch", "epochs-increase", "fenced-writes", "versions-take-turns",
                           "work-within-limit"}) {
    EXPECT_FALSE(history.applies_to(name)) << name;
  }
}

TEST(GoodHistory, of_nothing_leaves_every_checker_but_the_tail_without_an_opportunity) {
  History history{design_scenario()};
  history.finishes();
  for (const CheckerKind& kind : checker_kinds()) {
    if (kind.name == "design-error") continue;  // a life is one, and three have begun
    if (is_about_others(kind) || is_about_deliveries(kind)) continue;
    EXPECT_EQ(history.checker(kind.name).opportunities(), 0u) << kind.name;
  }
  EXPECT_EQ(history.failing(), std::set<std::string>{});
}

}  // namespace
}  // namespace tenure::sim
