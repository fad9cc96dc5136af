#include "core/driver/driver_env.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace tenure {

void DriverEnv::set_timer(TimerId timer, MonoTime deadline) {
  std::vector<Driver::Timer>& timers = driver_.timers_;
  const auto place = std::lower_bound(timers.begin(), timers.end(), timer,
                                      [](const Driver::Timer& t, TimerId id) { return t.id < id; });
  if (place != timers.end() && place->id == timer) {
    host_.alarm_dropped({timer, {}, place->deadline});
    place->deadline = deadline;
  } else {
    timers.insert(place, {timer, deadline});
  }
  host_.alarm_set({timer, {}, deadline});
}

void DriverEnv::cancel_timer(TimerId timer) {
  std::vector<Driver::Timer>& timers = driver_.timers_;
  const auto place =
      std::find_if(timers.begin(), timers.end(), [timer](const Driver::Timer& t) { return t.id == timer; });
  if (place == timers.end()) return;
  const Alarm alarm{timer, {}, place->deadline};
  timers.erase(place);
  host_.alarm_dropped(alarm);
}

void DriverEnv::send(NodeId to, Message message) { queue(SendEffect{to, std::move(message)}); }

RequestId DriverEnv::submit(Submission submission) {
  CHECK(submission.lane < kLanes, "a part has so many connections");
  const RequestId id{driver_.who_, ++driver_.requests_};
  driver_.pending_.push_back({id, submission.store, submission.part, now_.mono, submission.deadline});
  const Alarm deadline{std::nullopt, id, submission.deadline};
  queue(SubmitEffect{id, now_.mono, std::move(submission)});
  host_.alarm_set(deadline);
  return id;
}

void DriverEnv::execute(const WorkItem& item) { queue(WorkEffect{item}); }

void DriverEnv::write(const WriteItem& item) { queue(WriteEffect{item}); }

template <class Asked>
void DriverEnv::queue(Asked&& effect) {
  host_.queued(driver_.queue_.emplace_back(std::forward<Asked>(effect)));
}

void DriverEnv::note(const Note& note) {
  const bool believed = driver_.believes(now_);
  if (const auto* believes = std::get_if<Believes>(&note)) {
    driver_.belief_ = *believes;
  } else if (std::holds_alternative<StepsDown>(note)) {
    driver_.belief_.reset();
  } else if (std::holds_alternative<Stopped>(note)) {
    driver_.stopped_ = true;
  }
  host_.noted(note, believed);
}

}  // namespace tenure
