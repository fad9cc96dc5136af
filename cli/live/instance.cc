#include "cli/live/instance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "adapters/runtime/around_store.h"
#include "adapters/runtime/journal_files.h"
#include "adapters/runtime/schedules.h"
#include "cli/live/messages.h"
#include "cli/live/store_place.h"
#include "cli/load.h"
#include "core/model/describe.h"
#include "lab/live/life_events.h"

namespace tenure::cli {
namespace {

constexpr Duration kFinishesWithin = Duration::seconds(60);

// The line to the conductor.
class ToConductor {
 public:
  ToConductor(int socket, std::vector<std::string> awaited)
      : socket_(socket), awaited_(std::move(awaited)), thread_([this] { hear(); }) {
    thread_.detach();
  }

  bool awaits(std::string_view event) const {
    return std::find(awaited_.begin(), awaited_.end(), event) != awaited_.end();
  }
  // Waits for the word to go on.
  void reach(std::string_view event) {
    if (!awaits(event)) return;
    const std::lock_guard one_at_a_time(asking_);
    std::unique_lock lock(mutex_);
    const std::uint64_t before = gone_;
    if (!send_message(socket_, fmt::format("event {}", event))) return;
    go_.wait(lock, [&] { return gone_ > before; });
  }
  // A leader has looked whether it leads; its next act is the one that this has allowed.
  void checked() { check_stands_ = true; }
  void acts() {
    if (check_stands_.exchange(false)) reach("leadership-checked");
    reach("acts");
  }
  void begin(const WorkItem& item, WorkDoneCallback done) {
    lab::OutsideWork work;
    work.event = item.event;
    work.token = item.token;
    {
      const std::lock_guard lock(mutex_);
      work.number = ++works_;
      under_way_.emplace(work.number, std::move(done));
    }
    acts();
    send_message(socket_, work_message(work));
  }
  void say_refused(std::string_view words) { send_message(socket_, fmt::format("refused {}", words)); }

 private:
  void hear() {
    while (const auto message = receive_message(socket_, false)) {
      WorkDoneCallback done;
      const auto answer = done_in(*message);
      {
        const std::lock_guard lock(mutex_);
        if (!answer) ++gone_;
        const auto known = answer ? under_way_.find(answer->number) : under_way_.end();
        if (known != under_way_.end()) {
          done = std::move(known->second);
          under_way_.erase(known);
        }
      }
      go_.notify_all();
      if (done) done(answer->result);
    }
    raise(SIGKILL);  // nobody conducts any more
  }

  const int socket_;
  const std::vector<std::string> awaited_;
  std::atomic<bool> check_stands_ = false;
  std::mutex asking_;
  std::mutex mutex_;
  std::condition_variable go_;
  std::uint64_t gone_ = 0;
  std::uint64_t works_ = 0;
  std::map<std::uint64_t, WorkDoneCallback> under_way_;
  std::thread thread_;
};

// Connections to the store that wait before a leader's act leaves, and tell of what is refused: the runtime drops an
// answer that comes after its request's deadline, and with it what became of a late write.
Connect watched(Connect connect, ToConductor& conductor) {
  return around_each_request(std::move(connect), [&conductor](StoreBackend& store,
                                                              const reference::Request& request,
                                                              Duration timeout) {
    const bool commits = std::holds_alternative<reference::CommitFires>(request);
    if (commits) conductor.acts();
    Answer answer = store.execute(request, timeout);
    if (answer.outcome != RequestOutcome::applied) return answer;
    if (const auto* refused = std::get_if<reference::CommitRefused>(&answer.reply))
      conductor.say_refused(fmt::format("a commit of fires: {}", tenure::name_of(refused->why)));
    const bool renews = std::holds_alternative<reference::Renew>(request);
    if (const auto* refused = std::get_if<reference::Refused>(&answer.reply); refused != nullptr && renews)
      conductor.say_refused(fmt::format("a renewal: {}", tenure::name_of(refused->why)));
    return answer;
  });
}

JournalSink watched(JournalFiles& journal, ToConductor& conductor) {
  return [write = journal.sink(), &conductor,
          life = std::make_shared<lab::LifeEvents>()](std::string_view text) {
    write(text);
    const auto read = journal::decode(text, &system_zones());
    const auto* line = std::get_if<journal::Line>(&read);
    if (line == nullptr) return;
    for (const std::string_view event : life->see(*line)) {
      if (event == "leadership-checked")
        conductor.checked();
      else if (event != "acts")
        conductor.reach(event);
    }
  };
}

const ClockSteps* steps_in(const std::string& path) {
  if (path.empty()) return nullptr;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(ClockSteps), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<const ClockSteps*>(memory);
}

}  // namespace

ExitCode run_instance(const InstanceOptions& options, Streams& streams) {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  const std::vector<std::string> paths = {options.scenario};
  const Loaded loaded = load(paths, {}, "nothing was run", streams);
  if (loaded.files.size() != 1) return ExitCode::bad_scenario;
  const sim::Scenario& scenario = loaded.files.front().scenario;
  if (options.node < 1 || options.node > scenario.instances.size()) return ExitCode::usage;
  const sim::InstanceSetting& setting = scenario.instances[options.node - 1];
  const std::string first = receive_message(options.socket, false).value_or(std::string(kStoreWord));
  const std::string place = first.substr(kStoreWord.size());

  // For good: its thread hears the conductor for as long as the process lives.
  ToConductor& conductor = *new ToConductor(options.socket, options.awaited);
  JournalFiles journal({.path = options.journal, .bytes_max = std::uint64_t{1} << 40});
  Runtime runtime(watched(journal, conductor), say_on_stderr,
                  {.rate_ppm = options.rate_ppm,
                   .wall_offset = Duration::nanos(options.wall_offset_ns),
                   .steps = steps_in(options.clock)});
  runtime.listen(listen_to(place));
  const Connect connect = watched(connect_to(place), conductor);
  std::optional<Schedules> schedules;
  std::optional<Election> election;
  if (scenario.scheduler != nullptr)
    schedules.emplace(runtime,
                      SchedulesOptions{.id = NodeId{options.node},
                                       .connect = connect,
                                       .election = setting.election,
                                       .scheduling = scenario.scheduling,
                                       .accept =
                                           [&] {
                                             std::vector<std::string> all = scenario.accepted;
                                             all.insert(all.end(), scenario.scheduling_accepted.begin(),
                                                        scenario.scheduling_accepted.end());
                                             return all;
                                           }()},
                      [&conductor](const WorkItem& item, WorkDoneCallback done) {
                        conductor.begin(item, std::move(done));
                      });
  else
    election.emplace(runtime,
                     ElectionOptions{.id = NodeId{options.node},
                                     .connect = connect,
                                     .parameters = setting.election,
                                     .stop_margin = Duration{},
                                     .accept = scenario.accepted},
                     [](const Term& term) {
                       std::mutex mutex;
                       std::condition_variable_any over;
                       std::unique_lock lock(mutex);
                       over.wait(lock, term.stop, [] { return false; });
                     });
  int signal = 0;
  sigwait(&stops, &signal);
  election.reset();
  runtime.stop();
  return runtime.wait(kFinishesWithin) ? ExitCode::pass : ExitCode::internal_error;
}

}  // namespace tenure::cli
