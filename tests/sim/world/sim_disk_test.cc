// The disk of a machine: what a crash leaves of it.
#include "sim/world/sim_disk.h"

#include <gtest/gtest.h>

#include <set>

namespace tenure::sim {
namespace {

// How many of the writes "1", "2", … are there.
int kept(const SimDisk& disk) {
  int count = 0;
  while (disk.get(std::to_string(count + 1))) ++count;
  for (int later = count + 1; later <= 9; ++later)
    EXPECT_FALSE(disk.get(std::to_string(later))) << "the first few";
  return count;
}

TEST(SimDisk, keeps_over_a_crash_what_was_synced_and_the_first_few_writes_of_the_rest) {
  std::set<int> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SimDisk disk;
    for (int i = 1; i <= 5; ++i) EXPECT_EQ(disk.put(std::to_string(i), "x"), static_cast<std::uint64_t>(i));
    disk.sync(2);
    EXPECT_EQ(kept(disk), 5) << "it reads what it wrote";
    const std::size_t lost = disk.crash(KeyedRng(seed));
    EXPECT_EQ(static_cast<std::size_t>(kept(disk)) + lost, 5U);
    EXPECT_EQ(disk.crash(KeyedRng(seed + 1)), 0U) << "what has survived is safe";
    seen.insert(kept(disk));
  }
  EXPECT_EQ(seen, (std::set{2, 3, 4, 5}));
}

TEST(SimDisk, goes_back_to_the_value_before) {
  SimDisk disk;
  disk.put("key", "old");
  disk.sync(1);
  bool old = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SimDisk copy = disk;
    copy.put("key", "new");
    copy.crash(KeyedRng(seed));
    old = old || copy.get("key") == "old";
  }
  EXPECT_TRUE(old);
}

TEST(SimDisk, loses_nothing_when_its_process_stops) {
  SimDisk disk;
  for (int i = 1; i <= 5; ++i) disk.put(std::to_string(i), "x");
  disk.stop();
  EXPECT_EQ(disk.crash(KeyedRng(1)), 0U);
  EXPECT_EQ(kept(disk), 5);
}

TEST(SimDisk, has_room_for_a_megabyte_and_counts_a_key_once) {
  SimDisk disk;
  const std::string large(SimDisk::kRoom / 4, 'x');
  for (int i = 0; i < 100; ++i) EXPECT_GT(disk.put("same", large), 0U);
  EXPECT_GT(disk.put("other", large), 0U);
  EXPECT_GT(disk.put("third", large), 0U);
  EXPECT_EQ(disk.put("fourth", large), 0U);
  EXPECT_FALSE(disk.get("fourth"));
  for (int i = 0; i < 3'000; ++i) EXPECT_GT(disk.put("small", "x"), 0U);
  EXPECT_LE(disk.crash(KeyedRng(1)), SimDisk::kMostUnsynced);
  EXPECT_GT(disk.put("small", std::string(1'000, 'x')), 0U) << "what was lost takes no room";
}

}  // namespace
}  // namespace tenure::sim
