#include "tests/tidy/rooms.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace tenure::tidy {
namespace {

struct Include {
  int line = 0;
  bool angled = false;
  std::string path;
};

std::vector<Include> includes_of(const Source& source) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  for (const Line& line : lines_of(source.code)) {
    std::smatch match;
    if (std::regex_search(line.text, match, pattern))
      includes.push_back({line.number, match[1] == "<", match[2]});
  }
  return includes;
}

// The C++20 headers, and the C ones in their C++ form.
bool is_standard(const std::string& path) {
  static const std::set<std::string> headers = {
      "algorithm",   "any",      "array",           "bit",          "bitset",
      "cassert",     "cctype",   "cerrno",          "charconv",     "climits",
      "compare",     "concepts", "cstddef",         "cstdint",      "cstdlib",
      "cstring",     "deque",    "exception",       "functional",   "initializer_list",
      "iomanip",     "iosfwd",   "iterator",        "limits",       "list",
      "map",         "memory",   "memory_resource", "new",          "numeric",
      "optional",    "ostream",  "queue",           "ranges",       "regex",
      "set",         "span",     "sstream",         "stack",        "stdexcept",
      "streambuf",   "string",   "string_view",     "system_error", "tuple",
      "type_traits", "typeinfo", "utility",         "variant",      "vector",
      "version",     "cstdio"};
  return headers.contains(path);
}

// What only the rooms that touch the world may use.
bool is_of_the_world(const std::string& path) {
  static const std::set<std::string> headers = {"atomic", "chrono",     "condition_variable",
                                                "ctime",  "filesystem", "fstream",
                                                "mutex",  "stop_token", "thread"};
  return headers.contains(path);
}
// The system's own interface, for their sources; cfenv is the processor's.
bool is_of_the_system(const std::string& path) {
  return path == "cfenv" || path == "poll.h" || path == "netdb.h" || path == "unistd.h" ||
         path == "fcntl.h" || path == "ucontext.h" || path.starts_with("sys/");
}

// What a session's sources need of the system: pipes between threads, and files made once.
bool is_of_pipes(const std::string& path) {
  return path == "unistd.h" || path == "fcntl.h" || path == "csignal";
}
// What starts other programs: their pipes and signals, the core and the user that they run on, and whose turn it is.
bool is_of_processes(const std::string& path) {
  return is_of_pipes(path) || path == "sched.h" || path == "future" || path == "spawn.h" || path == "pwd.h" ||
         path == "linux/futex.h";
}

bool is_of_sockets(const std::string& path) { return path == "arpa/inet.h" || path.starts_with("netinet/"); }

bool starts_processes(const Source& source) {
  return source.is_under("adapters/process") || source.is_under("adapters/local_postgres") ||
         source.is_under("adapters/sql_postgres");
}

// What speaks HTTP to addresses that it has judged.
bool is_of_webhooks(const std::string& path) {
  return path == "signal.h" || path == "arpa/inet.h" || path == "netinet/in.h" || path == "curl/curl.h" ||
         path.starts_with("openssl/");
}

// Of the daemon's libraries each has its room.
bool is_of_the_daemon(const Source& source, const std::string& path) {
  if (source.is_under("daemon/http"))
    return path.starts_with("boost/") || path == "ctime" ||
           (path == "nlohmann/json.hpp" && !source.is_header());
  if (source.is_under("daemon/api"))
    return path == "nlohmann/json.hpp" || (path == "date/date.h" && !source.is_header());
  if (source.path == "daemon/service/signals.h") return path == "csignal" || path == "pthread.h";
  return source.is_under("daemon/service") && !source.is_header() &&
         (path == "nlohmann/json.hpp" || path.starts_with("spdlog/") || path.starts_with("prometheus/") ||
          is_of_the_system(path));
}

}  // namespace

const Room& Rooms::at(std::string_view name) const {
  const auto found =
      std::find_if(rooms_.begin(), rooms_.end(), [name](const Room& room) { return room.name == name; });
  if (found == rooms_.end()) throw std::out_of_range("no room " + std::string(name));
  return *found;
}

bool Rooms::may_include(std::string_view from, std::string_view to) const {
  return std::ranges::any_of(at(from).stands_on,
                             [&](const std::string& below) { return below == to || may_include(below, to); });
}

Rooms rooms_in_cmake(std::string_view cmake) {
  static const std::regex call(
      R"re(tenure_room\(tenure_(\w+)\s+([\w/]+)\s*([^)"]*?)\s*(FOR\s+"([^"]*)")?\s*\))re");
  const std::string text(cmake);
  std::vector<Room> rooms;
  for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i) {
    Room room{(*i)[1], (*i)[2], {}, (*i)[5]};
    std::istringstream words((*i)[3]);
    bool in_rooms = false;
    for (std::string word; words >> word;) {
      if (word == "ROOMS" || word == "LIBRARIES" || word == "PRECOMPILED") {
        in_rooms = word == "ROOMS";
      } else if (in_rooms) {
        room.stands_on.push_back(word);
      }
    }
    rooms.push_back(std::move(room));
  }
  return Rooms(std::move(rooms));
}

std::string to_table(const Rooms& rooms) {
  std::string table = "| room | folder | stands on | what it is for |\n|---|---|---|---|\n";
  for (const Room& room : rooms) {
    table += "| `" + room.name + "` | `" + room.folder + "` |";
    for (const std::string& other : room.stands_on) table += " `" + other + "`";
    table += " | " + room.what_for + " |\n";
  }
  return table;
}

std::string room_of(const Rooms& rooms, std::string_view path) {
  std::string best;
  std::size_t length = 0;
  for (const Room& room : rooms) {
    if (path.starts_with(room.folder + "/") && room.folder.size() > length) {
      best = room.name;
      length = room.folder.size();
    }
  }
  return best;
}

std::vector<Finding> forbidden_includes(const Rooms& rooms, const Source& source) {
  std::vector<Finding> findings;
  const std::string from = room_of(rooms, source.path);
  if (from.empty()) return {{source.path, 1, "in no room of CMakeLists.txt"}};
  for (const Include& include : includes_of(source)) {
    if (include.angled) continue;
    const std::string to = room_of(rooms, include.path);
    if (to.empty()) {
      findings.push_back({source.path, include.line, "includes " + include.path + ", which is in no room"});
    } else if (to != from && !rooms.may_include(from, to)) {
      findings.push_back(
          {source.path, include.line, "includes " + include.path + ": no arrow from " + from + " to " + to});
    }
  }
  return findings;
}

std::vector<Finding> foreign_includes(const Source& source) {
  std::vector<Finding> findings;
  for (const Include& include : includes_of(source)) {
    if (!include.angled || is_standard(include.path)) continue;
    const bool adapter = source.is_under("adapters");
    const bool session = source.is_under("lab/session");  // its threads and files are what it is for
    const bool daemon =
        source.is_under("daemon");  // a program, and no library: its rooms show each other theirs
    if ((adapter || session || daemon) && is_of_the_world(include.path)) continue;
    if (daemon && is_of_the_daemon(source, include.path)) continue;
    const bool formats = include.path.starts_with("fmt/") && !source.is_header();
    const bool parses = include.path.starts_with("toml++/") && source.is_under("format/syntax");
    // The calendar is date.h's; the rest of that library reads files.
    const bool dates =
        !source.is_header() && ((include.path == "date/date.h" &&
                                 (source.is_under("core/schedule") || source.is_under("core/model"))) ||
                                (include.path.starts_with("date/") && adapter));
    const bool source_of_adapter = adapter && !source.is_header();
    const bool systems =
        (source_of_adapter && is_of_the_system(include.path)) ||
        (session && !source.is_header() && is_of_pipes(include.path)) ||
        (source_of_adapter && is_of_processes(include.path) && starts_processes(source)) ||
        (source_of_adapter && source.is_under("adapters/loopback") && is_of_sockets(include.path));
    // Of a library in C.
    const bool in_c = include.path == "stdint.h" && source.is_under("adapters/sql_postgres/preload");
    // These headers are for the sources of rooms that read designs, and of their own room.
    const bool encodes =
        (include.path == "nlohmann/json.hpp" &&
         ((!source.is_header() &&
           (adapter || session || source.is_under("core/journal") || source.is_under("lab/calibrate"))) ||
          source.path == "adapters/design/json.h" || source.path == "core/journal/both_ways.h")) ||
        (include.path == "simdjson.h" && !source.is_header() && source.is_under("core/journal"));
    const bool queries = source_of_adapter &&
                         ((include.path == "sqlite3.h" &&
                           (source.is_under("adapters/sqlite") || source.is_under("adapters/sql"))) ||
                          (include.path == "pg_query.h" && source.is_under("adapters/sql")) ||
                          (include.path == "lua.hpp" && source.is_under("adapters/lua")) ||
                          (include.path.starts_with("boost/") && source.is_under("adapters/lua")) ||
                          (include.path.starts_with("boost/uuid/") && source.is_under("adapters/store")) ||
                          (include.path == "libpq-fe.h" && (source.is_under("adapters/postgres") ||
                                                            source.is_under("adapters/local_postgres") ||
                                                            source.is_under("adapters/sql_postgres"))));
    const bool posts =
        source_of_adapter && source.is_under("adapters/webhook") && is_of_webhooks(include.path);
    const bool draws = include.path == "rapidcheck.h" && source.is_under("lab/testing");
    if (!formats && !parses && !dates && !systems && !in_c && !encodes && !queries && !posts && !draws)
      findings.push_back({source.path, include.line, "includes <" + include.path + ">"});
  }
  return findings;
}

}  // namespace tenure::tidy
