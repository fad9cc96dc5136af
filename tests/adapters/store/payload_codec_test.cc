#include "adapters/store/payload_codec.h"

#include <gtest/gtest.h>

#include "core/journal/definition_codec.h"

namespace tenure {
namespace {

TEST(PayloadCodec, labels_are_one_object_in_order) {
  const std::vector<reference::Label> labels = {{"a", "\"quoted\""}, {"team", "träume\n"}};
  EXPECT_EQ(encode_labels(labels), R"({"a":"\"quoted\"","team":"träume\n"})");
  EXPECT_EQ(decode_labels(encode_labels(labels)), labels);
  EXPECT_EQ(encode_labels({}), "{}");
  for (const char* wrong : {"", "{", "[]", "7", R"({"a":7})"})
    EXPECT_TRUE(decode_labels(wrong).empty()) << wrong;
}

TEST(PayloadCodec, a_definition_that_is_paused_has_the_text_that_it_would_have_had) {
  Definition definition{.recurrence = Interval{StoreTime{}, Duration::seconds(7)}};
  const std::string before = encode(definition);
  EXPECT_FALSE(says_paused(before));
  definition.paused = true;
  EXPECT_EQ(with_paused(before, true), encode(definition));
  EXPECT_TRUE(says_paused(encode(definition)));
  EXPECT_EQ(with_paused(encode(definition), false), before);
}

TEST(PayloadCodec, what_newer_programs_wrote_is_paused_and_the_rest_of_it_kept) {
  EXPECT_EQ(with_paused(R"({"v":7,"when":[1,2]})", true), R"({"paused":true,"v":7,"when":[1,2]})");
  EXPECT_FALSE(says_paused(R"({"v":7,"paused":"yes"})"));
  for (const char* wrong : {"", "{", "[]", "7"}) {
    EXPECT_FALSE(says_paused(wrong)) << wrong;
    EXPECT_EQ(with_paused(wrong, true), wrong);
  }
}

}  // namespace
}  // namespace tenure
