// A reference store under a clock that the test moves, and short ways to ask it things.
//
// Thread rule: one test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/store/reference/reference_store.h"

namespace tenure::reference {

inline constexpr ResourceId kResource{1};
inline constexpr Duration kMicro = Duration::micros(1);

inline StoreTime at(std::int64_t seconds) { return StoreTime{} + Duration::seconds(seconds); }
inline Incarnation node(std::uint32_t number, std::uint32_t life = 1) {
  return {.node = {number}, .number = life};
}
inline const Incarnation kLeader = node(1);
inline Definition every(Duration period, StoreTime start = StoreTime{}) {
  return {.recurrence = Interval{.start = start, .period = period}, .misfire = {}, .paused = false};
}

struct ReferenceFixture {
  ReferenceStore store;
  StoreTime now = at(1'000);
  std::uint64_t nonces = 0;
  std::vector<Notification> heard;

  template <class Asked>
  Reply ask(const Asked& asked) {
    return std::get<Reply>(store.apply(Request{asked}, now, heard));
  }
  // The reply, which must be an Expected.
  template <class Expected, class Asked>
  Expected expect(const Asked& asked) {
    const Reply reply = ask(asked);
    EXPECT_TRUE(std::holds_alternative<Expected>(reply)) << "reply has index " << reply.index();
    return std::holds_alternative<Expected>(reply) ? std::get<Expected>(reply) : Expected{};
  }
  std::uint64_t hash() const {
    Hasher hasher;
    store.hash(hasher, StoreTime{});
    return hasher.value();
  }
  Lease lease() const { return store.lease(kResource); }
  Ledger ledger() const { return store.ledger(kResource); }

  Acquire acquire_by(Incarnation holder, std::uint64_t epoch_seen,
                     Duration duration = Duration::seconds(15)) {
    return {kResource, holder, epoch_seen, ++nonces, duration};
  }
  // A grant to `holder`, which must succeed.
  Token lead(Incarnation holder, Duration duration = Duration::seconds(15)) {
    return expect<Granted>(acquire_by(holder, lease().epoch, duration)).token;
  }
  Edited put(std::uint32_t schedule, std::uint32_t expected_version, const Definition& definition) {
    return expect<Edited>(PutSchedule{kResource, {schedule}, expected_version, definition});
  }
  Edited remove(std::uint32_t schedule, std::uint32_t expected_version) {
    return expect<Edited>(DeleteSchedule{kResource, {schedule}, expected_version});
  }
  Due due(StoreTime horizon, std::uint32_t limit = 1'000) {
    return expect<Due>(ReadDue{kResource, horizon, limit, {}});
  }
  Outbox outbox(std::uint64_t after = 0, std::uint32_t limit = 1'000) {
    return expect<Outbox>(ReadOutbox{kResource, limit, after});
  }
  Changes changes(std::uint64_t seq = 0, std::uint32_t limit = 1'000) {
    return expect<Changes>(ChangesSince{kResource, seq, limit});
  }
  std::vector<RowResult> commit(Incarnation holder, const Token& token, std::vector<LedgerRow> rows) {
    return expect<Committed>(CommitFires{kResource, holder, token, std::move(rows)}).rows;
  }
  // One row by itself.
  RowResult cover(Incarnation holder, const Token& token, const LedgerRow& row) {
    const auto results = commit(holder, token, {row});
    return results.size() == 1 ? results.front() : RowResult::no_segment;
  }
};

inline LedgerRow fired(std::uint32_t schedule, std::uint32_t version, StoreTime slot, StoreTime to) {
  return {{schedule}, version, slot, to, slot, slot, Disposition::fired};
}
// `slot` fires for all `slots` in [from, to).
inline LedgerRow fired_for(std::uint32_t schedule, std::uint32_t version, StoreTime from, StoreTime to,
                           StoreTime slot, std::int64_t slots) {
  return {{schedule}, version, from, to, slot, slot, Disposition::fired, slots};
}
inline LedgerRow range(std::uint32_t schedule, std::uint32_t version, StoreTime from, StoreTime to,
                       Disposition what) {
  return {{schedule}, version, from, to, {}, {}, what};
}

}  // namespace tenure::reference
