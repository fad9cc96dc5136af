#include "daemon/api/quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/api/schedule_scan.h"

namespace tenure::daemon {
namespace {

constexpr Duration kHour = Duration::hours(1);
constexpr std::int64_t kSecondsOfHour = 3'600;
constexpr std::int64_t kLeastRuns = 1'000;  // of one backfill
constexpr std::int64_t kSecondsAtOnce = 60;

// In the hour that begins with the next one.
std::int64_t slots_of_hour(const Definition& definition, StoreTime now) {
  const auto first = slot_at_or_after(definition, now);
  if (!first) return 0;
  const StoreTime end = StoreTime::max() - *first < kHour ? StoreTime::max() : *first + kHour;
  return count_slots(definition, *first, end);
}

HttpProblem exhausted(std::string detail, std::int64_t retry_after) {
  return {.status = 429,
          .type = "quota",
          .title = "The token's quota is used up",
          .detail = std::move(detail),
          .fields = {{"Retry-After", std::to_string(retry_after)}}};
}

}  // namespace

void TokenUsage::put(const std::string& name, const Definition& definition) {
  const TokenQuota& quota = call_.caller.quota;
  if (!quota.schedules && !quota.fires_per_second) return;
  read();
  const auto before = slots_.find(name);
  const std::int64_t had = before == slots_.end() ? 0 : before->second;
  const auto count = static_cast<std::int64_t>(slots_.size()) + (before == slots_.end() ? 1 : 0);
  if (quota.schedules && before == slots_.end() && count > *quota.schedules)
    refuse("max_schedules", *quota.schedules, fmt::format("{} schedules", count));
  const std::int64_t has = slots_of_hour(definition, now_);
  const std::int64_t total = total_ - had + has;
  if (quota.fires_per_second && has > had && total > *quota.fires_per_second * kSecondsOfHour)
    refuse("max_fires_per_second", *quota.fires_per_second,
           fmt::format("{} fires a second", (total + kSecondsOfHour - 1) / kSecondsOfHour));
  slots_[name] = has;
  total_ = total;
}

void TokenUsage::read() {
  if (std::exchange(read_, true)) return;
  ScheduleFilter filter;
  filter.prefix = call_.caller.prefix;
  const auto see = [this](const reference::NamedSchedule& schedule, StoreTime now) {
    now_ = now;
    const std::int64_t slots = schedule.unreadable ? 0 : slots_of_hour(schedule.definition, now);
    slots_[schedule.name] = slots;
    total_ += slots;
    return true;
  };
  now_ = scan_schedules(call_, filter, {}, see, SIZE_MAX).now;
}

void TokenUsage::refuse(std::string_view quota, std::int64_t allowed, const std::string& wanted) const {
  call_.context.refused_by_quota(call_.caller.token, quota);
  throw exhausted(
      fmt::format("`{}` of the token `{}` is {}, and with this schedule it would have {}: delete schedules "
                  "or let them fire less often, or have the quota raised",
                  quota, call_.caller.token, allowed, wanted),
      60);
}

std::optional<Duration> RunBudget::take(const std::string& token, std::int64_t per_second, std::int64_t runs,
                                        Clock::time_point now) {
  const std::int64_t full = std::max(kLeastRuns, per_second * kSecondsAtOnce) * 1'000;
  const std::lock_guard lock(mutex_);
  const auto [place, fresh] = left_.try_emplace(token, Left{full, now});
  Left& left = place->second;
  const std::int64_t passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - left.at).count();
  // Whoever was away for an hour has it all.
  left.millis = std::min(full, left.millis + std::min(passed, kSecondsOfHour * 1'000) * per_second);
  left.at += std::chrono::milliseconds(passed);
  const std::int64_t missing = runs * 1'000 - left.millis;
  if (missing > 0) return Duration::millis((missing + per_second - 1) / per_second);
  left.millis -= runs * 1'000;
  return std::nullopt;
}

void check_runs(const Call& call, std::int64_t runs) {
  const auto per_second = call.caller.quota.fires_per_second;
  if (!per_second) return;
  const auto wait = call.context.runs.take(call.caller.token, *per_second, runs, RunBudget::Clock::now());
  if (!wait) return;
  call.context.refused_by_quota(call.caller.token, "runs");
  throw exhausted(
      fmt::format("the token `{}` has asked for as many runs as `max_fires_per_second`, {}, lets it",
                  call.caller.token, *per_second),
      wait->ns() / 1'000'000'000 + 1);
}

}  // namespace tenure::daemon
