#include "core/model/instance.h"

#include <utility>

namespace tenure {
namespace {

bool is_for_elector(const Input& input) {
  if (const auto* timer = std::get_if<TimerFired>(&input)) return timer->timer.part == Part::elector;
  if (const auto* reply = std::get_if<StoreReplied>(&input)) return reply->part == Part::elector;
  return !std::holds_alternative<WorkDone>(input) && !std::holds_alternative<StopAsked>(input);
}

}  // namespace

Instance::Instance(std::unique_ptr<Elector> elector, std::unique_ptr<Scheduler> scheduler)
    : elector_(std::move(elector)), scheduler_(std::move(scheduler)) {}

Instance::Instance(const Instance& other)
    : elector_(other.elector_->clone()),
      scheduler_(other.scheduler_ ? other.scheduler_->clone() : nullptr),
      stop_asked_(other.stop_asked_),
      elector_stopping_(other.elector_stopping_) {}

void Instance::step(const Input& input, Env& env) {
  if (std::holds_alternative<StopAsked>(input)) stop_asked_ = true;
  if (is_for_elector(input)) elector_->step(input, env);
  if (scheduler_) {
    scheduler_->step(input, elector_->leadership(env.clock), env);
    const std::optional<StepAside> request = scheduler_->take_step_aside();
    if (request && !elector_stopping_) elector_->step_aside(*request, env);
  }
  if (stop_asked_ && !elector_stopping_ && (!scheduler_ || scheduler_->idle())) {
    elector_stopping_ = true;
    elector_->step(StopAsked{}, env);
  }
}

std::unique_ptr<Node> Instance::clone() const { return std::make_unique<Instance>(*this); }

void Instance::hash(Hasher& hasher, const Canon& canon) const {
  elector_->hash(hasher, canon);
  if (scheduler_) scheduler_->hash(hasher, canon);
  hasher.add(stop_asked_).add(elector_stopping_);
}

}  // namespace tenure
