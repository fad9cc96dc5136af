#include "adapters/store/slot_search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/definitions.h"

namespace tenure::slot_search_tests {
namespace {

const StoreTime kAbout = StoreTime{} + Duration::seconds(1'774'745'900);

// Where it holds, the slot is what a search at that very time would have found; where it does not, an edit looks again.
RC_GTEST_PROP(SlotSearch, holds_only_where_a_search_at_that_time_finds_the_same, ()) {
  const Definition definition = *testing::definitions(kAbout);
  const SlotSearch search = search_slot(definition, *testing::instants(kAbout, -60'000, 60'000));
  const StoreTime at = *testing::instants(kAbout, -90'000, 90'000);
  if (search.holds(at)) RC_ASSERT(search_slot(definition, at).slot == search.slot);
  RC_ASSERT(search.holds(search.from));
  RC_ASSERT(search.holds(search.slot));
  RC_ASSERT(!search.holds(search.from - Duration::micros(1)));
}

}  // namespace
}  // namespace tenure::slot_search_tests
