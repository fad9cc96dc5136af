// Whether a leader that sees the store's clock jump stops firing, as its journal tells of both: the scheduler's own
// watch (core/scheduler/fenced_outbox/clock_watch.h) is shown the answers that the life heard. And whether the store
// kept to the hold.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/model/describe.h"
#include "core/scheduler/fenced_outbox/clock_watch.h"
#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kHeldAfterAlarm = "held-after-alarm";
constexpr std::string_view kNoneWhileHeld = "none-while-held";

bool is_about_the_hold(const JournalCall& call) {
  return call.request<reference::SetHold>() != nullptr || call.request<reference::ClearHold>() != nullptr;
}

std::optional<ClockWatch> watch_of(const LifeHistory& life) {
  const auto drift = life.setting("scheduling.max_clock_drift_ppm");
  const auto tolerance = life.setting("scheduling.clock_tolerance");
  const auto hold = life.setting("scheduling.clock_hold");
  const bool told = drift && tolerance && hold && *drift >= 0 && *drift < 1'000'000;
  if (!told) return std::nullopt;
  return ClockWatch(StoreClockEstimate(*drift, Duration::nanos(*tolerance)), Duration::nanos(*hold));
}

// The latest alarm that the life tells of.
struct ToldAlarm {
  Duration jump;
  bool is_seen = false;  // its answers show a jump
};

class AlarmsOfLife : Evidence {
 public:
  AlarmsOfLife(const Evidence& evidence, Incarnation who, const LifeHistory& life)
      : Evidence(evidence), life_(life), who_(names_.who(who)), watch_(watch_of(life)) {}

  void compare() {
    for (std::size_t i = 0; i < life_.lines.size(); ++i) {
      const LifeLine& line = life_.lines[i];
      if (const JournalCall* call = life_.answered_at(i)) hear(*call, line.mono());
      if (const auto* alarm = line.note<ClockAlarm>()) note(*alarm, line);
      if (const JournalCall* call = life_.asked_at(i)) ask(*call, line);
    }
  }

 private:
  void hear(const JournalCall& call, MonoTime now) {
    if (!watch_ || !call.applied() || call.asked->submission.part != Part::scheduler) return;
    watch_->observe(life_.lines[call.line].mono(), now, call.at());
    if (call.reply<reference::HoldSet>() != nullptr)
      watch_->see_hold(call.request<reference::SetHold>() != nullptr, true, now);
    if (alarm_ && alarm_->is_seen && watch_->may_fire()) alarm_.reset();
  }
  void note(const ClockAlarm& alarm, const LifeLine& line) {
    if (!watch_)
      return findings_.lacks(fmt::format(
          "{} saw the store's clock jump at {}, and does not say with which settings it judged that", who_,
          time_text(line.at)));
    findings_.examined(kHeldAfterAlarm);
    alarm_ = ToldAlarm{alarm.jump, !watch_->may_fire()};
  }
  // What it sets or lifts itself, the watch sees by the answer.
  void ask(const JournalCall& call, const LifeLine& line) {
    if (is_about_the_hold(call)) alarm_.reset();
    if (call.request<reference::CommitFires>() == nullptr || !watch_) return;
    if (!alarm_ && watch_->may_fire()) return;
    findings_.violate(
        kHeldAfterAlarm, line.at,
        fmt::format("{} asked for a commit at {}, although {}", who_, time_text(line.at),
                    alarm_ ? fmt::format("it had seen the store's clock jump by {}, and had set no hold",
                                         describe(alarm_->jump))
                           : std::string("its answers showed that the store's clock had jumped")));
    alarm_.reset();
    watch_.reset();  // said once
  }

  const LifeHistory& life_;
  const std::string who_;
  std::optional<ClockWatch> watch_;
  std::optional<ToldAlarm> alarm_;
};

// The store commits nothing between a hold and its end. Its clock has no order there, and positions have.
void judge_holds(const Evidence& evidence, ResourceId resource) {
  std::map<std::uint64_t, const JournalCall*> calls;  // by position; of two, the one that is about the hold
  bool may_be_cleared = false;
  evidence.history_.for_each_call(resource, [&](const JournalCall& call) {
    if (call.reply<reference::HoldSet>() != nullptr)
      calls[call.answered->position] = &call;
    else if (call.reply<reference::Committed>() != nullptr)
      calls.try_emplace(call.answered->position, &call);
    may_be_cleared = may_be_cleared || (call.in_doubt() && call.request<reference::ClearHold>() != nullptr);
  });
  if (may_be_cleared) return;
  const JournalCall* hold = nullptr;
  for (const auto& [position, call] : calls) {
    if (call->request<reference::SetHold>() != nullptr) hold = call;
    if (call->request<reference::ClearHold>() != nullptr) hold = nullptr;
    if (hold == nullptr || call->request<reference::CommitFires>() == nullptr) continue;
    evidence.findings_.violate(
        kNoneWhileHeld, call->heard,
        fmt::format("{} committed at {}, and {} had set a hold at {}",
                    sim::who_text(call->who(), NodeNames::by_id), time_text(call->heard),
                    sim::who_text(hold->who(), NodeNames::by_id), time_text(hold->heard)));
  }
}

}  // namespace

// What another life, or an answer that did not come, has done to the hold is in no line of this life.
void compare_holds(const Evidence& evidence) {
  for (const auto& [incarnation, life] : evidence.history_.lives) {
    const Incarnation who = incarnation;  // clang 14 captures no structured binding
    bool unseen = !life.begins();
    evidence.history_.for_each_call([&](const JournalCall& call) {
      unseen = unseen || (is_about_the_hold(call) && (call.who() != who || call.in_doubt()));
    });
    if (!unseen) AlarmsOfLife(evidence, who, life).compare();
  }
  if (evidence.definitions_.failed_over) return;  // with what the hold was set for
  for (const auto& [resource, lease] : evidence.leases_) judge_holds(evidence, resource);
}

}  // namespace tenure::lab
