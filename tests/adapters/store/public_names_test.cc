#include "adapters/store/public_names.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

constexpr const char* kIdentity = "00112233445566778899aabbccddeeff";

reference::EventId event(std::uint64_t run) {
  return {{7}, StoreTime{} + Duration::seconds(1'774'746'000), run};
}

// As Python's uuid.uuid5 says of "1/7/1774746000000000/0".
TEST(PublicNames, an_event_has_the_uuid_of_its_name_in_the_space_of_the_store) {
  EXPECT_EQ(event_uuid(kIdentity, {1}, event(0)), "d07d245b-76ee-5049-acc6-28b103c8191a");
  EXPECT_EQ(event_uuid(kIdentity, {1}, event(UINT64_MAX)), "69cc56e2-ccb3-5ba4-8b8b-dceac6280e39");
  EXPECT_NE(event_uuid(kIdentity, {2}, event(0)), event_uuid(kIdentity, {1}, event(0)));
  EXPECT_NE(event_uuid("10112233445566778899aabbccddeeff", {1}, event(0)),
            event_uuid(kIdentity, {1}, event(0)));
  EXPECT_EQ(event_uuid("", {1}, event(0)), std::nullopt) << "a store without an identity";
  for (const char* wrong : {"00112233445566778899aabbccddeef", "00112233445566778899aabbccddeefg"})
    EXPECT_EQ(event_uuid(wrong, {1}, event(0)), std::nullopt) << wrong;
}

TEST(PublicNames, an_edition_is_written_and_read) {
  const reference::Edition edition{{UINT32_MAX}, 3};
  EXPECT_EQ(text_of(edition), "4294967295.3");
  EXPECT_EQ(read_edition("4294967295.3"), edition);
  for (const char* wrong : {"", ".", "7", "7.", ".3", "7.0", "7.03", "07.3", "7.3.1", "+7.3", "7.-3",
                            "4294967296.1", "7.3 ", "*"})
    EXPECT_EQ(read_edition(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace tenure
