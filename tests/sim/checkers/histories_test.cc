// Each checker has a bug planted for it, which it must find and the others must not: so none is there only because
// another hides it, and each is needed. The histories are texts; history_reader.h explains them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/sim/checkers/history_reader.h"

namespace tenure::sim {
namespace {

const std::string kFolder = "tests/sim/checkers/histories";

std::vector<std::string> files() {
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TENURE_SOURCE_DIR) + "/" + kFolder))
    names.insert(entry.path().stem().string());
  return {names.begin(), names.end()};
}

// The slots of billing, 10s apart, in each way to say it.
std::vector<std::optional<Recurrence>> recurrences() {
  std::vector<StoreTime> times;
  for (int slot = 0; slot <= 200; slot += 10) times.push_back(store_at(seconds(slot)));
  return {std::nullopt,
          CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse("*/10 * * * * *")))},
          Times{std::make_shared<const std::vector<StoreTime>>(std::move(times))}};
}

class Histories : public ::testing::TestWithParam<std::string> {};

TEST_P(Histories, are_judged_as_they_say) {
  for (const std::optional<Recurrence>& recurrence : recurrences()) {
    if (recurrence && !GetParam().starts_with("planted")) continue;
    SCOPED_TRACE(recurrence ? std::to_string(recurrence->index()) : "as it is");
    testing::expect_interaction<HistoryReader>(kFolder + "/" + GetParam() + ".txt", recurrence);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Histories, ::testing::ValuesIn(files()),
                         [](const auto& file) { return file.param; });

TEST(PlantedBugs, every_checker_of_the_registry_has_one) {
  std::set<std::string> planted;
  for (const std::string& name : files()) {
    std::ifstream file(std::string(TENURE_SOURCE_DIR) + "/" + kFolder + "/" + name + ".txt");
    for (std::string line; std::getline(file, line);) {
      Words words(line.substr(0, line.find(':')));
      if (words.take("== bug")) planted.insert(words.next());
    }
  }
  for (const CheckerKind& kind : checker_kinds()) {
    EXPECT_TRUE(planted.contains(std::string(kind.name))) << kind.name;
    EXPECT_EQ(find_checker_kind(kind.name), &kind);
    EXPECT_FALSE(kind.summary.empty());
  }
  EXPECT_EQ(find_checker_kind("no-such-checker"), nullptr);
}

}  // namespace
}  // namespace tenure::sim
