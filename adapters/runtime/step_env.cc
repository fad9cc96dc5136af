#include "adapters/runtime/step_env.h"

#include <atomic>
#include <memory>
#include <utility>

#include "adapters/runtime/entropy.h"
#include "core/base/check.h"
#include "core/base/hash.h"

namespace tenure {

StepEnv::StepEnv(RuntimeLoop& loop, RuntimeLoop::Life& life)
    : loop_(loop), life_(life), now_(loop.clock_.now()), wall_(loop.clock_.wall()), env_{*this, *this,
                                                                                         *this, *this,
                                                                                         *this, *this} {}

void StepEnv::set_timer(TimerId timer, MonoTime deadline) { life_.timers[timer] = deadline; }

void StepEnv::cancel_timer(TimerId timer) { life_.timers.erase(timer); }

void StepEnv::send(NodeId, Message) {}

RequestId StepEnv::submit(Submission submission) {
  const auto* request = std::get_if<house::Request>(&submission.request);
  CHECK(request != nullptr, "a real store is a house store");
  const RequestId id{life_.who, ++life_.requests};
  loop_.journal_.asked(now_, id, submission);
  life_.pending.push_back(
      {id, submission.store, submission.part, request->index(), now_.mono, submission.deadline});
  StoreWorker* worker = life_.workers[static_cast<std::size_t>(submission.part)].get();
  life_.effects.push_back([&loop = loop_, worker, id, asked = *request, deadline = submission.deadline] {
    worker->submit(asked, deadline, [&loop, id](Answer answer) {
      loop.post([&loop, id, answer = std::move(answer)] { loop.answered(id.incarnation, id, answer); });
    });
  });
  return id;
}

void StepEnv::execute(const WorkItem& item) {
  loop_.journal_.write(now_, life_.who, item);
  life_.effects.push_back([&loop = loop_, who = life_.who, item, handler = life_.hosted.work] {
    // Work may outlive the runtime.
    const auto said = std::make_shared<std::atomic<bool>>(false);
    const WorkDoneCallback done = [weak = loop.weak_from_this(), who, event = item.event,
                                   said](WorkResult result) {
      const auto alive = weak.lock();
      if (!alive || said->exchange(true)) return;
      alive->post([&loop = *alive, who, done = WorkDone{event, result}] { loop.work_done(who, done); });
    };
    if (handler)
      handler(item, done);
    else
      done(WorkResult::done);
  });
}

void StepEnv::note(const Note& note) {
  loop_.journal_.write(now_, life_.who, note);
  if (std::holds_alternative<Stopped>(note)) life_.stopped = true;
  if (life_.hosted.observe) life_.hosted.observe(note);
}

std::uint64_t StepEnv::choose(std::uint64_t n, std::string_view) {
  CHECK(n > 0, "choose() needs something to choose from");
  return reduce(random_bits(), n);
}

std::uint64_t StepEnv::nonce(std::string_view) { return random_bits() | 1; }

}  // namespace tenure
