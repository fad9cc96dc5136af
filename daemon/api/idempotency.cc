#include "daemon/api/idempotency.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "adapters/runtime/entropy.h"
#include "core/base/sha256.h"

namespace tenure::daemon {
namespace {

constexpr std::size_t kKeyBytes = 200;

// The first 63 bits of a hash, because databases have no more; and odd, because 0 says nothing.
std::uint64_t number_of(const std::string& text) {
  std::uint64_t number = 0;
  const auto hash = sha256(text);
  for (int i = 0; i < 8; ++i) number = number << 8 | hash[static_cast<std::size_t>(i)];
  return number >> 1 | 1;
}

// As whoever encodes no more than he must writes it: each spelling of a path names the same.
std::string plain_path(std::string_view path) {
  std::string plain;
  for (const std::string& segment : path_segments(path).value_or(std::vector<std::string>{}))
    plain += "/" + percent_encoded(segment);
  return plain;
}

}  // namespace

NamedRun named_run(const Call& call, ScheduleId schedule) {
  const std::string_view key = call.request.field("idempotency-key");
  if (!call.request.has_field("idempotency-key")) return {random_bits() >> 1 | 1, 0};
  if (key.empty()) throw invalid("`Idempotency-Key` is empty: what has none may run twice");
  if (key.size() > kKeyBytes)
    throw invalid(fmt::format("`Idempotency-Key` has more than {} bytes", kKeyBytes));
  return {number_of(fmt::format("{}\n{}\n{}", schedule.value, plain_path(call.request.path), key)),
          number_of(call.request.body)};
}

void check_known(const Answer& answer, const NamedRun& run) {
  if (answer.outcome != RequestOutcome::unknown || run.digest != 0) return;
  throw HttpProblem{.status = 503,
                    .type = "busy",
                    .title = "It is not known whether the store did it",
                    .detail =
                        "without an Idempotency-Key, what is asked again may run twice: look at the "
                        "schedule's events and fires first. " +
                        answer.message};
}

HttpProblem idempotency_mismatch() {
  return {.status = 422,
          .type = "idempotency-mismatch",
          .title = "This Idempotency-Key was used with another body",
          .detail = "take another key for another request"};
}

}  // namespace tenure::daemon
