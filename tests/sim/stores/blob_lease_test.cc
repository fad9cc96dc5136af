// The store blob-lease: the documented outcomes by state, and what must hold in any order of requests.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/blob_lease/blob_lease_store.h"
#include "tests/sim/stores/machine_under_test.h"

namespace tenure::blob_lease {
namespace {

constexpr Duration kSec = Duration::seconds(1);

struct Service : testing::MachineUnderTest<BlobLeaseStore, Request, Reply> {
  std::string acquire(const std::string& id, std::optional<Duration> length = kSec * 15) {
    return failure(AcquireLease{"b", length, id});
  }
  std::string state() const {
    Service copy = *this;
    return copy.ask<BlobRead>(GetBlob{"b"}).lease_state;
  }
};

// A blob in each state, whose lease is or was A.
Service in_state(const std::string& state) {
  Service service;
  if (state == "available") return service;
  service.acquire("A");
  if (state == "expired") service.now += kSec * 15;
  if (state == "breaking") service.reply(BreakLease{"b", kSec * 10});
  if (state == "broken") service.reply(BreakLease{"b", Duration{}});
  EXPECT_EQ(service.state(), state);
  return service;
}

// The documentation's two tables, row by row: what each state answers, and which it is then.
TEST(BlobLease, has_the_documented_outcomes) {
  const Duration kLength = kSec * 15;
  struct Documented {
    const char* what;
    Request request;
    std::string
        by_state;  // the failure, if it is one, and the state: of available, leased, breaking, broken, expired
  };
  const Documented kDocumented[] = {
      {"acquire A", AcquireLease{"b", kLength, "A"},
       "leased; leased; LeaseIsBreakingAndCannotBeAcquired breaking; leased; leased"},
      {"acquire B", AcquireLease{"b", kLength, "B"},
       "leased; LeaseAlreadyPresent leased; LeaseAlreadyPresent breaking; leased; leased"},
      {"renew A", RenewLease{"b", "A"},
       "OTHER available; leased; LeaseIsBrokenAndCannotBeRenewed breaking; LeaseIsBrokenAndCannotBeRenewed "
       "broken; leased"},
      {"renew B", RenewLease{"b", "B"},
       "OTHER available; OTHER leased; OTHER breaking; OTHER broken; OTHER expired"},
      {"change A to B", ChangeLease{"b", "A", "B"},
       "NONE available; leased; LeaseIsBreakingAndCannotBeChanged breaking; NONE broken; NONE expired"},
      {"change C to A", ChangeLease{"b", "C", "A"},
       "NONE available; leased; OTHER breaking; NONE broken; NONE expired"},
      {"change B to C", ChangeLease{"b", "B", "C"},
       "NONE available; OTHER leased; OTHER breaking; NONE broken; NONE expired"},
      {"release A", ReleaseLease{"b", "A"}, "OTHER available; available; available; available; available"},
      {"release B", ReleaseLease{"b", "B"},
       "OTHER available; OTHER leased; OTHER breaking; OTHER broken; OTHER expired"},
      {"break at once", BreakLease{"b", Duration{}}, "NONE available; broken; broken; broken; broken"},
      {"break", BreakLease{"b", {}}, "NONE available; breaking; breaking; broken; broken"},
      {"write", PutBlob{"b", "x", {}},
       "available; LeaseIdMissing leased; LeaseIdMissing breaking; available; available"},
      {"write with A", PutBlob{"b", "x", "A"},
       "LeaseNotPresentWithBlobOperation available; leased; breaking; LeaseLost broken; LeaseLost expired"},
      {"write with B", PutBlob{"b", "x", "B"},
       "LeaseNotPresentWithBlobOperation available; LeaseIdMismatchWithBlobOperation leased; "
       "LeaseIdMismatchWithBlobOperation breaking; LeaseNotPresentWithBlobOperation broken; "
       "LeaseNotPresentWithBlobOperation expired"},
  };
  for (const Documented& row : kDocumented) {
    std::string by_state;
    for (const char* state : {"available", "leased", "breaking", "broken", "expired"}) {
      Service service = in_state(state);
      std::string failure = service.failure(row.request);
      if (failure == "LeaseIdMismatchWithLeaseOperation") failure = "OTHER";
      if (failure == "LeaseNotPresentWithLeaseOperation") failure = "NONE";
      by_state += (by_state.empty() ? "" : "; ") + failure + (failure.empty() ? "" : " ") + service.state();
    }
    EXPECT_EQ(by_state, row.by_state) << row.what;
  }
}

TEST(BlobLease, is_over_at_the_instant_of_its_end) {
  Service service;
  EXPECT_EQ(service.acquire("A"), "");
  service.now += kSec * 15 - Duration::micros(1);
  EXPECT_EQ(service.acquire("B"), "LeaseAlreadyPresent");
  service.now += Duration::micros(1);
  EXPECT_EQ(service.state(), "expired");
  EXPECT_EQ(service.acquire("B"), "");
  EXPECT_EQ(service.failure(RenewLease{"b", "A"}), "LeaseIdMismatchWithLeaseOperation");
}

TEST(BlobLease, is_revived_by_a_renewal_while_nobody_wrote) {
  Service service = in_state("expired");
  service.now += kSec * 1'000;
  EXPECT_EQ(service.failure(RenewLease{"b", "A"}), "");
  EXPECT_EQ(service.acquire("B"), "LeaseAlreadyPresent");
  service.now += kSec * 15;
  EXPECT_EQ(service.failure(PutBlob{"b", "x", {}}), "");
  EXPECT_EQ(service.failure(RenewLease{"b", "A"}), "LeaseIdMismatchWithLeaseOperation");
}

TEST(BlobLease, lasts_15_to_60_whole_seconds_or_for_ever) {
  Service service;
  for (const Duration length : {kSec * 14, kSec * 61, Duration{}, kSec * 15 + Duration::millis(1)})
    EXPECT_EQ(service.acquire("A", length), "InvalidHeaderValue");
  EXPECT_EQ(service.acquire("A", kSec * 60), "");
  EXPECT_EQ(service.acquire("A", std::nullopt), "");
  service.now += kSec * 1'000'000;
  EXPECT_EQ(service.state(), "leased");
  EXPECT_EQ(service.failure(BreakLease{"b", kSec * 61}), "InvalidHeaderValue");
  EXPECT_EQ(service.failure(BreakLease{"b", {}}), "") << "at once, without an end to wait for";
  EXPECT_EQ(service.state(), "broken");
}

TEST(BlobLease, breaks_no_later_than_it_ends_and_than_it_was_to_break) {
  Service service;
  service.acquire("A");
  service.now += kSec * 10;
  EXPECT_EQ(service.ask<Breaks>(BreakLease{"b", kSec * 20}).lease_time, kSec * 5);
  EXPECT_EQ(service.ask<Breaks>(BreakLease{"b", kSec * 2}).lease_time, kSec * 2);
  EXPECT_EQ(service.ask<Breaks>(BreakLease{"b", kSec * 4}).lease_time, kSec * 2);
  service.now += kSec * 2;
  EXPECT_EQ(service.state(), "broken");
}

TEST(BlobLease, that_was_seen_at_its_end_stays_over_when_the_clock_goes_back) {
  Service service = in_state("expired");
  service.reply(GetBlob{"b"});
  service.now += -kSec * 15;
  EXPECT_EQ(service.state(), "expired");
}

Duration some_step() { return Duration::millis(*rc::gen::inRange<std::int64_t>(0, 20'000)); }

RC_GTEST_PROP(BlobLeaseProperty, nobody_else_changes_a_lease_before_its_end_but_by_a_break, ()) {
  Service service;
  const auto id = [] { return *rc::gen::element<std::string>("A", "B"); };
  for (int i = 0; i < 40; ++i) {
    std::string shown = id();
    const std::vector<std::function<Request()>> kinds = {
        [&] {
          return AcquireLease{"b", kSec * 15, shown};
        },
        [&] {
          return RenewLease{"b", shown};
        },
        [&] {
          return ReleaseLease{"b", shown};
        },
        [&] {
          return PutBlob{"b", "x", shown};
        },
        [&] {
          return PutBlob{"b", "x", {}};
        },
    };
    const auto kind = *rc::gen::inRange<std::size_t>(0, kinds.size());
    Service without = service;
    without.reply(GetBlob{"b"});  // settled as it will be
    service.reply(GetBlob{"b"});
    const bool leased = service.state() == "leased";
    // Whose it is: only the holder's write is taken.
    Service probe = service;
    const bool mine = probe.failure(PutBlob{"b", "probe", shown}).empty();
    const std::string code = service.failure(kinds[kind]());
    if (leased && (!mine || kind == 4)) {
      RC_ASSERT(!code.empty());
      RC_ASSERT(service.hash() == without.hash());
    }
    if (leased && mine && kind != 4) RC_ASSERT(code.empty());
    if (!code.empty()) RC_ASSERT(service.hash() == without.hash());
    service.now += some_step();
  }
}

}  // namespace
}  // namespace tenure::blob_lease
