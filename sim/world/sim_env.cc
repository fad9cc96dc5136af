#include "sim/world/sim_env.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure::sim {

void SimEnv::stepping(const Input& input) {
  if (std::holds_alternative<StopAsked>(input)) process_.history_.emit(StopHeard{process_.who()});
  if (const auto* reply = std::get_if<StoreReplied>(&input))
    process_.history_.emit(RequestAnswered{reply->id, reply->outcome, reply->rejection});
  const auto* started = std::get_if<Started>(&input);
  if (started == nullptr) return;
  process_.history_.emit(NodeStarted{started->self});
  process_.world_.process_changed(process_.id_);
}

void SimEnv::queued(const Effect& effect) {
  if (const auto* submit = std::get_if<SubmitEffect>(&effect))
    process_.history_.emit(Submitted{process_.who(), submit->id, submit->submission});
  else if (const auto* work = std::get_if<WorkEffect>(&effect))
    process_.history_.emit(work->item.destination.empty()
                               ? Record(WorkAsked{process_.who(), work->item})
                               : Record(DeliveryAsked{process_.who(), work->item}));
  else if (const auto* write = std::get_if<WriteEffect>(&effect))
    process_.history_.emit(WriteAsked{process_.who(), write->item});
  const Duration late = process_.lateness();
  process_.not_before_.push_back(process_.timeline_.now() + late);
}

void SimEnv::noted(const Note& note, bool believed) {
  if (const auto* believes = std::get_if<Believes>(&note)) {
    if (!believed) process_.belief_since_ = process_.timeline_.now();
    process_.led_ = true;
    process_.watch_belief(believes->until);
    if (std::holds_alternative<WallTime>(believes->until)) process_.wall_clock_read_ = true;
  }
  process_.history_.emit(Noted{process_.who(), note});
}

std::uint64_t SimEnv::choose(std::uint64_t n, std::string_view purpose) {
  CHECK(n > 0, "choose() needs something to choose from");
  return next_noise(purpose).below(n);
}

std::uint64_t SimEnv::nonce(std::string_view purpose) {
  const std::uint64_t bits = next_noise(purpose).bits();
  return bits != 0 ? bits : 1;
}

KeyedRng SimEnv::next_noise(std::string_view purpose) {
  const std::uint64_t key = hash_text(purpose);
  auto& draws = process_.draws_;
  auto draw = std::find_if(draws.begin(), draws.end(), [&](const auto& d) { return d.first == key; });
  if (draw == draws.end()) draw = draws.insert(draws.end(), {key, 0});
  return process_.rng_.of("node").of(process_.who().number).of(key).of(draw->second++);
}

}  // namespace tenure::sim
