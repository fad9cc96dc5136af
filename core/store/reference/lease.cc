#include "core/store/reference/lease.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure::reference {

namespace {

void check_duration(Duration duration) {
  CHECK(duration >= Duration::micros(1), "a lease lasts for a microsecond at least");
}

}  // namespace

Duration Lease::remaining(StoreTime now) const { return std::clamp(expires_at - now, Duration{}, promise()); }

Reply Lease::acquire(const Acquire& asked, std::uint32_t store_branch, StoreTime now) {
  CHECK(asked.holder.number != 0, "nobody cannot hold a lease");
  check_duration(asked.duration);
  if (!free()) {
    if (branch != store_branch) {  // rule 5
      branch = store_branch;
      promise_again(now);
      return refuse(Denial::other_branch, now);
    }
    if (now < written_at) {  // rule 4
      promise_again(now);
      return refuse(Denial::clock_stepped, now);
    }
    if (!expired(now)) {
      if (holder != asked.holder) return refuse(Denial::other_holder, now);
      if (asked.epoch_seen == epoch) return extend(asked.duration, now);
    }
  }
  if (asked.epoch_seen != epoch) return refuse(Denial::stale_view, now);  // rule 1
  return grant(asked, store_branch, now);
}

Reply Lease::renew(const Renew& asked, std::uint32_t store_branch, StoreTime now) {
  check_duration(asked.duration);
  if (const auto why = denial(asked.holder, asked.token, store_branch, now)) return refuse(*why, now);
  return extend(asked.duration, now);
}

Reply Lease::release(const Release& asked, std::uint32_t store_branch, StoreTime now) {
  if (const auto why = denial(asked.holder, asked.token, store_branch, now)) return refuse(*why, now);
  *this =
      Lease{.holder = {}, .epoch = epoch, .nonce = 0, .branch = branch, .written_at = {}, .expires_at = {}};
  return Released{};
}

std::optional<Denial> Lease::denial(Incarnation asker, const Token& shown, std::uint32_t store_branch,
                                    StoreTime now) const {
  if (free()) return Denial::no_lease;
  if (holder != asker) return Denial::other_holder;
  if (shown != token() || branch != store_branch) return Denial::stale_token;
  if (expired(now)) return Denial::expired;
  return std::nullopt;
}

Granted Lease::grant(const Acquire& asked, std::uint32_t store_branch, StoreTime now) {
  *this = Lease{.holder = asked.holder,
                .epoch = epoch + 1,
                .nonce = asked.nonce,
                .branch = store_branch,
                .written_at = now,
                .expires_at = now + asked.duration};
  return {token(), promise()};
}

Granted Lease::extend(Duration duration, StoreTime now) {
  if (now < written_at) promise_again(now);  // rule 4
  expires_at = std::max(expires_at, now + duration);
  written_at = now;
  return {token(), promise()};
}

Refused Lease::refuse(Denial why, StoreTime now) const {
  return {.why = why, .holder = holder, .epoch = epoch, .remaining = remaining(now)};
}

void Lease::promise_again(StoreTime now) {
  expires_at = now + promise();
  written_at = now;
}

void Lease::hash(Hasher& hasher, StoreTime now) const {
  hasher.add(holder).add(epoch).add(nonce).add(branch);
  if (!free()) hasher.add(written_at - now).add(expires_at - now);
}

}  // namespace tenure::reference
