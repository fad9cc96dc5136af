#include "adapters/runtime/schedules.h"

#include <mutex>
#include <utility>

#include "core/base/check.h"
#include "core/scheduler/scheduler_kind.h"

namespace tenure {
namespace {

std::vector<Complaint> complaints_of(const SchedulesOptions& options) {
  std::vector<Complaint> complaints = complaints_of_election(options.election);
  std::vector<Complaint> more = out_of_range(options.scheduling);
  if (more.empty()) more = kFencedOutbox.validate(options.scheduling);
  complaints.insert(complaints.end(), more.begin(), more.end());
  return complaints;
}

}  // namespace

// Lets fires through to the function until it is closed, which waits for a call under way. What was decided in a
// leadership that is over by now is not begun: the loop may have stood still since, in a sink that blocks for example.
class FireGate {
 public:
  FireGate(const MachineClock& clock, WorkHandler fire) : clock_(clock), fire_(std::move(fire)) {}

  void observe(const Note& note) {
    const std::lock_guard lock(mutex_);
    if (const auto* believes = std::get_if<Believes>(&note))
      until_ = std::get<MonoTime>(believes->until);
    else if (std::holds_alternative<StepsDown>(note))
      until_ = MonoTime::min();
  }
  void begin(const WorkItem& item, WorkDoneCallback done) {
    const std::lock_guard lock(mutex_);
    if (closed_ || clock_.mono() >= until_) return done(WorkResult::fenced);  // left to the next leader
    fire_(item, std::move(done));
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

 private:
  const MachineClock& clock_;
  const WorkHandler fire_;
  std::mutex mutex_;
  MonoTime until_ = MonoTime::min();  // belief
  bool closed_ = false;
};

Parameters SchedulesOptions::default_scheduling() { return Parameters(kFencedOutbox.parameters()); }

std::string SchedulesOptions::problem() const { return objection_to(complaints_of(*this), accept); }

std::vector<std::string> SchedulesOptions::warnings() const {
  return warnings_of(complaints_of(*this), accept);
}

Schedules::Schedules(Runtime& runtime, SchedulesOptions options, WorkHandler fire)
    : runtime_(runtime), gate_(std::make_shared<FireGate>(runtime.clock(), std::move(fire))) {
  const std::string problem = options.problem();
  CHECK(problem.empty(), problem);
  std::map<std::string, std::int64_t> settings;
  note_settings("election", options.election, settings);
  note_settings("scheduling", options.scheduling, settings);
  auto elector = make_election(options.id, options.resource, std::move(options.election));
  auto scheduler = kFencedOutbox.make(
      {.store = {}, .resource = options.resource, .parameters = std::move(options.scheduling)});
  life_ = runtime.add({.node = std::make_unique<Instance>(std::move(elector), std::move(scheduler)),
                       .id = options.id,
                       .resource = options.resource,
                       .connect = std::move(options.connect),
                       .work = [gate = gate_](const WorkItem& item,
                                              WorkDoneCallback done) { gate->begin(item, std::move(done)); },
                       .observe =
                           [gate = gate_, observe = std::move(options.observe)](const Note& note) {
                             gate->observe(note);
                             if (observe) observe(note);
                           },
                       .settings = std::move(settings),
                       .has_clients = options.has_clients});
}

Schedules::~Schedules() {
  runtime_.stop(life_);
  gate_->close();
}

}  // namespace tenure
