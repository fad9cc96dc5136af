// The core in a loop of one's own, without threads: own_loop STORE ID
//
// A node is told things (Input) and asks for things (Env): this is all there is between it and the world. Here requests
// are executed by the loop itself, so nothing happens while one is under way; a program with an event loop would send
// them, and step the node when the answer comes or its deadline passes. Leads until it is asked to stop.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "adapters/runtime/entropy.h"
#include "adapters/runtime/machine_clock.h"
#include "core/electors/registry.h"
#include "core/model/describe.h"
#include "open_store.h"

using namespace tenure;

// What a node sees for the length of a step. Clocks stand still meanwhile, and effects leave afterwards.
class Step final : Clock, Network, Store, Work, Journal, Random {
 public:
  Step(MonoTime now, WallTime wall, Incarnation self) : now_(now), wall_(wall), self_(self) {}
  Env env() { return {*this, *this, *this, *this, *this, *this}; }

  struct Sent {
    RequestId id;
    MonoTime at;  // of the step: what belief is counted from
    Submission submission;
  };
  std::map<TimerId, MonoTime> timers;
  std::uint32_t requests = 0;
  std::vector<Sent> sent;
  bool stopped = false;

  void at(MonoTime now, WallTime wall) {
    now_ = now;
    wall_ = wall;
  }

 private:
  MonoTime mono() const override { return now_; }
  WallTime wall() const override { return wall_; }
  void set_timer(TimerId timer, MonoTime deadline) override { timers[timer] = deadline; }
  void cancel_timer(TimerId timer) override { timers.erase(timer); }
  void send(NodeId, Message) override {}  // the house protocol sends none
  RequestId submit(Submission submission) override {
    sent.push_back({{self_, ++requests}, now_, std::move(submission)});
    return sent.back().id;
  }
  void execute(const WorkItem&) override {}  // there is no scheduler
  void note(const Note& note) override {
    std::cout << describe(note) << std::endl;
    if (std::holds_alternative<Stopped>(note)) stopped = true;
  }
  std::uint64_t choose(std::uint64_t n, std::string_view) override { return random_bits() % n; }
  std::uint64_t nonce(std::string_view) override { return random_bits() | 1; }

  MonoTime now_;
  WallTime wall_;
  Incarnation self_;
};

volatile std::sig_atomic_t asked_to_stop = 0;

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: own_loop STORE ID\n");
    return 64;
  }
  struct sigaction stop {};
  stop.sa_handler = [](int) { asked_to_stop = 1; };
  sigaction(SIGINT, &stop, nullptr);
  sigaction(SIGTERM, &stop, nullptr);
  auto connection = connect_to(argv[1])();
  if (const auto* error = std::get_if<OpenError>(&connection)) {
    std::fprintf(stderr, "%s\n", error->message.c_str());
    return 1;
  }
  HouseDatabase& store = *std::get<std::unique_ptr<HouseDatabase>>(connection);

  const MachineClock clock;
  const NodeId id{static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10))};
  const Incarnation self{id, static_cast<std::uint32_t>(random_bits() | 1)};
  const ElectorKind* kind = find_elector_kind("fenced-lease");
  const Parameters parameters(kind->parameters());
  // Whoever sets some asks out_of_range() before.
  if (const std::string wrong = objection_to(kind->validate(parameters), {}); !wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    return 64;
  }
  Instance node(kind->make({.self = id, .store = {}, .resource = {}, .parameters = parameters}), nullptr);
  Step step(clock.mono(), clock.wall(), self);
  const auto tell = [&](const Input& input) {
    step.at(clock.mono(), clock.wall());
    Env env = step.env();
    node.step(input, env);
  };

  tell(Started{self, 1});
  for (bool told = false; !step.stopped;) {
    // Effects out, and their answers in.
    while (!step.sent.empty()) {
      const Step::Sent sent = step.sent.front();
      step.sent.erase(step.sent.begin());
      const auto& request = std::get<house::Request>(sent.submission.request);
      const Answer answer = store.execute(request, sent.submission.deadline - clock.mono());
      tell(StoreReplied{sent.submission.store, sent.submission.part, sent.id, sent.at, answer.outcome,
                        answer.rejection, answer.store_time, answer.reply});
    }
    if (asked_to_stop != 0 && !told) {
      told = true;
      tell(StopAsked{});
      continue;
    }
    // The next deadline in.
    const auto next = std::min_element(step.timers.begin(), step.timers.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (next == step.timers.end()) break;
    const Duration left = next->second - clock.mono();
    if (left > Duration{}) {
      const timespec pause{left.ns() / 1'000'000'000, left.ns() % 1'000'000'000};
      nanosleep(&pause, nullptr);  // a signal ends it
      continue;
    }
    const TimerId timer = next->first;
    step.timers.erase(next);
    tell(TimerFired{timer});
  }
  return 0;
}
