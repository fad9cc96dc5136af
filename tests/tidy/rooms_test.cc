#include "tests/tidy/rooms.h"

#include <gtest/gtest.h>

namespace tenure::tidy {
namespace {

// ---- this repository -------------------------------------------------------------------------------------

TEST(Rooms, the_page_draws_what_cmake_builds) {
  const Rooms drawn = rooms_in_page(read_file("docs/architecture.md"));
  const Rooms built = rooms_in_cmake(read_file("CMakeLists.txt"));
  ASSERT_FALSE(built.empty());
  for (const auto& [name, room] : built) {
    ASSERT_TRUE(drawn.contains(name)) << "docs/architecture.md lacks the room " << name;
    EXPECT_EQ(drawn.at(name).folder, room.folder);
    EXPECT_EQ(drawn.at(name).may_include, room.may_include) << "the arrows from " << name;
  }
  EXPECT_EQ(drawn.size(), built.size()) << "docs/architecture.md has a room that CMake lacks";
}

TEST(Rooms, arrows_make_no_circle_and_core_does_not_look_into_sim) {
  const Rooms rooms = rooms_in_page(read_file("docs/architecture.md"));
  std::set<std::string> placed;
  for (bool progress = true; progress;) {
    progress = false;
    for (const auto& [name, room] : rooms) {
      if (placed.contains(name)) continue;
      if (!std::includes(placed.begin(), placed.end(), room.may_include.begin(), room.may_include.end()))
        continue;
      placed.insert(name);
      progress = true;
    }
  }
  EXPECT_EQ(placed.size(), rooms.size()) << "some rooms stand in a circle, or name a room that is not there";
  for (const auto& [name, room] : rooms) {
    for (const std::string& other : room.may_include) {
      EXPECT_FALSE(room.folder.starts_with("core/") && !rooms.at(other).folder.starts_with("core/"))
          << name << " looks into " << other;
    }
  }
}

TEST(Rooms, adapters_look_into_core_and_what_stores_share_and_no_other_room_looks_into_them) {
  const Rooms rooms = rooms_in_page(read_file("docs/architecture.md"));
  for (const auto& [name, room] : rooms) {
    for (const std::string& other : room.may_include) {
      const bool adapter = room.folder.starts_with("adapters/");
      const std::string& folder = rooms.at(other).folder;
      const bool shared = folder == "adapters/store";
      EXPECT_FALSE(adapter && !folder.starts_with("core/") && !shared) << name << " looks into " << other;
      EXPECT_FALSE(folder.starts_with("adapters/") && !(adapter && shared))
          << name << " looks into " << other;
    }
  }
}

TEST(Rooms, electors_and_schedulers_do_not_know_each_other) {
  const Rooms rooms = rooms_in_page(read_file("docs/architecture.md"));
  EXPECT_FALSE(rooms.at("electors").may_include.contains("scheduler"));
  EXPECT_FALSE(rooms.at("scheduler").may_include.contains("electors"));
}

TEST(Rooms, every_include_follows_an_arrow) {
  const Rooms rooms = rooms_in_page(read_file("docs/architecture.md"));
  std::vector<Finding> all;
  for (const Source& source : sources_under({"core", "sim", "adapters", "testing"})) {
    for (const Finding& finding : forbidden_includes(rooms, source)) all.push_back(finding);
  }
  EXPECT_TRUE(all.empty()) << to_text(all);
}

TEST(Rooms, no_third_party_type_reaches_a_header) {
  std::vector<Finding> all;
  for (const Source& source : sources_under({"core", "sim", "adapters", "testing"})) {
    for (const Finding& finding : foreign_includes(source)) all.push_back(finding);
  }
  EXPECT_TRUE(all.empty()) << to_text(all);
}

// ---- the rules themselves --------------------------------------------------------------------------------

constexpr const char* kPage = R"(
## Something else
| `ghost` | `core/ghost` | | not a room |
## Rooms and arrows
| room | folder | may include | what |
|---|---|---|---|
| `base` | `core/base` | | time |
| `store` | `core/store` | `base` | stores |
| `sim` | `sim/` | `store` `base` | runs |
| `toml` | `sim/toml` | `sim`, `base` | files |
## After
| `ghost` | `core/ghost` | | |
)";

TEST(RoomsRule, reads_the_table_under_its_heading) {
  const Rooms rooms = rooms_in_page(kPage);
  ASSERT_EQ(rooms.size(), 4u);
  EXPECT_EQ(rooms.at("base"), (Room{"core/base", {}}));
  EXPECT_EQ(rooms.at("sim"), (Room{"sim", {"store", "base"}}));
}

TEST(RoomsRule, reads_the_calls_in_cmake) {
  const Rooms rooms = rooms_in_cmake(
      "tenure_room(tenure_base core/base)\ntenure_room(tenure_toml sim/scenario/toml ROOMS world base\n"
      "            LIBRARIES fmt::fmt)\nadd_library(tenure_x)\n");
  EXPECT_EQ(rooms.size(), 2u);
  EXPECT_EQ(rooms.at("base"), (Room{"core/base", {}}));
  EXPECT_EQ(rooms.at("toml"), (Room{"sim/scenario/toml", {"world", "base"}}));
}

TEST(RoomsRule, a_file_is_in_the_innermost_room) {
  const Rooms rooms = rooms_in_page(kPage);
  EXPECT_EQ(room_of(rooms, "sim/toml/parse.h"), "toml");
  EXPECT_EQ(room_of(rooms, "sim/other.h"), "sim");
  EXPECT_EQ(room_of(rooms, "core/storey/x.h"), "");
}

std::vector<Finding> includes_in(const char* path, const char* line) {
  return forbidden_includes(rooms_in_page(kPage), make_source(path, line));
}

TEST(RoomsRule, catches_an_include_against_the_arrows) {
  EXPECT_EQ(to_text(includes_in("core/store/x.cc", "#include \"sim/world.h\"\n")),
            "core/store/x.cc:1: includes sim/world.h: no arrow from store to sim\n");
  EXPECT_FALSE(includes_in("core/base/x.h", "#include \"core/store/x.h\"").empty());
  EXPECT_FALSE(includes_in("sim/x.h", "#  include \"sim/toml/x.h\"").empty());
  EXPECT_FALSE(includes_in("core/base/x.h", "#include \"tests/helper.h\"").empty()) << "outside every room";
  EXPECT_FALSE(includes_in("core/attic/x.h", "").empty()) << "a file outside every room";
}

TEST(RoomsRule, lets_an_include_along_an_arrow_pass) {
  EXPECT_TRUE(
      includes_in("core/store/x.cc", "#include \"core/base/x.h\"\n#include \"core/store/y.h\"\n").empty());
  EXPECT_TRUE(includes_in("core/base/x.cc", "// #include \"sim/world.h\"\n").empty());
}

TEST(RoomsRule, catches_a_third_party_header) {
  const auto foreign = [](const char* path, const char* line) {
    return foreign_includes(make_source(path, line));
  };
  EXPECT_FALSE(foreign("core/model/describe.h", "#include <fmt/format.h>").empty());
  EXPECT_FALSE(foreign("core/model/describe.cc", "#include <nlohmann/json.hpp>").empty());
  EXPECT_TRUE(foreign("core/journal/decode.cc", "#include <nlohmann/json.hpp>").empty());
  EXPECT_FALSE(foreign("core/journal/definition_codec.h", "#include <nlohmann/json.hpp>").empty());
  EXPECT_TRUE(foreign("core/journal/definition_codec.cc", "#include <nlohmann/json.hpp>").empty());
  EXPECT_FALSE(foreign("adapters/sqlite/statement.h", "#include <sqlite3.h>").empty());
  EXPECT_FALSE(foreign("adapters/store/answer.cc", "#include <sqlite3.h>").empty());
  EXPECT_TRUE(foreign("adapters/sqlite/statement.cc", "#include <sqlite3.h>").empty());
  EXPECT_FALSE(foreign("core/schedule/cron.h", "#include <date/date.h>").empty());
  EXPECT_FALSE(foreign("core/schedule/cron.cc", "#include <date/tz.h>").empty());
  EXPECT_FALSE(foreign("core/store/registry.cc", "#include <date/date.h>").empty());
  EXPECT_FALSE(foreign("core/schedule/cron.cc", "#include <fstream>").empty());
  EXPECT_FALSE(foreign("sim/world/world.cc", "#include <toml++/toml.h>").empty());
  EXPECT_FALSE(foreign("sim/scenario/toml/parse.h", "#include <fmt/format.h>").empty());
  EXPECT_TRUE(foreign("core/model/describe.cc", "#include <fmt/format.h>\n#include <vector>").empty());
  EXPECT_TRUE(foreign("core/schedule/cron.cc", "#include <date/date.h>").empty());
  EXPECT_TRUE(
      foreign("adapters/tzdb/tzdb.cc", "#include <date/tz.h>\n#include <fstream>\n#include <mutex>").empty());
  EXPECT_TRUE(foreign("sim/scenario/toml/parse.cc", "#include <toml++/toml.h>").empty());
  EXPECT_TRUE(foreign("testing/generators.h", "#include <rapidcheck.h>").empty());
  EXPECT_FALSE(foreign("sim/hunt/swarm.h", "#include <rapidcheck.h>").empty());
}

}  // namespace
}  // namespace tenure::tidy
