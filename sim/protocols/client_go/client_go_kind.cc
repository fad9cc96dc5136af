// What client-go declares about itself: its parameters, what is wrong with a set of them, and its claims.
#include "sim/protocols/client_go/client_go_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "sim/protocols/client_go/client_go.h"
#include "sim/stores/registry.h"

namespace tenure {

Duration client_go::longest_release(const Parameters& parameters) {
  if (!parameters.flag("release_on_cancel")) return {};
  const Duration timeout = parameters.duration("request_timeout");
  const std::string_view release = parameters.choice("release");
  if (release == kOldest) return timeout;
  const std::int64_t requests = release >= "0.36" ? 2 : 1;  // after a conflict more: each then has its answer
  return std::min(timeout * requests, parameters.duration("renew_deadline"));
}

namespace {

constexpr auto kLastRelease = static_cast<std::int64_t>(std::size(client_go::kReleases)) - 1;
using Type = ParameterSpec::Type;

constexpr ParameterSpec kClientGoParameters[] = {
    {"release", Type::choice, client_go::kDefaultRelease, 0, kLastRelease,
     "which release's behaviour: 0.29 and before, 0.31 (from 0.30 on), 0.33 (from 0.32 on), 0.36 (from 0.34 "
     "on), 0.37 (its beta)",
     client_go::kReleases},
    {"lease_duration", Type::duration, Duration::seconds(15).ns(), nanos::kMillisecond, nanos::kYear,
     "how long the record must stand still before a candidate takes it; written to it in whole seconds"},
    {"renew_deadline", Type::duration, Duration::seconds(10).ns(), nanos::kMillisecond, nanos::kYear,
     "how long a leader polls without a success before it gives up"},
    {"retry_period", Type::duration, Duration::seconds(2).ns(), nanos::kMillisecond, nanos::kYear,
     "the period of every poll"},
    {"request_timeout", Type::duration, Duration::seconds(5).ns(), nanos::kMillisecond, nanos::kYear,
     "the client's: how long a get or an update may hang; components of Kubernetes set half the renew "
     "deadline"},
    {"release_on_cancel", Type::boolean, 0, 0, 1, "empty the record when asked to stop, or when giving up"},
};

// A get and an update; later an update alone, if nobody else has written the record.
std::int64_t requests_to_renew(const Parameters& parameters) {
  return parameters.choice("release") == client_go::kOldest ? 2 : 1;
}

// L <= D and D <= 1.2 R are refused by the library too.
void refuse(Duration lease, Duration deadline, Duration retry, std::vector<Complaint>& complaints) {
  const Duration jittered = Duration::nanos(mul_div_floor(retry.ns(), client_go::kJitterTenths, 10));
  if (lease <= deadline)
    complaints.push_back({"lease_duration", "",
                          fmt::format("lease_duration ({}) must be greater than renew_deadline ({})",
                                      describe(lease), describe(deadline))});
  if (deadline <= jittered)
    complaints.push_back({"renew_deadline", "",
                          fmt::format("renew_deadline ({}) must be greater than 1.2 x retry_period ({})",
                                      describe(deadline), describe(jittered))});
}

std::vector<Complaint> validate_client_go(const Parameters& values) {
  std::vector<Complaint> complaints;
  const Duration lease = values.duration("lease_duration");
  const Duration deadline = values.duration("renew_deadline");
  const Duration retry = values.duration("retry_period");
  refuse(lease, deadline, retry, complaints);
  if (!complaints.empty()) return complaints;
  const Duration written = client_go::whole_seconds(lease);
  const Duration belief = retry + deadline;
  if (written != lease)
    complaints.push_back(
        {"lease_duration", "truncated-lease",
         fmt::format("lease_duration ({}) is written to the record as {}: others wait for less than was "
                     "configured",
                     describe(lease), describe(written))});
  if (belief >= written) {
    complaints.push_back({"renew_deadline", "belief-beyond-lease",
                          fmt::format("retry_period ({}) + renew_deadline ({}) is not less than the lease "
                                      "that others wait for ({}): a "
                                      "leader that was cut off still leads when the next one starts",
                                      describe(retry), describe(deadline), describe(written))});
    return complaints;
  }
  const Duration unseen = Duration::seconds(1);
  if (belief + unseen >= written)
    complaints.push_back(
        {"renew_deadline", "unseen-renewals",
         fmt::format(
             "retry_period ({}) + renew_deadline ({}) + 1s is not less than the lease that others wait "
             "for ({}): a renewal within the second of the one before is not seen, so they may begin "
             "to wait 1s before the last renewal",
             describe(retry), describe(deadline), describe(written)),
         true});
  const Duration timeout = values.duration("request_timeout");
  if (const std::int64_t requests = requests_to_renew(values); requests > 1 && timeout * requests > deadline)
    complaints.push_back(
        {"request_timeout", "renewal-beyond-deadline",
         fmt::format("a renewal of release {} is a get and an update: 2 x request_timeout ({}) exceeds "
                     "renew_deadline ({}), so a leader may give up although each of them is answered in time",
                     values.choice("release"), describe(timeout), describe(deadline)),
         true});
  const Duration release = client_go::longest_release(values);
  if (release > Duration{} && belief + release + unseen >= written)
    complaints.push_back(
        {"release_on_cancel", "leads-while-releasing",
         fmt::format(
             "retry_period ({}) + renew_deadline ({}) + the release ({}) + 1s is not less than the lease "
             "that others wait for ({}): a leader that was cut off leads on while its release hangs",
             describe(retry), describe(deadline), describe(release), describe(written)),
         true});
  return complaints;
}

const std::vector<Claim>& client_go_claims() {
  using enum Assumption;
  static const std::vector<Claim> kClaims = {
      {"one-believer",
       {rates_equal, no_pause, prompt_store, no_lost_commits, no_mono_freeze},
       Claim::Aftermath::passes},
      {"acts-within-belief", {}},
      {"leader-elected", {prompt_at_rest}},
  };
  return kClaims;
}

}  // namespace

constinit const ElectorKind kClientGo = {
    .name = "client-go",
    .summary = "the leader election of Kubernetes' Go client, on a versioned record",
    .store = &kRecordStore,
    .has_tokens = false,
    .parameters = listed_parameters<kClientGoParameters>,
    .validate = validate_client_go,
    .claims = client_go_claims,
    .timing = {.renew_deadline = "renew_deadline"},
    .requests_to_renew = requests_to_renew,
    .make = make_elector<ClientGo>,
};

}  // namespace tenure
