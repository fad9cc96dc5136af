#include "sim/checkers/trackers/lease_model.h"

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

TokenStanding LeaseModel::standing(ResourceId resource, std::uint32_t branch, Incarnation who,
                                   const Token& token, StoreTime now) const {
  if (token.branch != branch) return TokenStanding::other_token;
  const Track* row = find(resource);
  if (row == nullptr) return TokenStanding::not_held;  // never granted
  if (row->branch != branch || !row->known) return TokenStanding::unknown;
  if (!row->lease) return TokenStanding::not_held;
  if (row->lease->holder != who) return TokenStanding::other_holder;
  if (row->lease->token != token) return TokenStanding::other_token;
  return now < row->lease->expires ? TokenStanding::good : TokenStanding::expired;
}

std::optional<HeldLease> LeaseModel::held(ResourceId resource, std::uint32_t branch) const {
  const Track* row = find(resource);
  return row != nullptr && row->branch == branch ? row->lease : std::nullopt;
}

void LeaseModel::see(const Applied& applied) {
  if (const auto* granted = reference_reply<reference::Granted>(applied.reply)) {
    Track& row = row_of(resource_of(applied.request), applied.branch);
    row.known = true;
    row.lease = HeldLease{applied.who, granted->token, applied.store_now + granted->duration};
  } else if (const auto* refused = reference_reply<reference::Refused>(applied.reply)) {
    Track& row = row_of(resource_of(applied.request), applied.branch);
    // Only these refusals change the lease: the whole promise is counted again from now, …
    const bool adopted = refused->why == reference::Denial::other_branch;
    if (!row.lease || (!adopted && refused->why != reference::Denial::clock_stepped)) return;
    row.lease->expires = applied.store_now + refused->remaining;
    if (adopted) row.lease->token.branch = applied.branch;  // … under a token of the new branch
  } else if (reference_reply<reference::Released>(applied.reply) != nullptr) {
    Track& row = row_of(resource_of(applied.request), applied.branch);
    row.known = true;
    row.lease.reset();
  }
}

void LeaseModel::failed_over(std::uint32_t branch) {
  for (auto& [resource, row] : rows_) {
    row.branch = branch;
    if (row.lease) row.lease->expires = StoreTime::max();
  }
}

const LeaseModel::Track* LeaseModel::find(ResourceId resource) const {
  const auto row = rows_.find(resource);
  return row != rows_.end() ? &row->second : nullptr;
}

LeaseModel::Track& LeaseModel::row_of(ResourceId resource, std::uint32_t branch) {
  Track& row = rows_.try_emplace(resource, Track{branch, true, std::nullopt}).first->second;
  if (row.branch != branch) row = {branch, false, std::nullopt};
  return row;
}

}  // namespace tenure::sim
