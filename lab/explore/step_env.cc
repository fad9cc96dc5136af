#include "lab/explore/step_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/model/describe.h"

namespace tenure::sim::explore {

void StepEnv::set_timer(TimerId timer, MonoTime deadline) {
  const auto place = std::lower_bound(local_.timers.begin(), local_.timers.end(), timer,
                                      [](const Timer& t, TimerId id) { return t.id < id; });
  if (place != local_.timers.end() && place->id == timer) {
    place->deadline = deadline;
  } else {
    local_.timers.insert(place, {timer, deadline});
  }
}

void StepEnv::cancel_timer(TimerId timer) {
  std::erase_if(local_.timers, [timer](const Timer& t) { return t.id == timer; });
}

void StepEnv::send(NodeId, Message) { CHECK(false, "unfit() refuses protocols that send messages"); }

RequestId StepEnv::submit(Submission submission) {
  Parcel parcel;
  parcel.kind = Parcel::Kind::request;
  parcel.awaited = true;
  parcel.id = {local_.who(), ++local_.requests};
  parcel.part = submission.part;
  parcel.store = submission.store;
  parcel.sent_at = mono();
  parcel.deadline = submission.deadline;
  if (submission.as_leader) acts();
  tell(seen_, [&] { return fmt::format("asks #{} {}", parcel.id.counter, describe(submission.request)); });
  parcel.request = std::make_shared<const Request>(std::move(submission.request));
  local_.parcels.push_back(std::move(parcel));
  return local_.parcels.back().id;
}

void StepEnv::execute(const WorkItem& item) {
  acts();
  tell(seen_,
       [&] { return item.token ? "decides to work under " + describe(*item.token) : "decides to work"; });
  Parcel parcel;
  parcel.kind = Parcel::Kind::work;
  parcel.item = item;
  parcel.id = {local_.who(), 0};
  parcel.overtaken = local_.overtaken;
  local_.parcels.push_back(std::move(parcel));
}

// acts-within-belief: what only a leader may do is decided while the declared belief lasts.
void StepEnv::acts() {
  if (!rules_.believes(local_)) seen_.broken = Check::acts_within_belief;
}

void StepEnv::note(const Note& note) {
  tell(seen_, [&] { return describe(note); });
  if (const auto* believes = std::get_if<Believes>(&note)) {
    const bool before = rules_.believes(local_);
    local_.belief = *believes;
    if (before || !rules_.believes(local_)) return;
    seen_.began = true;
    local_.overtaken = false;
  } else if (std::holds_alternative<StepsDown>(note)) {
    local_.belief.reset();
  } else if (std::holds_alternative<Stopped>(note)) {
    local_.finished = true;
  }
}

std::uint64_t StepEnv::choose(std::uint64_t n, std::string_view) {
  if (n > 1) seen_.chose = true;
  return high_ ? n - 1 : 0;
}

std::uint64_t StepEnv::nonce(std::string_view) { return (std::uint64_t{1} << 63) + local_.node.value; }

}  // namespace tenure::sim::explore
