#include "tests/driver/clauses.h"

#include <algorithm>

namespace tenure::testing {
namespace {

constexpr TimerId kTimer{Part::elector, 1};
constexpr TimerId kOther{Part::elector, 2};
constexpr Duration kMoment = Duration::millis(20);  // effects leave within it
constexpr Duration kInstant = Duration::micros(1);  // exploration's clocks move by no less
constexpr Duration kTimeout = Duration::seconds(3);
constexpr Duration kLong = Duration::seconds(60);

using Answers = std::vector<Script::ListenerEvent>;

RequestOutcome outcome(const Script::ListenerEvent& answer) {
  return std::get<StoreReplied>(answer.input).outcome;
}

// In the first step of each life.
void at_first(Script& script, const std::function<void(Env&)>& act) {
  script.act = [act](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) act(env);
  };
}

void is_answered_once_by_the_reply(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) { script.ask(env, kTimeout); });
  const MonoTime asked = host.now();
  host.start();
  host.pass(kMoment);
  host.answer(1, RequestOutcome::applied);
  host.pass(kLong);
  const Answers answers = script.heard_of<StoreReplied>();
  findings.expect(answers.size() == 1 && outcome(answers[0]) == RequestOutcome::applied,
                  "one answer, the store's");
  if (answers.empty()) return;
  const auto& reply = std::get<StoreReplied>(answers[0].input);
  findings.expect(reply.id == script.ids[0], "it names the request");
  findings.expect(reply.sent_at == asked, "it echoes the clock of the step that asked");
}

void is_unknown_at_the_deadline(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) { script.ask(env, kTimeout); });
  const MonoTime asked = host.now();
  host.start();
  host.pass(kTimeout - kInstant);
  findings.expect(script.heard_of<StoreReplied>().empty(), "nothing before the deadline");
  host.pass(kLong);
  const Answers answers = script.heard_of<StoreReplied>();
  findings.expect(answers.size() == 1 && outcome(answers[0]) == RequestOutcome::unknown, "unknown, once");
  if (answers.empty()) return;
  findings.expect(answers[0].at == asked + kTimeout, "at the deadline");
  findings.expect(std::get<StoreReplied>(answers[0].input).sent_at == asked,
                  "it echoes the clock of the step that asked");
}

void a_late_answer_is_dropped(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) { script.ask(env, kTimeout); });
  host.start();
  host.pass(kTimeout);
  host.answer(1, RequestOutcome::applied);
  host.pass(kMoment);
  findings.expect(script.heard_of<StoreReplied>().size() == 1, "unknown is the one answer");
}

void answers_go_to_the_requests_that_they_are_for(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) {
    for (int i = 0; i < 3; ++i) script.ask(env, kTimeout);
  });
  host.start();
  host.pass(kMoment);
  host.answer(1, RequestOutcome::applied);
  host.answer(2, RequestOutcome::applied);
  host.pass(kLong);
  const Answers answers = script.heard_of<StoreReplied>();
  findings.expect(answers.size() == 3, "three answers");
  for (std::size_t i = 0; i < answers.size() && i < 3; ++i) {
    findings.expect(std::get<StoreReplied>(answers[i].input).id == script.ids[i], "each for its own");
    findings.expect(outcome(answers[i]) == (i < 2 ? RequestOutcome::applied : RequestOutcome::unknown),
                    "as it went");
  }
}

void a_timer_fires_at_its_time_and_once(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) {
    env.clock.set_timer(kOther, env.clock.mono() + Duration::seconds(7));
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(5));
  });
  const MonoTime began = host.now();
  host.start();
  host.pass(Duration::seconds(5) - kInstant);
  findings.expect(script.heard_of<TimerFired>().empty(), "not early");
  host.pass(kLong);
  const auto fired = script.heard_of<TimerFired>();
  findings.expect(fired.size() == 2, "each once");
  if (fired.size() != 2) return;
  findings.expect(std::get<TimerFired>(fired[0].input).timer == kTimer, "the earlier first");
  findings.expect(fired[0].at == began + Duration::seconds(5), "on time");
  findings.expect(fired[1].at == began + Duration::seconds(7), "on time");
}

void a_timer_that_is_set_again_is_replaced(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) {
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(4));
    env.clock.set_timer(kOther, env.clock.mono() + Duration::seconds(9));
    env.clock.set_timer(kOther, env.clock.mono() + Duration::seconds(2));
  });
  const MonoTime began = host.now();
  host.start();
  host.pass(kLong);
  const auto fired = script.heard_of<TimerFired>();
  findings.expect(fired.size() == 2, "each once");
  if (fired.size() != 2) return;
  findings.expect(fired[0].at == began + Duration::seconds(2), "brought forward");
  findings.expect(fired[1].at == began + Duration::seconds(4), "put off");
}

void a_timer_that_is_cancelled_does_not_fire(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) {
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
    env.clock.set_timer(kOther, env.clock.mono() + Duration::seconds(2));
    env.clock.cancel_timer(kTimer);
    env.clock.cancel_timer(kTimer);  // there is none: nothing happens
  });
  host.start();
  host.pass(kLong);
  const auto fired = script.heard_of<TimerFired>();
  findings.expect(fired.size() == 1 && std::get<TimerFired>(fired[0].input).timer == kOther,
                  "only the one that was not cancelled");
}

void a_timer_can_be_set_again_as_it_fires(HostUnderTest& host, Script& script, Findings& findings) {
  script.act = [](const Input&, Env& env) {
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1));
  };
  host.start();
  host.pass(Duration::seconds(5) + kMoment);
  findings.expect(script.heard_of<TimerFired>().size() == 5, "every second");
}

void effects_leave_in_order(HostUnderTest& host, Script& script, Findings& findings) {
  script.act = [&](const Input& input, Env& env) {
    if (!std::holds_alternative<Started>(input)) return script.ask(env, kTimeout);
    env.clock.set_timer(kTimer, env.clock.mono());
    script.ask(env, kTimeout);
    script.ask(env, kTimeout, Part::scheduler);
    script.ask(env, kTimeout);
  };
  host.start();
  host.pass(kMoment);
  std::vector<std::uint64_t> numbers;
  for (const HostUnderTest::Left& left : host.left()) numbers.push_back(left.number);
  findings.expect(numbers == std::vector<std::uint64_t>{1, 2, 3, 4}, "in the order in which they were asked");
}

void nothing_leaves_within_a_step(HostUnderTest& host, Script& script, Findings& findings) {
  std::size_t within = 0;
  at_first(script, [&](Env& env) {
    script.ask(env, kTimeout);
    script.ask(env, kTimeout);
    within = host.left().size();
  });
  host.start();
  findings.expect(within == 0, "they leave after it");
  host.pass(kMoment);
  findings.expect(host.left().size() == 2, "and then they do");
}

void a_life_that_ends_drops_what_has_not_left(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) { script.ask(env, kTimeout); });
  host.start();
  host.end_life();
  host.pass(kLong);
  script.act = [](const Input&, Env&) {};
  host.start();
  host.pass(kLong);
  findings.expect(host.left().empty(), "it never leaves, nor in the name of the next life");
}

void what_goes_unanswered_is_followed_by_a_new_connection(HostUnderTest& host, Script& script,
                                                          Findings& findings) {
  at_first(script, [&](Env& env) {
    script.ask(env, kTimeout);
    script.ask(env, kLong, Part::scheduler);
    env.clock.set_timer(kTimer, env.clock.mono() + kTimeout + kMoment);
    script.act = [&script](const Input& input, Env& later) {
      if (!std::holds_alternative<TimerFired>(input)) return;
      script.ask(later, kTimeout);
      script.ask(later, kTimeout, Part::scheduler);
    };
  });
  host.start();
  host.pass(kTimeout + kMoment + kMoment);
  const auto left = host.left();
  findings.expect(left.size() == 4, "four requests");
  if (left.size() != 4) return;
  findings.expect(left[2].connection != left[0].connection, "a new one");
  findings.expect(left[3].connection == left[1].connection, "the other part's is what it was");
}

void of_several_unanswered_one_new_connection_follows(HostUnderTest& host, Script& script,
                                                      Findings& findings) {
  script.act = [&](const Input& input, Env& env) {
    if (std::holds_alternative<Started>(input)) {
      script.ask(env, kTimeout);
      script.ask(env, kTimeout + kTimeout);
    } else if (script.ids.size() < 4) {
      script.ask(env, kLong);
    }
  };
  host.start();
  host.pass(kTimeout + kTimeout + kMoment);
  const auto left = host.left();
  findings.expect(left.size() == 4, "four requests");
  if (left.size() != 4) return;
  findings.expect(left[2].connection != left[1].connection, "a new one");
  findings.expect(left[3].connection == left[2].connection, "on which nothing has gone unanswered yet");
}

// It may leave all the same: a pause can come between the last look at the clock and the write.
void a_deadline_does_not_wait_for_the_departure(HostUnderTest& host, Script& script, Findings& findings) {
  script.act = [&](const Input& input, Env& env) {
    if (!std::holds_alternative<TimerFired>(input)) script.ask(env, kTimeout);
  };
  const MonoTime asked = host.now();
  host.withhold(true);
  host.start();
  host.pass(kTimeout + kMoment);
  const Answers answers = script.heard_of<StoreReplied>();
  findings.expect(host.left().empty(), "it has not left");
  findings.expect(answers.size() == 1 && outcome(answers[0]) == RequestOutcome::unknown, "unknown, once");
  if (!answers.empty()) findings.expect(answers[0].at == asked + kTimeout, "at the deadline");
  host.withhold(false);
  host.pass(kMoment);
  const auto left = host.left();
  findings.expect(left.size() == 2 && left[0].number == 1, "it leaves, in its place");
  if (left.size() == 2)
    findings.expect(left[0].connection == left[1].connection, "on the connection that there is");
  findings.expect(script.heard_of<StoreReplied>().size() == 1, "and is not answered again");
}

void a_request_that_a_pause_holds_back_is_answered_once(HostUnderTest& host, Script& script,
                                                        Findings& findings) {
  at_first(script, [&](Env& env) { script.ask(env, kTimeout); });
  host.start();
  host.pause();
  host.pass(kLong);
  findings.expect(host.left().empty() && script.heard.size() == 1, "nothing happens while it stands still");
  host.resume();
  host.pass(kLong);
  findings.expect(host.left().size() == 1, "it leaves after all: a zombie write");
  const Answers answers = script.heard_of<StoreReplied>();
  findings.expect(answers.size() == 1 && outcome(answers[0]) == RequestOutcome::unknown, "unknown, once");
}

void a_life_is_asked_to_stop_once(HostUnderTest& host, Script& script, Findings& findings) {
  host.start();
  host.ask_to_stop();
  host.ask_to_stop();
  host.pass(kMoment);
  findings.expect(script.heard_of<StopAsked>().size() == 1, "once");
}

void an_answer_keeps_the_connection(HostUnderTest& host, Script& script, Findings& findings) {
  script.act = [&](const Input&, Env& env) { script.ask(env, kTimeout); };
  host.start();
  host.pass(kMoment);
  host.answer(1, RequestOutcome::applied);
  host.pass(kMoment);
  const auto left = host.left();
  findings.expect(left.size() == 2 && left[0].connection == left[1].connection, "order holds on it");
}

void nothing_of_a_life_that_is_over_reaches_a_later_one(HostUnderTest& host, Script& script,
                                                        Findings& findings) {
  at_first(script, [&](Env& env) {
    script.ask(env, kTimeout);
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(2));
  });
  host.start();
  host.pass(kMoment);
  const Incarnation first = script.who;
  host.end_life();
  findings.expect(!host.alive(), "it is over");
  script.act = [](const Input&, Env&) {};
  host.start();
  findings.expect(script.who != first, "the next life is another");
  if (host.can(HostUnderTest::Can::answer_late)) host.answer(1, RequestOutcome::applied);
  host.pass(kLong);
  findings.expect(script.heard.size() == 2, "it hears that it started, and nothing else");
}

void started_is_the_first_input_of_a_life_and_of_no_other_moment(HostUnderTest& host, Script& script,
                                                                 Findings& findings) {
  at_first(script, [](Env& env) { env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(1)); });
  for (int life = 0; life < 2; ++life) {
    host.start();
    host.pass(Duration::seconds(2));
    host.end_life();
  }
  findings.expect(script.heard.size() == 4, "two lives of two inputs");
  for (std::size_t i = 0; i < script.heard.size(); ++i)
    findings.expect(std::holds_alternative<Started>(script.heard[i].input) == (i % 2 == 0),
                    "the first of two");
  const auto started = script.heard_of<Started>();
  if (started.size() == 2) findings.expect(started[0].who != started[1].who, "lives have names of their own");
}

void requests_of_one_life_have_numbers_of_their_own(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) {
    for (int i = 0; i < 2; ++i) script.ask(env, kTimeout);
  });
  for (int life = 0; life < 2; ++life) {
    host.start();
    host.pass(kMoment);
    host.end_life();
  }
  findings.expect(script.ids.size() == 4, "four requests");
  for (std::size_t i = 0; i < script.ids.size(); ++i) {
    findings.expect(script.ids[i].counter == i % 2 + 1, "counted from 1 in each life");
    for (std::size_t j = 0; j < i; ++j) findings.expect(script.ids[i] != script.ids[j], "each its own");
  }
}

void who_has_stopped_ends_once_its_effects_have_left(HostUnderTest& host, Script& script,
                                                     Findings& findings) {
  script.act = [&](const Input& input, Env& env) {
    if (!std::holds_alternative<StopAsked>(input)) return;
    script.ask(env, kTimeout);
    script.ask(env, kTimeout);
    env.journal.note(Stopped{});
  };
  host.start();
  host.pass(kMoment);
  host.ask_to_stop();
  if (host.can(HostUnderTest::Can::hold_effects)) findings.expect(host.alive(), "not before");
  host.pass(kMoment);
  findings.expect(host.left().size() == 2, "they have left");
  findings.expect(!host.alive(), "it is over");
  host.pass(kLong);
  findings.expect(script.heard_of<StoreReplied>().empty(), "and nobody is told how they went");
}

void who_is_asked_to_stop_and_has_not_lives_on(HostUnderTest& host, Script& script, Findings& findings) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<StopAsked>(input))
      env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(2));
    if (std::holds_alternative<TimerFired>(input)) env.journal.note(Stopped{});
  };
  host.start();
  host.ask_to_stop();
  host.pass(Duration::seconds(1));
  findings.expect(host.alive(), "it has not said so yet");
  host.pass(Duration::seconds(2));
  findings.expect(!host.alive(), "now it has");
  findings.expect(script.heard_of<StopAsked>().size() == 1, "it was asked once");
}

void a_stop_is_of_one_life(HostUnderTest& host, Script& script, Findings& findings) {
  script.act = [](const Input& input, Env& env) {
    if (std::holds_alternative<StopAsked>(input)) env.journal.note(Stopped{});
  };
  host.start();
  host.ask_to_stop();
  findings.expect(!host.alive(), "it had nothing to wait for");
  host.start();
  host.pass(kMoment);
  findings.expect(host.alive(), "the next one was not asked");
}

void belief_is_what_was_said_last(HostUnderTest& host, Script& script, Findings& findings) {
  script.act = [](const Input& input, Env& env) {
    const MonoTime now = env.clock.mono();
    const auto* timer = std::get_if<TimerFired>(&input);
    if (timer == nullptr) {
      env.journal.note(Believes{{}, Token{1, 1, 1}, now + Duration::seconds(5)});
      env.clock.set_timer(kTimer, now + Duration::seconds(8));
    } else if (timer->timer == kTimer) {
      env.journal.note(Believes{{}, Token{1, 2, 2}, now + Duration::seconds(9)});
      env.clock.set_timer(kOther, now + Duration::seconds(3));
    } else {
      env.journal.note(StepsDown{{}, "as the test says"});
    }
  };
  findings.expect(!host.believes(), "not before it said so");
  host.start();
  findings.expect(host.believes(), "it has said so");
  host.pass(Duration::seconds(5) - kInstant);
  findings.expect(host.believes(), "until the end that it named");
  host.pass(kInstant);
  findings.expect(!host.believes(), "and no longer");
  host.pass(Duration::seconds(3) + kMoment);
  findings.expect(host.believes(), "it says so again");
  host.pass(Duration::seconds(3));
  findings.expect(!host.believes(), "it steps down");
}

void belief_ends_with_the_life(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [](Env& env) { env.journal.note(Believes{{}, {}, Open{}}); });
  host.start();
  findings.expect(host.believes(), "it has said so");
  host.end_life();
  findings.expect(!host.believes(), "nobody is there to believe");
  script.act = [](const Input&, Env&) {};
  host.start();
  findings.expect(!host.believes(), "and the next has said nothing");
}

void what_is_overdue_after_a_pause_comes_once(HostUnderTest& host, Script& script, Findings& findings) {
  at_first(script, [&](Env& env) {
    script.ask(env, kTimeout);
    env.clock.set_timer(kTimer, env.clock.mono() + Duration::seconds(2));
  });
  host.start();
  host.pass(kMoment);
  host.pause();
  host.pass(kLong);
  findings.expect(script.heard.size() == 1, "nothing reaches it while it stands still");
  host.resume();
  host.pass(kLong);
  findings.expect(script.heard_of<TimerFired>().size() == 1, "the timer, once");
  const Answers answers = script.heard_of<StoreReplied>();
  findings.expect(answers.size() == 1 && outcome(answers[0]) == RequestOutcome::unknown, "and unknown, once");
}

using Can = HostUnderTest::Can;

const Clause kClauses[] = {
    {"a submit is answered once, by the reply", is_answered_once_by_the_reply},
    {"without a reply a submit is unknown at its deadline", is_unknown_at_the_deadline},
    {"an answer after the deadline is dropped", a_late_answer_is_dropped, {Can::answer_late}},
    {"answers go to the requests that they are for", answers_go_to_the_requests_that_they_are_for},
    {"a timer fires at its time, once", a_timer_fires_at_its_time_and_once},
    {"a timer that is set again is replaced", a_timer_that_is_set_again_is_replaced},
    {"a timer that is cancelled does not fire", a_timer_that_is_cancelled_does_not_fire},
    {"a timer can be set again as it fires", a_timer_can_be_set_again_as_it_fires},
    {"effects leave in order", effects_leave_in_order},
    {"nothing leaves within a step", nothing_leaves_within_a_step},
    {"a life that ends drops what has not left",
     a_life_that_ends_drops_what_has_not_left,
     {Can::hold_effects}},
    {"what goes unanswered is followed by a new connection",
     what_goes_unanswered_is_followed_by_a_new_connection,
     {Can::show_connections}},
    {"of several unanswered, one new connection follows",
     of_several_unanswered_one_new_connection_follows,
     {Can::show_connections}},
    {"a deadline does not wait for the departure",
     a_deadline_does_not_wait_for_the_departure,
     {Can::withhold_effects}},
    {"a request that a pause holds back is answered once",
     a_request_that_a_pause_holds_back_is_answered_once,
     {Can::pause}},
    {"a life is asked to stop once", a_life_is_asked_to_stop_once},
    {"an answer keeps the connection", an_answer_keeps_the_connection, {Can::show_connections}},
    {"nothing of a life that is over reaches a later one",
     nothing_of_a_life_that_is_over_reaches_a_later_one},
    {"started is the first input of a life", started_is_the_first_input_of_a_life_and_of_no_other_moment},
    {"requests of one life have numbers of their own", requests_of_one_life_have_numbers_of_their_own},
    {"who has stopped ends once its effects have left", who_has_stopped_ends_once_its_effects_have_left},
    {"who is asked to stop and has not lives on", who_is_asked_to_stop_and_has_not_lives_on},
    {"a stop is of one life", a_stop_is_of_one_life},
    {"belief is what was said last", belief_is_what_was_said_last, {Can::tell_what_it_believes}},
    {"belief ends with the life", belief_ends_with_the_life, {Can::tell_what_it_believes}},
    {"what is overdue after a pause comes once", what_is_overdue_after_a_pause_comes_once, {Can::pause}},
};

}  // namespace

std::span<const Clause> clauses() { return kClauses; }

bool applies(const Clause& clause, const HostUnderTest& host) {
  return std::all_of(clause.needs.begin(), clause.needs.end(), [&](Can what) { return host.can(what); });
}

}  // namespace tenure::testing
