// A write that shows a token is accepted from nobody but the holder of exactly that token, while its lease lasts; and a
// lease that lasts is granted to nobody else.
//
// The lease row is worked out from what the store answered, by the six rules of core/store/reference/lease.h.
// Beside the store, the outside resource accepts no work under a token older than one that it was shown, and none
// that shows no token after one was shown.
#include <algorithm>

#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

struct Row {
  Incarnation holder;  // number 0: it is free
  Token token;
  StoreTime written_at;
  StoreTime expires_at;

  bool held() const { return holder.number != 0; }
  void promise_again(StoreTime now) {
    const Duration promise = expires_at - written_at;
    written_at = now;
    expires_at = now + promise;
  }
  void extend(Duration duration, StoreTime now) {
    if (now < written_at) promise_again(now);
    expires_at = std::max(expires_at, now + duration);
    written_at = now;
  }
};
using Rows = std::map<ResourceId, Row>;

// Why a write under `token` must not have been accepted; empty when it may.
std::string against(const Row& row, Incarnation who, const Token& token, std::uint32_t branch,
                    StoreTime now) {
  if (!row.held()) return "nobody holds the lease";
  if (row.holder != who) return describe(row.holder) + " holds the lease";
  if (row.token != token) return "the token is stale";
  if (token.branch != branch) return "the token is of another branch";
  if (now >= row.expires_at) return "the lease has expired";
  return {};
}

// What an acquire that was refused does to the row (rules 4 and 5).
void refused(Row& row, const KeptApplied& applied) {
  if (!row.held()) return;
  if (row.token.branch != applied.branch) {
    row.token.branch = applied.branch;
    row.promise_again(applied.store_now);
  } else if (applied.store_now < row.written_at) {
    row.promise_again(applied.store_now);
  }
}

std::string granted(Row& row, const KeptApplied& applied, const reference::Acquire& asked,
                    const reference::Granted& reply) {
  const bool lasts = row.held() && (applied.store_now < row.expires_at || row.token.branch != applied.branch);
  std::string wrong;
  if (lasts && row.holder != asked.holder)
    wrong = describe(asked.holder) + " is granted the lease of " + describe(row.holder);
  else if (lasts && row.token.branch == applied.branch && row.token == reply.token) {
    row.extend(reply.duration, applied.store_now);
    return {};
  }
  row = {asked.holder, reply.token, applied.store_now, applied.store_now + reply.duration};
  return wrong;
}

// What is wrong with a request that was applied; the row is as it is afterwards.
std::string judge_applied(Row& row, const KeptApplied& applied) {
  if (const auto* acquire = as_reference<reference::Acquire>(applied.request)) {
    if (const auto* reply = as_reference<reference::Granted>(applied.reply))
      return granted(row, applied, *acquire, *reply);
    refused(row, applied);
    return {};
  }
  const std::optional<Token> token = token_of(applied.request);
  const bool accepted = as_reference<reference::Granted>(applied.reply) != nullptr ||
                        as_reference<reference::Released>(applied.reply) != nullptr ||
                        as_reference<reference::Committed>(applied.reply) != nullptr ||
                        as_reference<reference::HoldSet>(applied.reply) != nullptr;
  if (!token || !accepted) return {};
  const std::string wrong = against(row, applied.who, *token, applied.branch, applied.store_now);
  if (const auto* reply = as_reference<reference::Granted>(applied.reply)) {
    row.holder = applied.who;
    row.token = reply->token;
    row.extend(reply->duration, applied.store_now);
  }
  if (as_reference<reference::Released>(applied.reply) != nullptr) row.holder = {};
  return wrong;
}

}  // namespace

std::vector<Wrong> fenced_writes(const Case& run) {
  std::vector<Wrong> wrongs;
  Rows rows;
  Rows replica;
  std::map<ResourceId, Token> shown;  // to the outside resource
  const auto comes = [&](sim::TrueTime at, Incarnation who, ResourceId resource,
                         const std::optional<Token>& token, bool accepted) {
    const auto newest = shown.find(resource);
    // What shows no token could be refused by nobody.
    if (accepted && (!token || (newest != shown.end() && token->older_than(newest->second))))
      wrongs.push_back({at, "work of " + describe(who) + " is taken under an old token, or none"});
    if (token && (newest == shown.end() || newest->second.older_than(*token))) shown[resource] = *token;
  };
  for (const Kept& kept : run.history.facts) {
    if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
      if (!std::holds_alternative<reference::Request>(applied->request)) continue;
      const std::string wrong = judge_applied(rows[resource_of(applied->request)], *applied);
      if (!wrong.empty()) wrongs.push_back({kept.at, describe(applied->who) + ": " + wrong});
    } else if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) {
      replica = rows;
    } else if (std::holds_alternative<sim::StoreFailedOver>(kept.fact)) {
      rows = replica;
    } else if (const auto* landed = std::get_if<KeptArrival>(&kept.fact)) {
      comes(kept.at, landed->who, landed->item.resource, landed->item.token,
            landed->landing == sim::DeliveryOutcome::begun);
    } else if (const auto* written = std::get_if<sim::WriteLanded>(&kept.fact)) {
      comes(kept.at, written->who, written->item.resource, written->item.token, !written->fenced);
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
