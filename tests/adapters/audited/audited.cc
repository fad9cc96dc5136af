// What tests/daemon/live_faults_test.py runs: schedulers whose work differs in length and fails now and then, and
// clients that edit.
//
//   audited STORE ID JOURNAL    one of several schedulers, with a lease of 3 s and a journal in small files
//   audited STORE client SEED   puts, pauses, deletes and triggers schedules until it is told to stop
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "adapters/runtime/journal_files.h"
#include "adapters/runtime/schedules.h"
#include "open_store.h"
#include "stop_signals.h"

namespace {

using namespace tenure;

// Each by a rule of its own: schedule 0 never overlaps, 1 skips, 2 queues one, 3 fires whatever is running.
constexpr std::uint32_t kSchedules = 4;

Duration work_of(const reference::EventId& event) {
  if (event.schedule.value % kSchedules == 2) return Duration::millis(400);
  return Duration::millis(static_cast<std::int64_t>(event.slot.ns() / 1'000'000'000 % 5) * 30);
}
WorkResult result_of(const reference::EventId& event) {
  return event.slot.ns() / 1'000'000'000 % 17 == 0 ? WorkResult::failed : WorkResult::done;
}

void set(Parameters& parameters, const char* name, Duration value) {
  parameters.set(parameters.find(name), value.ns());
}

int schedule_until_stopped(const std::string& store, std::uint32_t id, const std::string& path) {
  const StopSignals signals;
  JournalFiles journal({.path = path, .bytes_max = 64 << 10});
  Runtime runtime(journal.sink());
  runtime.listen(listen_to(store));
  SchedulesOptions options{.id = NodeId{id}, .connect = connect_to(store)};
  set(options.election, "lease_duration", Duration::seconds(3));
  set(options.election, "renew_period", Duration::seconds(1));
  set(options.election, "retry_period", Duration::millis(500));
  set(options.election, "request_timeout", Duration::seconds(1));
  set(options.scheduling, "poll_period", Duration::millis(500));
  set(options.scheduling, "request_timeout", Duration::seconds(1));
  set(options.scheduling, "stall_timeout", Duration::millis(3500));
  options.scheduling.set(options.scheduling.find("max_running"), 3);
  if (const std::string problem = options.problem(); !problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 64;
  }
  const Schedules schedules(
      runtime, std::move(options), [](const WorkItem& fire, const WorkDoneCallback& done) {
        std::thread([fire, done] {
          std::this_thread::sleep_for(std::chrono::nanoseconds(work_of(fire.event).ns()));
          done(result_of(fire.event));
        }).detach();
      });
  signals.wait();
  runtime.stop();
  return runtime.wait(Duration::seconds(30)) ? 0 : 1;
}

class Client {
 public:
  Client(StoreBackend& store, std::uint32_t seed) : store_(store), random_(seed) {}

  void act() {
    const ScheduleId schedule{below(kSchedules) + kSchedules * generation_};
    switch (below(12)) {
      case 0: remove(schedule); break;
      case 1:
      case 2:
      case 3: trigger(schedule); break;
      default: put(schedule, below(6) == 0);
    }
  }
  void put_all() {
    for (std::uint32_t i = 0; i < kSchedules; ++i) put(ScheduleId{i}, false);
  }

 private:
  std::uint32_t below(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_);
  }

  void put(ScheduleId schedule, bool paused) {
    Definition definition{.recurrence = Interval{{}, Duration::millis(250 * (1 + below(8)))}};
    definition.overlap = static_cast<Overlap>(schedule.value % kSchedules % 3);
    definition.paused = paused;
    definition.jitter.max = Duration::millis(80 * below(3));
    definition.misfire.grace = Duration::millis(500);
    definition.misfire.policy = static_cast<Misfire::Policy>(below(3));
    definition.misfire.once = static_cast<Misfire::Which>(below(2));
    definition.misfire.max_catchup = 1 + below(4);
    edit(schedule, reference::PutSchedule{{}, schedule, versions_[schedule], definition});
  }
  // A deleted id is never used again: from then on the others are.
  void remove(ScheduleId schedule) {
    edit(schedule, reference::DeleteSchedule{{}, schedule, versions_[schedule]});
    ++generation_;
    for (std::uint32_t i = 0; i < kSchedules; ++i) put(ScheduleId{i + kSchedules * generation_}, false);
  }
  void trigger(ScheduleId schedule) {
    store_.execute(reference::TriggerSchedule{{}, schedule, ++runs_, {}}, Duration::seconds(5));
  }
  void edit(ScheduleId schedule, const reference::Request& request) {
    const auto answer = store_.execute(request, Duration::seconds(5));
    if (answer.outcome != RequestOutcome::applied) return;
    const auto* edited = std::get_if<reference::Edited>(&answer.reply);
    if (edited != nullptr) versions_[schedule] = edited->version;
  }

  StoreBackend& store_;
  std::mt19937 random_;
  std::map<ScheduleId, std::uint32_t> versions_;
  std::uint32_t generation_ = 0;
  std::uint64_t runs_ = 0;
};

int edit_until_stopped(const std::string& store, std::uint32_t seed) {
  auto opened = connect_to(store)();
  if (const auto* error = std::get_if<OpenError>(&opened)) {
    std::fprintf(stderr, "%s\n", error->message.c_str());
    return 1;
  }
  Client client(*std::get<std::unique_ptr<StoreBackend>>(opened), seed);
  client.put_all();
  for (;;) {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    client.act();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: audited STORE ID JOURNAL | audited STORE client SEED\n");
    return 64;
  }
  const std::string who = argv[2];
  if (who == "client") return edit_until_stopped(argv[1], static_cast<std::uint32_t>(std::atoi(argv[3])));
  return schedule_until_stopped(argv[1], static_cast<std::uint32_t>(std::atoi(argv[2])), argv[3]);
}
