#include "adapters/store/uuid.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

constexpr std::string_view kSpace = "00112233-4455-6677-8899-aabbccddeeff";

std::string named(std::string_view space, std::string_view name) {
  return text_of(uuid_of_name(*read_uuid(space), name));
}

// The first is RFC 9562's own, A.4; the others are what Python's uuid.uuid5 says, around the ends of SHA-1's blocks.
TEST(Uuid, of_a_name_is_what_others_compute) {
  EXPECT_EQ(named("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com"),
            "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  EXPECT_EQ(named(kSpace, ""), "739e0e84-90ea-5bcb-aea1-1d4a5dbefbae");
  EXPECT_EQ(named(kSpace, std::string(38, 'x')), "d0c88a8b-7141-5632-b8d4-ea1c3b3a763e");
  EXPECT_EQ(named(kSpace, std::string(39, 'x')), "62b46f72-053e-555d-b961-bf93f52de0cf");
  EXPECT_EQ(named(kSpace, std::string(40, 'x')), "f81e7f58-fd86-584b-985c-781ab96003cb");
  EXPECT_EQ(named(kSpace, std::string(47, 'x')), "5b629379-5167-5ade-a8dd-925f0454b39c");
  EXPECT_EQ(named(kSpace, std::string(48, 'x')), "e5dac0df-ef65-5fe9-b0a4-14f4773fff45");
  EXPECT_EQ(named(kSpace, std::string(103, 'x')), "8d3fe468-9bd1-5869-8ba6-712f49f0cadd");
  EXPECT_EQ(named(kSpace, std::string(104, 'x')), "f79d1a7e-1e48-590a-92ca-2cb99e1118e6");
}

TEST(Uuid, is_read_with_its_dashes_and_without_and_nothing_else_is) {
  EXPECT_EQ(read_uuid("00112233445566778899AABBCCDDEEFF"), read_uuid(kSpace));
  EXPECT_EQ(text_of(*read_uuid(kSpace)), kSpace);
  for (const char* wrong : {"", "0", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeefg",
                            "0011223344-55-6677-8899-aabbccddeeff", "------------------------------------"})
    EXPECT_EQ(read_uuid(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace tenure
