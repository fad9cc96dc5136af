#include "core/base/hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>

namespace tenure {
namespace {

// These values are part of the format: every trace hash that somebody wrote down rests on them. If this test
// fails, all of those are void, and the scenario format needs a new number.
TEST(Hash, keeps_its_values_on_every_compiler) {
  EXPECT_EQ(mix64(0, 0), 14592010190165110953ULL);
  EXPECT_EQ(mix64(1, 2), 13280248821645688616ULL);
  EXPECT_EQ(hash_text(""), 0ULL);
  EXPECT_EQ(hash_text("lease"), 7871055366433842769ULL);
  EXPECT_EQ(Hasher{}.value(), 0ULL);
  EXPECT_EQ(Hasher{}.add(std::uint64_t{42}).value(), 5121083026498810804ULL);
  EXPECT_EQ(Hasher{7}.add("leader").add(Duration::seconds(15)).add(MonoTime::from_ns(-1)).value(),
            8535307145486866009ULL);
  EXPECT_EQ(Hasher{}.add(RequestId{{NodeId{1}, 2}, 3}).add(Token{1, 2, 3}).value(), 2140580589595176217ULL);
}

TEST(Hash, is_known_at_compile_time) {
  static_assert(hash_text("lease") == hash_text("lease"));
  static_assert(Hasher{}.add(1).value() != Hasher{}.add(2).value());
}

TEST(Hasher, order_matters) { EXPECT_NE(Hasher{}.add(1).add(2).value(), Hasher{}.add(2).add(1).value()); }

TEST(Hasher, a_zero_leaves_a_trace) {
  EXPECT_NE(Hasher{}.add(0).value(), Hasher{}.value());
  EXPECT_NE(Hasher{}.add(0).add(0).value(), Hasher{}.add(0).value());
}

TEST(Hasher, tells_an_absent_value_from_a_zero) {
  EXPECT_NE(Hasher{}.add(std::optional<std::uint64_t>{}).value(),
            Hasher{}.add(std::optional<std::uint64_t>{0}).value());
}

TEST(Hasher, text_ends_where_it_ends) {
  EXPECT_NE(Hasher{}.add("ab").add("c").value(), Hasher{}.add("a").add("bc").value());
  EXPECT_NE(hash_text(std::string_view("\0", 1)), hash_text(std::string_view("\0\0", 2)));
}

TEST(Hasher, every_part_of_a_token_counts) {
  const Token token{1, 2, 3};
  EXPECT_NE(Hasher{}.add(token).value(), Hasher{}.add(Token{2, 2, 3}).value());
  EXPECT_NE(Hasher{}.add(token).value(), Hasher{}.add(Token{1, 3, 3}).value());
  EXPECT_NE(Hasher{}.add(token).value(), Hasher{}.add(Token{1, 2, 4}).value());
}

TEST(Hasher, every_part_of_an_incarnation_counts) {
  EXPECT_NE(Hasher{}.add(Incarnation{NodeId{0}, 1}).value(), Hasher{}.add(Incarnation{NodeId{1}, 0}).value());
}

RC_GTEST_PROP(Hasher, one_changed_word_changes_the_value,
              (std::array<std::uint64_t, 4> words, std::uint8_t where)) {
  Hasher before;
  for (const std::uint64_t word : words) before.add(word);
  words[where % words.size()] ^= std::uint64_t{1} << (where % 64);
  Hasher after;
  for (const std::uint64_t word : words) after.add(word);
  RC_ASSERT(before.value() != after.value());
}

TEST(Hasher, a_hundred_thousand_small_records_do_not_collide) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 100'000; ++i) seen.insert(Hasher{}.add(i % 100).add(i / 100).value());
  EXPECT_EQ(seen.size(), 100'000u);
}

RC_GTEST_PROP(Reduce, stays_below_n, (std::uint64_t bits)) {
  const std::uint64_t n = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  RC_ASSERT(reduce(bits, n) < n);
}

TEST(Reduce, reaches_both_ends) {
  EXPECT_EQ(reduce(0, 10), 0u);
  EXPECT_EQ(reduce(UINT64_MAX, 10), 9u);
  EXPECT_EQ(reduce(UINT64_MAX, 1), 0u);
}

}  // namespace
}  // namespace tenure
