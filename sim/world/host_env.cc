#include "sim/world/host_env.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure::sim {

HostEnv::HostEnv(Host& host)
    : host_(host),
      mono_(host.clock_.mono(host.timeline_.now())),
      wall_(host.clock_.wall(host.timeline_.now())) {}

void HostEnv::set_timer(TimerId timer, MonoTime deadline) {
  cancel_timer(timer);
  host_.set_alarm({.timer = timer, .request = {}, .deadline = deadline, .event = {}});
}

void HostEnv::cancel_timer(TimerId timer) {
  auto& alarms = host_.alarms_;
  const auto alarm =
      std::find_if(alarms.begin(), alarms.end(), [&](const auto& a) { return a.timer == timer; });
  if (alarm == alarms.end()) return;
  host_.timeline_.cancel(alarm->event);
  alarms.erase(alarm);
}

void HostEnv::send(NodeId to, Message message) { host_.will_leave(SendEffect{to, std::move(message)}); }

RequestId HostEnv::submit(Submission submission) {
  const RequestId id{host_.who_, ++host_.requests_};
  host_.history_.emit(Submitted{host_.who_, id, submission});
  host_.will_leave(SubmitEffect{id, mono_, std::move(submission)});
  return id;
}

void HostEnv::execute(const WorkItem& item) {
  host_.history_.emit(WorkAsked{host_.who_, item});
  host_.will_leave(WorkEffect{item});
}

void HostEnv::note(const Note& note) {
  if (const auto* believes = std::get_if<Believes>(&note)) {
    if (!host_.believes()) host_.belief_since_ = host_.timeline_.now();
    host_.belief_ = *believes;
  } else if (std::holds_alternative<StepsDown>(note)) {
    host_.belief_.reset();
  } else if (std::holds_alternative<Stopped>(note)) {
    host_.finished_ = true;
  }
  host_.history_.emit(Noted{host_.who_, note});
}

std::uint64_t HostEnv::choose(std::uint64_t n, std::string_view purpose) {
  CHECK(n > 0, "choose() needs something to choose from");
  return next_noise(purpose).below(n);
}

std::uint64_t HostEnv::nonce(std::string_view purpose) {
  const std::uint64_t bits = next_noise(purpose).bits();
  return bits != 0 ? bits : 1;
}

Noise HostEnv::next_noise(std::string_view purpose) {
  const std::uint64_t key = hash_text(purpose);
  auto& draws = host_.draws_;
  auto draw = std::find_if(draws.begin(), draws.end(), [&](const auto& d) { return d.first == key; });
  if (draw == draws.end()) draw = draws.insert(draws.end(), {key, 0});
  return host_.noise_.of("node").of(host_.who_.number).of(key).of(draw->second++);
}

}  // namespace tenure::sim
