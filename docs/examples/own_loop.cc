// The core in a loop of one's own, without threads: own_loop STORE ID
//
// The rules between a node and its world are a driver's (core/driver): inputs go in, effects come out, and it says when
// it is to be called next. This is all that a host adds. Here requests are executed by the loop itself, so nothing
// happens while one is under way; a program with an event loop would send them, and deliver the answer when it comes.
// Leads until it is asked to stop.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "adapters/runtime/entropy.h"
#include "adapters/runtime/machine_clock.h"
#include "core/driver/driver.h"
#include "core/lease/elector_kind.h"
#include "core/model/describe.h"
#include "node_id.h"
#include "open_store.h"

using namespace tenure;

// What a driver asks of its host.
class Host final : public DriverHost {
 public:
  void noted(const Note& note, bool) override { std::cout << describe(note) << std::endl; }
  std::uint64_t choose(std::uint64_t n, std::string_view) override { return random_bits() % n; }
  std::uint64_t nonce(std::string_view) override { return random_bits() | 1; }
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
  const NodeId id = node_id_from(argv[2]);
  auto connection = connect_to(argv[1])();
  if (const auto* error = std::get_if<OpenError>(&connection)) {
    std::fprintf(stderr, "%s\n", error->message.c_str());
    return 1;
  }
  StoreBackend& store = *std::get<std::unique_ptr<StoreBackend>>(connection);

  const MachineClock clock;
  const Parameters parameters(kFencedLease.parameters());
  // Whoever sets some asks out_of_range() before.
  if (const std::string wrong = objection_to(kFencedLease.validate(parameters), {}); !wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    return 64;
  }
  Host host;
  Driver driver(id);
  const auto now = [&clock] { return Readings{clock.mono(), clock.wall()}; };
  // Lives have numbers that no earlier one had: nobody remembers those.
  auto elector = kFencedLease.make({.self = id, .store = {}, .resource = {}, .parameters = parameters});
  driver.start(std::make_unique<Instance>(std::move(elector), nullptr),
               static_cast<std::uint32_t>(random_bits() | 1), now(), host);

  for (bool told = false; driver.alive();) {
    // Effects out, and their answers in.
    if (driver.has_effects()) {
      const Effect effect = driver.leave();
      const auto* submit = std::get_if<SubmitEffect>(&effect);
      if (submit == nullptr) continue;  // there is no scheduler, and so no work
      const auto& request = std::get<reference::Request>(submit->submission.request);
      const Answer answer = store.execute(request, submit->submission.deadline - clock.mono());
      StoreReplied reply;
      reply.id = submit->id;
      reply.outcome = answer.outcome;
      reply.rejection = answer.rejection;
      reply.store_time = answer.store_time;
      reply.reply = answer.reply;
      driver.deliver(submit->id.incarnation, reply, now(), host);
      continue;
    }
    if (asked_to_stop != 0 && !told) {
      told = true;
      driver.deliver(driver.who(), StopAsked{}, now(), host);
      continue;
    }
    // What is due in, or sleep until something is.
    const std::optional<MonoTime> next = driver.next_alarm();
    if (!next) break;
    const Duration left = *next - clock.mono();
    if (left > Duration{}) {
      const timespec pause{left.ns() / 1'000'000'000, left.ns() % 1'000'000'000};
      nanosleep(&pause, nullptr);  // a signal ends it
      continue;
    }
    std::vector<Alarm> due;
    driver.due(clock.mono(), due);
    for (const Alarm& alarm : due)
      alarm.timer ? driver.fire(*alarm.timer, now(), host) : driver.give_up(alarm.request, now(), host);
  }
  return 0;
}
