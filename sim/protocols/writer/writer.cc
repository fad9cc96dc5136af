#include "sim/protocols/writer/writer.h"

#include <utility>

namespace tenure {
namespace {

constexpr TimerId kWriterTick{Part::scheduler, 0};

constexpr ParameterSpec kWriterParameters[] = {
    {"write_period", ParameterSpec::Type::duration, nanos::kSecond, nanos::kMillisecond,
     3'600 * nanos::kSecond, "how often the leader writes"},
};

}  // namespace

void Writer::step(const Input& input, const Leadership& leadership, Env& env) {
  if (std::holds_alternative<Started>(input)) {
    if (std::exchange(started_, true)) return;
    env.clock.set_timer(kWriterTick, env.clock.mono() + period_);
  } else if (!started_) {
    return;
  } else if (const auto* timer = std::get_if<TimerFired>(&input)) {
    if (timer->timer == kWriterTick) tick(leadership, env);
  } else if (std::holds_alternative<WriteDone>(input)) {
    if (writing_ > 0) --writing_;
  } else if (std::holds_alternative<StopAsked>(input)) {
    stopping_ = true;
    env.clock.cancel_timer(kWriterTick);
  }
}

void Writer::tick(const Leadership& leadership, Env& env) {
  if (stopping_) return;
  const MonoTime now = env.clock.mono();
  env.clock.set_timer(kWriterTick, now + period_);
  if (!leadership.leads(now)) return;
  env.journal.note(LeadershipChecked{resource_});
  ++writing_;
  env.work.write({resource_, ++written_, leadership.token});
}

void Writer::hash(Hasher& hasher, const Canon&) const {
  hasher.add(started_).add(stopping_).add(written_).add(writing_);
}

constinit const SchedulerKind kWriter = {
    .name = "writer",
    .summary = "a leader that writes to the outside world every second while it believes to lead",
    .parameters = listed_parameters<kWriterParameters>,
    .make = make_scheduler<Writer>,
    .writes = true};

}  // namespace tenure
