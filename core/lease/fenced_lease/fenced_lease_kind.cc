// What fenced-lease declares about itself: its parameters, what is wrong with a set of them, and its claims.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/int128.h"
#include "core/lease/fenced_lease/fenced_lease.h"
#include "core/model/describe.h"

namespace tenure {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
using Type = ParameterSpec::Type;

constexpr ParameterSpec kFencedLeaseParameters[] = {
    {"lease_duration", Type::duration, Duration::seconds(15).ns(), nanos::kMillisecond, nanos::kYear,
     "for how long the store grants the lease"},
    {"renew_period", Type::duration, Duration::seconds(5).ns(), nanos::kMillisecond, nanos::kYear,
     "from one renewal's send to the next one's"},
    {"retry_period", Type::duration, Duration::seconds(2).ns(), nanos::kMillisecond, nanos::kYear,
     "pause before asking again after a request that failed or was not answered"},
    {"retry_jitter", Type::duration, Duration::millis(200).ns(), 0, nanos::kYear,
     "upper end of the random time added to every wait, so that standbys do not all ask at once"},
    {"request_timeout", Type::duration, Duration::seconds(3).ns(), nanos::kMillisecond, nanos::kYear,
     "how long a request may stay unanswered before its fate counts as unknown"},
    {"max_clock_drift_ppm", Type::ppm, 500, 0, 500'000,
     "bound on the rate error of every clock, the store's included"},
    {"guard", Type::duration, Duration::millis(100).ns(), 0, nanos::kYear,
     "taken off belief: time for work to stop after leadership is lost"},
    {"release_on_stop", Type::boolean, 1, 0, 1, "free the lease when asked to stop"},
};

std::span<const ParameterSpec> fenced_lease_parameters() { return kFencedLeaseParameters; }

// For a message: lengths of a second and more to ten milliseconds, never rounded up.
std::string about(Duration d) {
  return describe(d < Duration::seconds(1) ? d : d - Duration::nanos(d.ns() % Duration::millis(10).ns()));
}

std::vector<Complaint> validate_fenced_lease(const Parameters& values) {
  std::vector<Complaint> complaints;
  const Duration lease = values.duration("lease_duration");
  const Duration guard = values.duration("guard");
  const Duration renew = values.duration("renew_period");
  const Duration timeout = values.duration("request_timeout");
  const std::int64_t drift = values.number("max_clock_drift_ppm");
  const Duration belief = fenced_lease_belief(lease, drift, guard);

  if (lease.ns() % Duration::micros(1).ns() != 0)
    complaints.push_back(
        {"lease_duration", "",
         fmt::format("lease_duration ({}) is not in whole microseconds, which is all that a store keeps",
                     describe(lease))});
  if (belief <= Duration{}) {
    complaints.push_back(
        {"guard", "",
         fmt::format(
             "guard ({}) and max_clock_drift_ppm ({}) leave nothing of lease_duration ({}) to believe in",
             describe(guard), drift, describe(lease))});
    return complaints;
  }
  // From one renewal's send to the next one's is a renew_period, or as long as its answer takes.
  const bool waits = timeout > renew;
  if (std::max(renew, timeout) + timeout > belief)
    complaints.push_back(
        {waits ? "request_timeout" : "renew_period", "renew-beyond-belief",
         waits ? fmt::format("twice request_timeout ({}) exceeds the time a holder may believe ({}): a "
                             "renewal waits for the answer to the one before",
                             describe(timeout), about(belief))
               : fmt::format(
                     "renew_period ({}) + request_timeout ({}) exceeds the time a holder may believe ({})",
                     describe(renew), describe(timeout), about(belief))});
  if (guard == Duration{} && drift == 0)
    complaints.push_back(
        {"guard", "no-margin",
         fmt::format("guard (0s) and max_clock_drift_ppm (0) leave no margin: belief lasts as long as the "
                     "lease ({}), so any difference of rates lets it outlive the lease",
                     describe(lease))});
  return complaints;
}

const std::vector<Claim>& fenced_lease_claims() {
  using enum Assumption;
  static const std::vector<Claim> kClaims = {
      {"one-believer",
       {rate_bound, no_store_step, no_lost_commits, no_mono_freeze},
       Claim::Aftermath::passes},
      {"one-holder-per-epoch", {}},
      {"epochs-increase", {}},
      {"fenced-writes", {}},
      {"acts-within-belief", {}},
      {"leader-elected", {prompt_at_rest}},
  };
  return kClaims;
}

std::unique_ptr<Elector> make_fenced_lease(const ElectorSetup& setup) {
  return std::make_unique<FencedLease>(setup);
}

}  // namespace

Duration fenced_lease_belief(Duration lease, std::int64_t max_clock_drift_ppm, Duration guard) {
  // Rounded down, twice: a shorter belief is always safe.
  return Duration::nanos(
             mul_div_floor(lease.ns(), kMillion - max_clock_drift_ppm, kMillion + max_clock_drift_ppm)) -
         guard;
}

constinit const ElectorKind kFencedLease = {
    .name = "fenced-lease",
    .summary = "a lease with a fencing token in the reference store, believed from the send",
    .store = &kReferenceStore,
    .has_tokens = true,
    .parameters = fenced_lease_parameters,
    .validate = validate_fenced_lease,
    .claims = fenced_lease_claims,
    .make = make_fenced_lease,
};

}  // namespace tenure
