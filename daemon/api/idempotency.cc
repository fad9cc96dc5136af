#include "daemon/api/idempotency.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "adapters/runtime/entropy.h"
#include "core/base/sha256.h"

namespace tenure::daemon {
namespace {

constexpr std::size_t kKeyBytes = 200;

std::int64_t now_in_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// 63 bits, because databases have no more; not 0, which is no run.
std::uint64_t run_of(const std::string& text) {
  std::uint64_t run = 0;
  const auto hash = sha256(text);
  for (int i = 0; i < 8; ++i) run = run << 8 | hash[static_cast<std::size_t>(i)];
  return run >> 1 | 1;
}

}  // namespace

std::optional<AnsweredKeys::Answered> AnsweredKeys::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  forget_old(now_in_seconds());
  const auto found = kept_.find(key);
  return found == kept_.end() ? std::nullopt : std::optional(found->second.answered);
}

void AnsweredKeys::add(const std::string& key, Answered answered) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = now_in_seconds();
  if (!kept_.try_emplace(key, Remembered{std::move(answered), now}).second) return;
  order_.emplace_back(now, key);
  forget_old(now);
}

void AnsweredKeys::forget_old(std::int64_t now) {
  while (!order_.empty() && (order_.size() > kMost || now - order_.front().first > kForSeconds)) {
    kept_.erase(order_.front().second);
    order_.pop_front();
  }
}

HttpResponse once(Call& call, ScheduleId schedule,
                  const std::function<HttpResponse(std::uint64_t run)>& act) {
  const std::string_view given = call.request.field("idempotency-key");
  if (given.empty()) return act(random_bits() >> 1 | 1);
  if (given.size() > kKeyBytes)
    throw invalid(fmt::format("`Idempotency-Key` has more than {} bytes", kKeyBytes));
  const std::string key = fmt::format("{}\n{}\n{}", schedule.value, call.request.path, given);
  const std::string body_hash = sha256_hex(call.request.body);
  if (const auto before = call.context.answered_keys.find(key)) {
    if (before->body_hash == body_hash) return before->response;
    throw HttpProblem{.status = 422,
                      .type = "idempotency-mismatch",
                      .title = "This Idempotency-Key was used with another body",
                      .detail = "take another key for another request"};
  }
  HttpResponse response = act(run_of(key));
  call.context.answered_keys.add(key, {body_hash, response});
  return response;
}

}  // namespace tenure::daemon
