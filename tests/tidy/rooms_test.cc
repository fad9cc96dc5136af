#include "tests/tidy/rooms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

namespace tenure::tidy {
namespace {

// ---- this repository -------------------------------------------------------------------------------------

Rooms this_tree() { return rooms_in_cmake(read_file("CMakeLists.txt")); }

std::vector<Source> sources_of_rooms() {
  std::vector<Source> sources = sources_under({"core", "sim", "format", "lab", "adapters", "daemon"});
  std::erase_if(sources, [](const Source& source) { return source.path == "daemon/main.cc"; });
  return sources;
}

// Where a room stands: it may look down and not up.
int floor_of(const Room& room) {
  constexpr std::array<std::string_view, 5> floors = {"core", "sim", "format", "lab", "daemon"};
  for (std::size_t i = 0; i < floors.size(); ++i) {
    if (room.folder == floors[i] || room.folder.starts_with(std::string(floors[i]) + "/"))
      return static_cast<int>(i);
  }
  return -1;
}

bool is_adapter(const Room& room) { return room.folder.starts_with("adapters/"); }
bool is_daemon(const Room& room) { return room.folder.starts_with("daemon/"); }

TEST(Rooms, the_page_has_the_table_of_what_cmake_builds) {
  const std::string table = to_table(this_tree());
  std::string page = read_file("docs/architecture.md");
  const std::size_t begin = page.find("| room | folder |");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = page.find("\n\n", begin) + 1;
  if (std::getenv("TENURE_REWRITE_GOLDEN") != nullptr) {
    page.replace(begin, end - begin, table);
    std::ofstream(std::string(TENURE_SOURCE_DIR) + "/docs/architecture.md") << page;
    return;
  }
  EXPECT_EQ(page.substr(begin, end - begin), table) << "TENURE_REWRITE_GOLDEN=1 writes it anew";
}

TEST(Rooms, each_says_what_it_is_for) {
  const Rooms rooms = this_tree();
  ASSERT_GT(rooms.size(), 20u);
  for (const Room& room : rooms) EXPECT_FALSE(room.what_for.empty()) << room.name;
}

TEST(Rooms, arrows_make_no_circle_and_lead_to_no_higher_floor) {
  const Rooms rooms = this_tree();
  std::set<std::string> placed;
  for (bool progress = true; progress;) {
    progress = false;
    for (const Room& room : rooms) {
      if (placed.contains(room.name)) continue;
      if (!std::all_of(room.stands_on.begin(), room.stands_on.end(),
                       [&](const std::string& other) { return placed.contains(other); }))
        continue;
      placed.insert(room.name);
      progress = true;
    }
  }
  EXPECT_EQ(placed.size(), rooms.size()) << "some rooms stand in a circle, or name a room that is not there";
  for (const Room& room : rooms) {
    if (is_adapter(room)) continue;
    EXPECT_GE(floor_of(room), 0) << room.name << " is on no floor";
    for (const std::string& other : room.stands_on)
      EXPECT_LE(floor_of(rooms.at(other)), floor_of(room)) << room.name << " looks up into " << other;
  }
}

// What stores have in common, what languages of designs have, and what servers that we start have.
bool is_shared(const Room& room) {
  return room.folder == "adapters/store" || room.folder == "adapters/design" ||
         room.folder == "adapters/loopback" || room.folder == "adapters/local_postgres";
}
// Designs of users are simulated, and ask the simulator's stores.
bool serves_designs(const Room& room, const Room& other) {
  const std::set<std::string> of_designs = {"design", "lua", "process", "sql", "sql_postgres"};
  return of_designs.contains(room.name) && (other.name == "stores" || other.name == "protocols");
}

TEST(Rooms, adapters_look_into_core_and_what_they_share_and_but_for_the_daemon_no_room_looks_into_them) {
  const Rooms rooms = this_tree();
  for (const Room& room : rooms) {
    for (const std::string& name : room.stands_on) {
      const Room& other = rooms.at(name);
      EXPECT_FALSE(is_adapter(room) && !other.folder.starts_with("core/") && !is_shared(other) &&
                   !serves_designs(room, other))
          << room.name << " looks into " << name;
      EXPECT_FALSE(is_adapter(other) && !is_daemon(room) && !(is_adapter(room) && is_shared(other)))
          << room.name << " looks into " << name;
    }
  }
}

// It runs in production. Of the simulator it has what reads files in TOML, and what that names.
TEST(Rooms, the_daemon_simulates_nothing_and_its_server_knows_nothing_of_what_it_serves) {
  const Rooms rooms = this_tree();
  for (const Room& room : rooms) {
    if (!is_daemon(room)) continue;
    for (const std::string& name : room.stands_on) {
      const Room& other = rooms.at(name);
      EXPECT_TRUE(other.folder.starts_with("core/") || is_adapter(other) || is_daemon(other) ||
                  name == "syntax")
          << room.name << " looks into " << name;
    }
  }
  EXPECT_EQ(rooms.at("http").stands_on, std::vector<std::string>{"base"});
}

TEST(Rooms, elections_and_schedulers_do_not_know_each_other) {
  const Rooms rooms = this_tree();
  EXPECT_FALSE(rooms.may_include("lease", "scheduler"));
  EXPECT_FALSE(rooms.may_include("scheduler", "lease"));
}

// They stand on the world, which has scenarios, which name protocols by their kinds.
TEST(Rooms, checkers_know_no_nodes_insides) {
  for (const Source& source : sources_under({"sim/checkers"})) {
    for (const char* inside : {"core/lease/", "core/scheduler/", "core/driver/"})
      EXPECT_EQ(source.code.find(std::string("#include \"") + inside), std::string::npos) << source.path;
  }
}

TEST(Rooms, every_include_follows_an_arrow) {
  const Rooms rooms = this_tree();
  std::vector<Finding> all;
  for (const Source& source : sources_of_rooms()) {
    for (const Finding& finding : forbidden_includes(rooms, source)) all.push_back(finding);
  }
  EXPECT_TRUE(all.empty()) << to_text(all);
}

TEST(Rooms, no_third_party_type_reaches_a_header) {
  std::vector<Finding> all;
  for (const Source& source : sources_of_rooms()) {
    for (const Finding& finding : foreign_includes(source)) all.push_back(finding);
  }
  EXPECT_TRUE(all.empty()) << to_text(all);
}

// ---- the rules themselves --------------------------------------------------------------------------------

constexpr const char* kCmake = R"cmake(
tenure_room(tenure_base core/base FOR "time")
tenure_room(tenure_store core/store APART ROOMS base
            PRECOMPILED core/store/store_machine.h <map>)
tenure_room(tenure_sim sim ROOMS store
            LIBRARIES fmt::fmt
            FOR "runs, one (or many)")
add_library(tenure_x)
  tenure_room(tenure_toml sim/toml ROOMS sim)
)cmake";

TEST(RoomsRule, reads_the_calls_in_cmake) {
  const Rooms rooms = rooms_in_cmake(kCmake);
  ASSERT_EQ(rooms.size(), 4u);
  EXPECT_EQ(rooms.at("base"), (Room{"base", "core/base", {}, "time"}));
  EXPECT_EQ(rooms.at("store"), (Room{"store", "core/store", {"base"}, ""}));
  EXPECT_EQ(rooms.at("sim"), (Room{"sim", "sim", {"store"}, "runs, one (or many)"}));
}

TEST(RoomsRule, writes_them_as_a_table_in_their_order) {
  EXPECT_EQ(to_table(rooms_in_cmake("tenure_room(tenure_base core/base FOR \"time\")\n"
                                    "tenure_room(tenure_a core/a ROOMS c base LIBRARIES x FOR \"a's\")")),
            "| room | folder | stands on | what it is for |\n|---|---|---|---|\n"
            "| `base` | `core/base` | | time |\n| `a` | `core/a` | `c` `base` | a's |\n");
}

TEST(RoomsRule, a_file_is_in_the_innermost_room) {
  const Rooms rooms = rooms_in_cmake(kCmake);
  EXPECT_EQ(room_of(rooms, "sim/toml/parse.h"), "toml");
  EXPECT_EQ(room_of(rooms, "sim/other.h"), "sim");
  EXPECT_EQ(room_of(rooms, "core/storey/x.h"), "");
}

std::vector<Finding> includes_in(const char* path, const char* line) {
  return forbidden_includes(rooms_in_cmake(kCmake), make_source(path, line));
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
  EXPECT_TRUE(includes_in("sim/x.cc", "#include \"core/base/x.h\"\n").empty()) << "below what is below";
  EXPECT_TRUE(includes_in("core/base/x.cc", "// #include \"sim/world.h\"\n").empty());
}

TEST(RoomsRule, catches_a_third_party_header) {
  const auto foreign = [](const char* path, const char* line) {
    return foreign_includes(make_source(path, line));
  };
  EXPECT_FALSE(foreign("core/model/describe.h", "#include <fmt/format.h>").empty());
  EXPECT_FALSE(foreign("core/model/describe.cc", "#include <nlohmann/json.hpp>").empty());
  EXPECT_TRUE(foreign("core/journal/line.cc", "#include <nlohmann/json.hpp>").empty());
  EXPECT_TRUE(foreign("daemon/http/problem.cc", "#include <nlohmann/json.hpp>").empty());
  EXPECT_FALSE(foreign("daemon/http/problem.h", "#include <nlohmann/json.hpp>").empty());
  EXPECT_FALSE(foreign("core/journal/definition_codec.h", "#include <nlohmann/json.hpp>").empty());
  EXPECT_TRUE(foreign("core/journal/definition_codec.cc", "#include <nlohmann/json.hpp>").empty());
  EXPECT_TRUE(foreign("core/journal/definition_reader.cc", "#include <simdjson.h>").empty());
  EXPECT_FALSE(foreign("core/journal/definition_codec.h", "#include <simdjson.h>").empty());
  EXPECT_FALSE(foreign("core/store/store.cc", "#include <simdjson.h>").empty());
  EXPECT_FALSE(foreign("adapters/sqlite/statement.h", "#include <sqlite3.h>").empty());
  EXPECT_FALSE(foreign("adapters/store/answer.cc", "#include <sqlite3.h>").empty());
  EXPECT_TRUE(foreign("adapters/sqlite/statement.cc", "#include <sqlite3.h>").empty());
  EXPECT_FALSE(foreign("core/schedule/cron.h", "#include <date/date.h>").empty());
  EXPECT_FALSE(foreign("core/schedule/cron.cc", "#include <date/tz.h>").empty());
  EXPECT_FALSE(foreign("sim/stores/registry.cc", "#include <date/date.h>").empty());
  EXPECT_FALSE(foreign("core/schedule/cron.cc", "#include <fstream>").empty());
  EXPECT_TRUE(foreign("lab/session/jobs.cc", "#include <thread>\n#include <unistd.h>").empty());
  EXPECT_FALSE(foreign("lab/session/jobs.h", "#include <unistd.h>").empty());
  EXPECT_FALSE(foreign("lab/hunt/hunt.cc", "#include <thread>").empty());
  EXPECT_FALSE(foreign("sim/world/world.cc", "#include <toml++/toml.h>").empty());
  EXPECT_FALSE(foreign("format/parse/parse.h", "#include <fmt/format.h>").empty());
  EXPECT_TRUE(foreign("core/model/describe.cc", "#include <fmt/format.h>\n#include <vector>").empty());
  EXPECT_TRUE(foreign("core/schedule/cron.cc", "#include <date/date.h>").empty());
  EXPECT_TRUE(
      foreign("adapters/tzdb/tzdb.cc", "#include <date/tz.h>\n#include <fstream>\n#include <mutex>").empty());
  EXPECT_TRUE(foreign("format/syntax/document.cc", "#include <toml++/toml.h>").empty());
  EXPECT_TRUE(foreign("lab/testing/generators.h", "#include <rapidcheck.h>").empty());
  EXPECT_FALSE(foreign("lab/hunt/swarm.h", "#include <rapidcheck.h>").empty());
}

}  // namespace
}  // namespace tenure::tidy
