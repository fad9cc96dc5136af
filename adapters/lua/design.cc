#include "adapters/lua/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <lua.hpp>
#include <utility>

#include "adapters/lua/instants.h"
#include "adapters/lua/sandbox.h"
#include "adapters/lua/store_calls.h"
#include "adapters/lua/text.h"
#include "core/base/readable_text.h"
#include "sim/stores/registry.h"

namespace tenure::lua {
namespace {

// What is read here; the rest is the description's.
constexpr std::array<std::string_view, 6> kAskedOfDesign = {"node",         "validate",        "failover",
                                                            "put_schedule", "delete_schedule", "stores"};
constexpr int kDeepest = 4;  // tables in tables: one may hold itself

std::string line_of(const std::string& text, int line) {
  std::size_t from = 0;
  for (int i = 1; i < line && from != std::string::npos; ++i) {
    const std::size_t end = text.find('\n', from);
    from = end == std::string::npos ? end : end + 1;
  }
  return from == std::string::npos ? "" : text.substr(from, text.find('\n', from) - from);
}

// Without the mark of UTF-8, and with the line for a shell as a comment: editors and habits put them there.
std::string without_prefix(const std::string& text) {
  std::string rest = text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
  if (rest.starts_with("#!")) rest.insert(0, "--");
  return rest;
}

// Of the name of a parameter.
bool belongs_to_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

// One reading of one file, by a state that is thrown away.
class Design::Reading {
 public:
  Reading(Design& design, design::MakeStore make_store)
      : design_(design), make_store_(make_store), state_(sandbox_.state()) {}

  // Returns what is wrong, or nothing.
  std::string read_all() {
    sandbox_.begin_step();
    // Under a pcall, since what is read may raise errors of its own.
    lua_pushlightuserdata(state_, this);
    lua_pushcclosure(
        state_,
        [](lua_State* of) {
          auto& self = *static_cast<Reading*>(lua_touserdata(of, lua_upvalueindex(1)));
          self.complain(self.read());
          return 0;
        },
        1);
    if (lua_pcall(state_, 0, 0, 0) != LUA_OK) complain(text_at(-1));
    return problem_;
  }

 private:
  std::string read() {
    if (std::string problem = compile(state_, without_prefix(design_.text_), design_.path(), design_.chunk_);
        !problem.empty())
      return problem;
    if (lua_pcall(state_, 0, 1, 0) != LUA_OK) return text_at(-1);
    if (!lua_istable(state_, -1))
      return "a design returns a table: return { name = \"…\", node = function(t) … end }";
    table_ = lua_gettop(state_);
    try {
      const design::Json json = said();
      design_.description_.read(json, kAskedOfDesign, make_store_);
      if (json.contains("stores")) read_stores(json["stores"], json.contains("schema"));
    } catch (const design::Nonsense& nonsense) {
      return nonsense.what;
    }
    read_functions();
    for (const ParameterSpec& each : design_.description_.parameters())
      if (!is_read(each.name))
        complain(
            fmt::format("nothing in the file reads parameter `{}`{}", each.name, what_is_read_instead()));
    sandbox_.check_numbers(state_);
    return {};
  }

  std::string text_at(int index) { return plain_text(state_, index); }
  void complain(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  // ---- what it says of itself, as JSON ----

  design::Json said() {
    lua_pushvalue(state_, table_);
    design::Json json = names_on_top("a design", [this](const std::string& name) {
      return name == "claims" && lua_istable(state_, -1)
                 ? names_on_top(name, [this](const std::string& each) { return claim_on_top(each); })
                 : value_on_top(name, kDeepest);
    });
    lua_pop(state_, 1);
    return json;
  }

  // A function, or what else is no data, is null: the description takes that for nothing.
  design::Json value_on_top(const std::string& what, int depth) {
    sandbox_.charge(state_, 1);
    if (lua_isboolean(state_, -1)) return lua_toboolean(state_, -1) != 0;
    if (lua_isinteger(state_, -1) != 0) return lua_tointeger(state_, -1);
    if (lua_type(state_, -1) == LUA_TNUMBER) return lua_tonumber(state_, -1);
    if (lua_type(state_, -1) == LUA_TSTRING)
      return std::string(lua_tostring(state_, -1), lua_rawlen(state_, -1));
    if (!lua_istable(state_, -1)) return nullptr;
    if (depth == 0) throw design::Nonsense{fmt::format("`{}` has too many tables in tables", what)};
    if (lua_rawlen(state_, -1) > 0) return list_on_top(what, depth);
    return names_on_top(what, [&](const std::string& name) { return value_on_top(name, depth - 1); });
  }

  // What the table on top has at 1, 2, ….
  design::Json list_on_top(const std::string& what, int depth) {
    design::Json list = design::Json::array();
    const auto count = static_cast<lua_Integer>(lua_rawlen(state_, -1));
    for (lua_Integer i = 1; i <= count; ++i) {
      lua_rawgeti(state_, -1, i);
      list.push_back(value_on_top(what, depth - 1));
      lua_pop(state_, 1);
    }
    return list;
  }

  // What it has at names. read(name): the value on top.
  template <class Read>
  design::Json names_on_top(const std::string& what, Read&& read) {
    design::Json names = design::Json::object();
    luaL_checkstack(state_, 4, "tables in tables");
    for (lua_pushnil(state_); lua_next(state_, -2) != 0; lua_pop(state_, 1)) {
      if (lua_type(state_, -2) != LUA_TSTRING)
        throw design::Nonsense{fmt::format("`{}` has a key that is no name", what)};
      const std::string name = lua_tostring(state_, -2);
      names[name] = read(name);
    }
    return names;
  }

  // { "rates-equal", passes = true }: what has no name is assumed.
  design::Json claim_on_top(const std::string& invariant) {
    if (!lua_istable(state_, -1)) return value_on_top(invariant, kDeepest);
    const design::Json assumed = list_on_top(invariant, kDeepest);
    design::Json claim = design::Json::object();
    for (lua_pushnil(state_); lua_next(state_, -2) != 0; lua_pop(state_, 1)) {
      if (lua_isinteger(state_, -2) != 0) continue;
      claim[plain_text(state_, -2)] = value_on_top(invariant, kDeepest);
    }
    if (!claim.contains("assumes")) claim["assumes"] = assumed;
    return claim;
  }

  // stores = { "redis" }, or { redis = 5 } for five servers that know nothing of each other
  void read_stores(const design::Json& json, bool has_schema) {
    constexpr std::int64_t kMostServers = 9;
    if (!(json.is_array() || json.is_object()) || json.size() != 1)
      throw design::Nonsense{
          "`stores` is a list of one name, like { \"redis\" }, or { redis = 5 } for five of them"};
    if (has_schema) throw design::Nonsense{"a design has a `schema` or `stores`: one server has one of them"};
    if (json.is_object()) {
      const design::Json& servers = json.front();
      if (!servers.is_number_integer() || servers < 1 || servers > kMostServers)
        throw design::Nonsense{
            fmt::format("`stores` has 1 to {} servers of a store, like {{ redis = 5 }}", kMostServers)};
      design_.servers_ = servers;
    }
    const std::string name = json.is_object() ? json.begin().key() : design::text(json.front(), "stores");
    const StoreKind* const kind = find_store_kind(name);
    if (kind == nullptr)
      throw design::Nonsense{fmt::format("there is no store `{}`; a design can have {}", readable_text(name),
                                         stores_for_designs())};
    if (calls_of(*kind).empty())
      throw design::Nonsense{
          fmt::format("the store `{}` is for protocols of Tenure's own; a design can have {}", name,
                      stores_for_designs())};
    if (design_.servers_ > 1 && !design_.elects())
      throw design::Nonsense{"a scheduler has one server of its store"};
    design_.store_ = kind;
    design_.calls_ = calls_of(*kind);
  }

  // ---- its functions ----

  // Whether it has one of this name.
  bool read_function(const char* name, const char* example) {
    const int type = lua_getfield(state_, table_, name);
    lua_pop(state_, 1);
    if (type != LUA_TNIL && type != LUA_TFUNCTION)
      complain(fmt::format("`{}` must be a function: {}", name, example));
    return type == LUA_TFUNCTION;
  }

  void read_functions() {
    constexpr const char* kNode = "node = function(t) … end, the process";
    if (!read_function("node", kNode)) complain(fmt::format("`node` must be a function: {}", kNode));
    design_.validates_ =
        read_function("validate", "function(p) return { { \"parameter\", \"what is wrong\" } } end");
    design_.says_failover_ = read_function(
        "failover", "function(p, d) return { least = …, mean = …, most = …, formula = \"…\" } end");
    if (design_.says_failover_ && !design_.elects())
      complain("`failover` is for an election: a scheduler has none");
    constexpr const char* kPut = "function(s) return { [[INSERT …]], s.id, s.first, s.period } end";
    const bool puts = read_function("put_schedule", kPut);
    const bool deletes = read_function("delete_schedule", "function(s) return { [[DELETE …]], s.id } end");
    if (design_.schedules() && !puts) complain(fmt::format("a scheduler needs `put_schedule`: {}", kPut));
    if (!design_.schedules() && (puts || deletes))
      complain(fmt::format("`{}` is for a scheduler: role = \"scheduler\", or \"both\"",
                           puts ? "put_schedule" : "delete_schedule"));
  }

  // Whether the name stands anywhere but in its own row. A recovery would wait for a duration that nothing reads.
  bool is_read(std::string_view name) const {
    int found = 0;
    for (std::size_t at = design_.text_.find(name); at != std::string::npos;
         at = design_.text_.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool whole = (at == 0 || !belongs_to_name(design_.text_[at - 1])) &&
                         (end == design_.text_.size() || !belongs_to_name(design_.text_[end]));
      found += whole ? 1 : 0;
    }
    return found > 1;
  }

  // A name that is read as a parameter and is none: often the one that is missed, with a typing error.
  std::string what_is_read_instead() const {
    const std::string& text = design_.text_;
    const auto& known = design_.description_.parameters();
    for (std::size_t at = text.find("p."); at != std::string::npos; at = text.find("p.", at + 1)) {
      if (at > 0 && belongs_to_name(text[at - 1])) continue;
      std::size_t end = at + 2;
      while (end < text.size() && belongs_to_name(text[end])) ++end;
      const std::string_view name = std::string_view(text).substr(at + 2, end - at - 2);
      if (std::none_of(known.begin(), known.end(), [&](const auto& each) { return each.name == name; }))
        return fmt::format(", but it reads `p.{}`, which is not a parameter", name);
    }
    return {};
  }

  Design& design_;
  design::MakeStore make_store_;
  Sandbox sandbox_;
  lua_State* state_;
  int table_ = 0;
  std::string problem_;
};

std::unique_ptr<const Design> Design::read(const std::string& path, std::string text,
                                           design::MakeStore make_store, Problem& problem,
                                           const TimeZones& zones) {
  std::unique_ptr<Design> design(new Design(path, std::move(text)));
  design->zones_ = &zones;
  const std::string what = Reading(*design, make_store).read_all();
  if (!what.empty()) {
    // Lua begins with "path:line:".
    problem = {};
    problem.text = what;
    if (const std::string place = path + ":"; what.starts_with(place)) {
      const char* const first = what.data() + place.size();
      const auto [end, error] = std::from_chars(first, what.data() + what.size(), problem.line);
      if (error == std::errc{} && end < what.data() + what.size() && *end == ':') {
        problem.text = what.substr(static_cast<std::size_t>(end - what.data()) + 1);
        problem.text.erase(0, problem.text.find_first_not_of(' '));
        problem.source = line_of(design->text_, problem.line);
      }
    }
    return nullptr;
  }
  design->make_kinds();
  return design;
}

}  // namespace tenure::lua
