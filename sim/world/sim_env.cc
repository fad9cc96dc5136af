#include "sim/world/sim_env.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure::sim {

void SimEnv::stepping(const Input& input) {
  const auto* started = std::get_if<Started>(&input);
  if (started == nullptr) return;
  host_.history_.emit(NodeStarted{started->self});
  host_.world_.host_changed(host_.id_);
}

void SimEnv::queued(const Effect& effect) {
  if (const auto* submit = std::get_if<SubmitEffect>(&effect))
    host_.history_.emit(Submitted{host_.who(), submit->id, submit->submission});
  else if (const auto* work = std::get_if<WorkEffect>(&effect))
    host_.history_.emit(WorkAsked{host_.who(), work->item});
  const Duration late = host_.lateness();
  host_.not_before_.push_back(host_.timeline_.now() + late);
}

void SimEnv::noted(const Note& note, bool believed) {
  if (std::holds_alternative<Believes>(note) && !believed) host_.belief_since_ = host_.timeline_.now();
  host_.history_.emit(Noted{host_.who(), note});
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
  auto& draws = host_.draws_;
  auto draw = std::find_if(draws.begin(), draws.end(), [&](const auto& d) { return d.first == key; });
  if (draw == draws.end()) draw = draws.insert(draws.end(), {key, 0});
  return host_.rng_.of("node").of(host_.who().number).of(key).of(draw->second++);
}

}  // namespace tenure::sim
