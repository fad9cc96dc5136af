#include "adapters/runtime/election.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/lease/fenced_lease/fenced_lease.h"
#include "core/model/describe.h"

namespace tenure {
namespace {

constexpr TimerId kMargin{Part::scheduler, 1};

}  // namespace

std::vector<Complaint> complaints_of_election(const Parameters& parameters) {
  std::vector<Complaint> complaints = out_of_range(parameters);
  return complaints.empty() ? kFencedLease.validate(parameters) : complaints;
}

std::unique_ptr<Elector> make_election(NodeId self, ResourceId resource, Parameters parameters) {
  for (const Complaint& complaint : complaints_of_election(parameters))
    CHECK(!complaint.accept.empty(), complaint.text);
  return kFencedLease.make({.self = self,
                            .cluster_size = 1,
                            .store = {},
                            .resource = resource,
                            .parameters = std::move(parameters)});
}

void note_settings(const std::string& part, const Parameters& parameters,
                   std::map<std::string, std::int64_t>& settings) {
  const std::span<const ParameterSpec> specs = parameters.specs();
  for (std::size_t i = 0; i < specs.size(); ++i)
    settings[part + "." + std::string(specs[i].name)] = parameters.value(static_cast<int>(i));
}

// What of an Election is not the loop's: the thread on which the function runs, and a thread that watches how long it
// may. A loop that stands still, in a sink that blocks for example, cannot ask the function to stop; the watch can.
//
// Thread rule: begin(), may_run_until(), ask_to_stop() and was_asked() are the loop's thread's; end() is anybody's.
class ElectionTerms {
 public:
  ElectionTerms(const MachineClock& clock, std::function<void(const Term&)> lead)
      : clock_(clock), lead_(std::move(lead)), watch_([this] { watch(); }) {}
  ~ElectionTerms() { end(); }

  void begin(ResourceId resource, const Token& token, WorkDoneCallback done) {
    const std::lock_guard lock(mutex_);
    was_asked_ = true;
    if (closed_ || clock_.mono() >= until_) return done(WorkResult::stopped);
    if (thread_.joinable()) thread_.join();  // it has said that it was done
    stop_ = std::stop_source();
    running_ = true;
    thread_ = std::thread([this, term = Term{resource, token, stop_.get_token()}, done = std::move(done)] {
      lead_(term);
      returned(term.stop.stop_requested());
      done(WorkResult::done);
    });
    wake_.notify_all();
  }
  // By the belief of now; a later one extends it.
  void may_run_until(MonoTime until) {
    const std::lock_guard lock(mutex_);
    until_ = until;
  }
  void ask_to_stop() {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
  }
  // Whether the function had been asked to stop when it returned. Until then it says nothing.
  bool was_asked() {
    const std::lock_guard lock(mutex_);
    return was_asked_;
  }
  // No term begins any more, and the one that runs has ended.
  void end() {
    std::thread last;
    std::thread watch;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      stop_.request_stop();
      last = std::move(thread_);
      watch = std::move(watch_);
    }
    wake_.notify_all();
    if (last.joinable()) last.join();
    if (watch.joinable()) watch.join();
  }

 private:
  // The condition's clock stands still while the machine is suspended, and the belief's does not.
  static constexpr Duration kBetweenLooks = Duration::millis(50);

  void watch() {
    std::unique_lock lock(mutex_);
    while (!closed_) {
      if (!running_ || stop_.stop_requested()) {
        wake_.wait(lock);
        continue;
      }
      const Duration left = until_ - clock_.mono();
      if (left > Duration{}) {
        wake_.wait_for(lock, std::chrono::nanoseconds(std::min(left, kBetweenLooks).ns()));
        continue;
      }
      std::stop_source late = stop_;
      lock.unlock();  // whoever is called back may take his time
      late.request_stop();
      lock.lock();
    }
  }
  void returned(bool was_asked) {
    const std::lock_guard lock(mutex_);
    running_ = false;
    was_asked_ = was_asked;
  }

  const MachineClock& clock_;
  const std::function<void(const Term&)> lead_;
  std::mutex mutex_;
  std::condition_variable wake_;
  MonoTime until_ = MonoTime::min();
  bool running_ = false;
  bool was_asked_ = false;
  std::stop_source stop_;
  std::thread thread_;
  bool closed_ = false;
  std::thread watch_;  // last: it uses all of the above
};

namespace {

// In the place of a scheduler: one piece of work a term. While it runs this is not idle, so that the lease is kept.
class TermRunner final : public Scheduler {
 public:
  TermRunner(std::shared_ptr<ElectionTerms> terms, ResourceId resource, Duration stop_margin)
      : terms_(std::move(terms)), resource_(resource), stop_margin_(stop_margin) {}

  void step(const Input& input, const Leadership& leadership, Env& env) override {
    const MonoTime now = env.clock.mono();
    if (std::holds_alternative<StopAsked>(input)) stopping_ = true;
    if (std::holds_alternative<WorkDone>(input)) {
      // A function that was stopped too early, since a renewal came late, goes on; one that returned by itself is done.
      finished_ = terms_->was_asked() ? std::nullopt : running_;
      running_.reset();
    }
    const bool leads = leadership.leads(now) && leadership.token && now < stop_at(leadership) && !stopping_;
    if (leads) terms_->may_run_until(stop_at(leadership));
    if (running_) {
      if (!leads || *leadership.token != *running_) return terms_->ask_to_stop();
    } else if (leads && leadership.token != finished_) {
      running_ = leadership.token;
      // No fire, and so nothing that could be done twice; `run` is for whoever reads the journal.
      const reference::EventId term{.schedule = {}, .slot = {}, .run = leadership.token->epoch};
      env.work.execute({.resource = resource_, .event = term, .token = leadership.token});
    }
    if (leads) env.clock.set_timer(kMargin, stop_at(leadership));
  }
  bool idle() const override { return !running_; }

  std::unique_ptr<Scheduler> clone() const override {
    CHECK(false, "what runs on a thread is not copied");
    return nullptr;
  }
  void hash(Hasher&, const Canon&) const override { CHECK(false, "what runs on a thread has no hash"); }

 private:
  MonoTime stop_at(const Leadership& leadership) const { return leadership.believed_until - stop_margin_; }

  std::shared_ptr<ElectionTerms> terms_;
  ResourceId resource_;
  Duration stop_margin_;
  std::optional<Token> running_;
  std::optional<Token> finished_;  // the term whose function has returned by itself
  bool stopping_ = false;
};

}  // namespace

Parameters ElectionOptions::default_election() { return Parameters(kFencedLease.parameters()); }

std::string ElectionOptions::problem() const {
  std::string words = objection_to(complaints_of_election(parameters), accept);
  if (!words.empty()) return words;
  if (stop_margin < Duration{})
    return fmt::format(
        "stop_margin ({}) is negative: the function would be told to stop only after its term has ended",
        describe(stop_margin));
  const Duration belief =
      fenced_lease_belief(parameters.duration("lease_duration"), parameters.number("max_clock_drift_ppm"),
                          parameters.duration("guard"));
  if (stop_margin < belief) return {};
  return fmt::format("stop_margin ({}) leaves no time to lead: it must be shorter than a belief ({})",
                     describe(stop_margin), describe(belief));
}

Election::Election(Runtime& runtime, ElectionOptions options, std::function<void(const Term&)> lead)
    : runtime_(runtime), terms_(std::make_shared<ElectionTerms>(runtime.clock(), std::move(lead))) {
  const std::string problem = options.problem();
  CHECK(problem.empty(), problem);
  std::map<std::string, std::int64_t> settings;
  note_settings("election", options.parameters, settings);
  auto elector = make_election(options.id, options.resource, std::move(options.parameters));
  auto runner = std::make_unique<TermRunner>(terms_, options.resource, options.stop_margin);
  life_ = runtime.add({.node = std::make_unique<Instance>(std::move(elector), std::move(runner)),
                       .id = options.id,
                       .resource = options.resource,
                       .connect = std::move(options.connect),
                       .work =
                           [terms = terms_](const WorkItem& item, WorkDoneCallback done) {
                             terms->begin(item.resource, *item.token, std::move(done));
                           },
                       .observe = {},
                       .settings = std::move(settings),
                       .fires = false});
}

Election::~Election() {
  runtime_.stop(life_);
  terms_->end();
}

}  // namespace tenure
