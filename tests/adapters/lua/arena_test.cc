// The memory of a Lua state.
#include "adapters/lua/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace tenure::lua {
namespace {

TEST(Arena, gives_blocks_that_are_aligned_and_apart) {
  Arena arena;
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t size = 1; size <= 3'000; size += 7) {
    auto* const block = static_cast<unsigned char*>(arena.take(size));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0U);
    std::memset(block, static_cast<int>(size % 251), size);
    blocks.emplace_back(block, size);
  }
  for (const auto& [block, size] : blocks)
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(block[i], size % 251) << size;
  for (const auto& [block, size] : blocks) arena.give_back(block, size);
}

TEST(Arena, gives_what_came_back_again) {
  Arena arena;
  void* const small = arena.take(40);
  arena.give_back(small, 40);
  EXPECT_EQ(arena.take(48), small) << "of the same size in steps";
  EXPECT_TRUE(Arena::is_the_same(33, 48));
  EXPECT_FALSE(Arena::is_the_same(48, 49));
  EXPECT_FALSE(Arena::is_the_same(2'000, 2'000)) << "a large block has no steps";
}

TEST(Arena, takes_large_blocks_along_when_it_goes) {
  // What is left here is found by a build with sanitizers.
  Arena arena;
  void* const first = arena.take(5'000);
  arena.take(6'000);
  void* const last = arena.take(7'000);
  arena.give_back(last, 7'000);
  arena.give_back(first, 5'000);
}

}  // namespace
}  // namespace tenure::lua
