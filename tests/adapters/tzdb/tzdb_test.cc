#include "adapters/tzdb/tzdb.h"

#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/time.h"

namespace tenure {
namespace {

constexpr std::int64_t kYear2200 = 7'258'118'400;

std::string output_of(const std::string& command, int& status) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; pipe != nullptr && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, n);
  status = pipe == nullptr ? -1 : pclose(pipe);
  return text;
}

TEST(Tzdb, agrees_with_zoneinfo_on_every_zone_from_1901_to_2200) {
  const Tzdb tzdb;
  const std::vector<std::string> names = tzdb.names();
  ASSERT_GT(names.size(), 400u);
  char path[] = "/tmp/tenure-zones-XXXXXX";
  const int descriptor = mkstemp(path);
  ASSERT_GE(descriptor, 0);
  std::ofstream file(path);
  for (const std::string& name : names) {
    const auto zone = tzdb.find(name);
    ASSERT_NE(zone, nullptr) << name;
    file << name;
    for (const TimeZone::Period& period : zone->periods())
      file << ' ' << period.begin << ':' << period.offset;
    file << '\n';
  }
  file.close();
  int status = 0;
  const std::string text = output_of(
      std::string("/usr/bin/python3 " TENURE_SOURCE_DIR "/tests/adapters/tzdb/compare_offsets.py ") + path,
      status);
  remove(path);
  EXPECT_EQ(status, 0) << text;
  EXPECT_NE(text.find("looked at "), std::string::npos) << text;
}

TEST(Tzdb, a_zone_changes_its_clocks_up_to_the_end_of_store_time) {
  const auto berlin = Tzdb().find("Europe/Berlin");
  ASSERT_NE(berlin, nullptr);
  constexpr std::int64_t kEnd = StoreTime::max().ns() / 1'000'000'000;  // in April 2262
  const TimeZone::Period last = berlin->periods().back();
  EXPECT_LE(last.begin, kEnd);
  EXPECT_GT(last.begin, kEnd - 30 * 86'400);
  EXPECT_EQ(last.offset, 7'200);
  const auto after_2200 = std::count_if(berlin->periods().begin(), berlin->periods().end(),
                                        [](const TimeZone::Period& p) { return p.begin >= kYear2200; });
  EXPECT_EQ(after_2200, 2 * 62 + 1);
}

TEST(Tzdb, periods_that_follow_each_other_have_different_offsets) {
  const Tzdb tzdb;
  for (const std::string& name : tzdb.names()) {
    const auto zone = tzdb.find(name);
    ASSERT_NE(zone, nullptr) << name;
    const auto periods = zone->periods();
    const auto same = std::adjacent_find(periods.begin(), periods.end(),
                                         [](const auto& a, const auto& b) { return a.offset == b.offset; });
    EXPECT_EQ(same, periods.end()) << name;
  }
}

TEST(Tzdb, utc_is_one_zone_by_three_names) {
  const Tzdb tzdb;
  for (const char* name : {"UTC", "Etc/UTC", "Z"}) EXPECT_EQ(tzdb.find(name), TimeZone::utc()) << name;
}

TEST(Tzdb, a_zone_keeps_its_name_and_the_version_of_the_database) {
  const Tzdb tzdb;
  const auto zone = tzdb.find("America/New_York");
  ASSERT_NE(zone, nullptr);
  EXPECT_EQ(zone->name(), "America/New_York");
  EXPECT_EQ(zone->tzdb_version(), tzdb.version());
  EXPECT_EQ(tzdb.find("America/New_York"), zone) << "a zone is read once";
  // A year and a letter: what zones are compared by.
  ASSERT_EQ(tzdb.version().size(), 5u) << tzdb.version();
  EXPECT_TRUE(tzdb.version().starts_with("20"));
}

TEST(Tzdb, names_are_sorted_and_leave_out_what_is_no_zone) {
  const std::vector<std::string> names = Tzdb().names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    EXPECT_FALSE(name.starts_with("posix") || name.starts_with("right/")) << name;
    EXPECT_NE(name, "localtime");
    EXPECT_EQ(name.find('.'), std::string::npos) << name;
  }
  for (const char* name : {"Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"})
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
}

TEST(Tzdb, what_is_no_zone_is_not_found) {
  const Tzdb tzdb;
  for (const char* name : {"", "Europe/Berlni", "Europe", "europe/berlin", "../../etc/passwd", "tzdata.zi",
                           "/etc/localtime", "posixrules", "right/Europe/Berlin", "localtime"})
    EXPECT_EQ(tzdb.find(name), nullptr) << name;
}

TEST(Tzdb, without_a_database_there_is_utc_and_nothing_else) {
  const Tzdb tzdb("/nowhere/zoneinfo");
  EXPECT_EQ(tzdb.version(), "none");
  EXPECT_EQ(tzdb.find("Europe/Berlin"), nullptr);
  EXPECT_EQ(tzdb.find("UTC"), TimeZone::utc());
  EXPECT_EQ(tzdb.names(), std::vector<std::string>{"UTC"});
}

TEST(Tzdb, threads_that_ask_at_once_get_the_same_zones) {
  const Tzdb tzdb;
  const std::vector<std::string> names = {"Europe/Berlin", "America/New_York", "Asia/Tokyo",
                                          "Australia/Lord_Howe"};
  std::vector<std::vector<std::shared_ptr<const TimeZone>>> found(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      for (std::size_t k = 0; k < 100; ++k) found[i].push_back(tzdb.find(names[(i + k) % names.size()]));
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t k = 0; k < 100; ++k) {
      ASSERT_NE(found[i][k], nullptr);
      EXPECT_EQ(found[i][k], tzdb.find(names[(i + k) % names.size()]));
    }
}

}  // namespace
}  // namespace tenure
