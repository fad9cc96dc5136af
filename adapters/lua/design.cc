#include "adapters/lua/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <lua.hpp>
#include <optional>
#include <utility>

#include "adapters/lua/instants.h"
#include "adapters/lua/options.h"
#include "adapters/lua/sandbox.h"
#include "adapters/lua/text.h"
#include "core/base/check.h"

namespace tenure::lua {
namespace {

constexpr std::array<std::string_view, 12> kDesignKeys = {
    "goes_round", "validate", "name",   "summary", "role",         "parameters",
    "schema",     "claims",   "tokens", "node",    "put_schedule", "delete_schedule"};
constexpr std::array<std::string_view, 6> kParameterKeys = {"default", "min",     "max",
                                                            "doc",     "choices", "recovery"};
constexpr std::array<std::string_view, 2> kClaimKeys = {"passes", "election"};

std::vector<std::string_view> assumption_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Assumption::no_crash); ++i)
    names.push_back(name_of(static_cast<Assumption>(i)));
  return names;
}

constexpr std::int64_t kYear = Duration::hours(24 * 365).ns();

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

bool consists_of(std::string_view text, char also) {
  constexpr std::size_t kLongest = 60;
  return !text.empty() && text.size() <= kLongest && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), [also](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == also;
         });
}
// As in the registry, and as keys of a file.
bool is_name(std::string_view text) { return consists_of(text, '-'); }
bool is_key(std::string_view text) { return consists_of(text, '_'); }

}  // namespace

// One reading of one file, by a state that is thrown away.
class Design::Reading {
 public:
  Reading(Design& design, MakeStore make_store)
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
    read_names();
    read_role();
    read_parameters();
    read_claims();
    read_store();
    know_keys();
    sandbox_.check_numbers(state_);
    return {};
  }

  std::string text_at(int index) { return plain_text(state_, index); }
  void complain(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  std::string_view keep(std::string text) { return design_.names_.emplace_back(std::move(text)); }

  std::string text_field(int table, const char* name, bool required) {
    std::string text;
    if (lua_getfield(state_, table, name) == LUA_TSTRING)
      text = text_at(-1);
    else if (required && lua_isnil(state_, -1))
      complain(fmt::format("`{}` is missing", name));
    else if (!lua_isnil(state_, -1))
      complain(fmt::format("`{}` must be text", name));
    lua_pop(state_, 1);
    return text;
  }

  void read_names() {
    const std::string name = text_field(table_, "name", true);
    if (!is_name(name)) complain("`name` must be of small letters, digits and hyphens, like \"my-lease\"");
    if (find_elector_kind(name) != nullptr || find_scheduler_kind(name) != nullptr)
      complain(fmt::format("`{}` is the name of one that Tenure has already", name));
    design_.kind_.name = keep(name);
    design_.kind_.summary = keep(text_field(table_, "summary", false));
    if (lua_getfield(state_, table_, "node") != LUA_TFUNCTION)
      complain("`node` must be a function: node = function(t) … end, the process");
    lua_pop(state_, 1);
    const int tokens = lua_getfield(state_, table_, "tokens");
    if (tokens != LUA_TNIL && tokens != LUA_TBOOLEAN) complain("`tokens` must be true or false");
    design_.kind_.has_tokens = lua_toboolean(state_, -1) != 0;
    lua_pop(state_, 1);
    const int validate = lua_getfield(state_, table_, "validate");
    if (validate != LUA_TNIL && validate != LUA_TFUNCTION)
      complain(
          "`validate` must be a function: function(p) return { { \"parameter\", \"what is wrong\" } } end");
    design_.validates_ = validate == LUA_TFUNCTION;
    lua_pop(state_, 1);
    const int round = lua_getfield(state_, table_, "goes_round");
    if (round != LUA_TNIL && round != LUA_TBOOLEAN) complain("`goes_round` must be true or false");
    design_.kind_.goes_round = lua_toboolean(state_, -1) != 0;
    lua_pop(state_, 1);
  }

  void read_role() {
    const std::string text = text_field(table_, "role", false);
    if (text.empty() || text == "elector")
      design_.role_ = Role::elector;
    else if (text == "scheduler")
      design_.role_ = Role::scheduler;
    else if (text == "both")
      design_.role_ = Role::both;
    else
      complain("`role` is \"elector\", \"scheduler\" or \"both\"");
    for (const char* name : {"put_schedule", "delete_schedule"}) {
      const int type = lua_getfield(state_, table_, name);
      lua_pop(state_, 1);
      if (type != LUA_TNIL && !design_.schedules())
        complain(fmt::format("`{}` is for a scheduler: role = \"scheduler\", or \"both\"", name));
      else if (type != LUA_TNIL && type != LUA_TFUNCTION)
        complain(fmt::format("`{}` must be a function that returns a statement", name));
      else if (type == LUA_TNIL && design_.schedules() && std::string_view(name) == "put_schedule")
        complain(
            "a scheduler needs `put_schedule`: function(s) return { [[INSERT …]], s.id, s.first, s.period } "
            "end");
    }
  }

  // Calls visit(name) with the value on top, for each text key of the table on top, in order.
  template <class Visit>
  void each_field(const char* what, Visit&& visit) {
    const int table = lua_gettop(state_);
    lua_getglobal(state_, "pairs");
    lua_pushvalue(state_, table);
    lua_call(state_, 1, 1);
    for (;;) {
      lua_pushvalue(state_, -1);
      lua_call(state_, 0, 2);
      if (lua_isnil(state_, -2)) break;
      if (lua_type(state_, -2) != LUA_TSTRING)
        complain(fmt::format("`{}` has a key that is no name", what));
      else
        visit(std::string(lua_tostring(state_, -2)));
      lua_settop(state_, table + 1);
    }
    lua_settop(state_, table);
  }

  // The table on top has text keys of these only; numbers are the places of a list.
  void know_fields(const std::string& what, std::span<const std::string_view> known) {
    const int table = lua_gettop(state_);
    std::string unknown;
    for (lua_pushnil(state_); lua_next(state_, table) != 0; lua_pop(state_, 1)) {
      if (lua_type(state_, -2) != LUA_TSTRING) continue;
      const std::string key = lua_tostring(state_, -2);
      const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
      if (!is_known && (unknown.empty() || key < unknown)) unknown = key;
    }
    if (!unknown.empty())
      complain(fmt::format("unknown key `{}` of {}; {}", unknown, what, nearest(unknown, known)));
  }

  // ---- parameters: { lock_duration = { default = "5s", min = "1ms", max = "1h", doc = "…" } } ----

  std::optional<std::int64_t> number_field(int table, const char* name, ParameterSpec::Type type,
                                           std::string_view parameter) {
    lua_getfield(state_, table, name);
    std::optional<std::int64_t> value;
    if (type == ParameterSpec::Type::duration && !lua_isnil(state_, -1)) {
      value = check_duration(state_, -1, name).ns();  // raises what is wrong
    } else if (lua_isinteger(state_, -1) != 0) {
      value = lua_tointeger(state_, -1);
    } else if (!lua_isnil(state_, -1)) {
      complain(fmt::format("`{}` of parameter `{}` must be {}", name, parameter, "a whole number"));
    }
    lua_pop(state_, 1);
    return value;
  }

  // Whether the name stands anywhere but in its own row. A recovery would wait for a duration that nothing reads.
  bool is_read(const std::string& name) const {
    const auto is_of_name = [](char c) { return is_key(std::string("a") + c); };
    int found = 0;
    for (std::size_t at = design_.text_.find(name); at != std::string::npos;
         at = design_.text_.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool whole = (at == 0 || !is_of_name(design_.text_[at - 1])) &&
                         (end == design_.text_.size() || !is_of_name(design_.text_[end]));
      found += whole ? 1 : 0;
    }
    return found > 1;
  }

  // choices = { "before", "after" }: the default is one of them.
  void read_choices(int table, const std::string& name, ParameterSpec& spec) {
    if (lua_getfield(state_, table, "choices") == LUA_TTABLE) {
      std::vector<std::string_view>& choices = design_.choices_.emplace_back();
      const auto count = static_cast<lua_Integer>(lua_rawlen(state_, -1));
      for (lua_Integer i = 1; i <= count; ++i) {
        lua_rawgeti(state_, -1, i);
        choices.push_back(keep(text_at(-1)));
        lua_pop(state_, 1);
      }
      const auto chosen = std::find(choices.begin(), choices.end(), text_field(table, "default", true));
      if (choices.empty() || chosen == choices.end())
        complain(fmt::format("the default of parameter `{}` is none of its `choices`", name));
      spec.type = ParameterSpec::Type::choice;
      spec.choices = choices;
      spec.default_value = chosen - choices.begin();
      spec.max = static_cast<std::int64_t>(choices.size()) - 1;
    } else if (!lua_isnil(state_, -1)) {
      complain(fmt::format("`choices` of parameter `{}` must be a list of texts", name));
    }
    lua_pop(state_, 1);
  }

  void read_recovery(int table, const std::string& name, ParameterSpec& spec) {
    const int type = lua_getfield(state_, table, "recovery");
    if (type != LUA_TNIL && (type != LUA_TBOOLEAN || spec.type != ParameterSpec::Type::duration))
      complain(fmt::format("`recovery` of parameter `{}` is true or false, and for a duration", name));
    spec.delays_recovery = type != LUA_TBOOLEAN || lua_toboolean(state_, -1) != 0;
    lua_pop(state_, 1);
  }

  void read_parameter(const std::string& name) {
    const int table = lua_gettop(state_);
    if (!lua_istable(state_, table))
      return complain(
          fmt::format("parameter `{}` must be a table: {{ default = \"5s\", doc = \"…\" }}", name));
    know_fields(fmt::format("parameter `{}`", name), kParameterKeys);
    if (!is_key(name)) complain("a parameter's name must be of small letters, digits and underscores");
    if (name == "accept") complain("a parameter cannot be called `accept`, which is a key of its section");
    ParameterSpec spec;
    spec.name = keep(name);
    lua_getfield(state_, table, "default");
    const int type = lua_type(state_, -1);
    spec.type = type == LUA_TBOOLEAN  ? ParameterSpec::Type::boolean
                : type == LUA_TNUMBER ? ParameterSpec::Type::count
                                      : ParameterSpec::Type::duration;
    if (type == LUA_TNIL) complain(fmt::format("parameter `{}` has no `default`, which says its type", name));
    if (type == LUA_TBOOLEAN) spec.default_value = lua_toboolean(state_, -1);
    lua_pop(state_, 1);
    spec.max = spec.type == ParameterSpec::Type::duration  ? kYear
               : spec.type == ParameterSpec::Type::boolean ? 1
                                                           : INT64_MAX;
    if (type == LUA_TNIL) return;
    read_choices(table, name, spec);
    if (spec.type != ParameterSpec::Type::boolean && spec.type != ParameterSpec::Type::choice) {
      spec.default_value = number_field(table, "default", spec.type, name).value_or(0);
      spec.min = number_field(table, "min", spec.type, name).value_or(0);
      spec.max = number_field(table, "max", spec.type, name).value_or(spec.max);
      if (spec.default_value < spec.min || spec.default_value > spec.max)
        complain(fmt::format("the default of parameter `{}` is not between its `min` and its `max`", name));
    }
    const bool ordered =
        spec.type == ParameterSpec::Type::duration || spec.type == ParameterSpec::Type::count;
    for (const char* bound : {"min", "max"})
      if (!ordered && lua_getfield(state_, table, bound) != LUA_TNIL)
        complain(fmt::format("parameter `{}` has no `{}`: it is no duration and no number", name, bound));
    lua_settop(state_, table);
    if (!is_read(name)) complain(fmt::format("nothing in the file reads parameter `{}`", name));
    spec.doc = keep(text_field(table, "doc", false));
    read_recovery(table, name, spec);
    design_.parameters_.push_back(spec);
  }

  void read_parameters() {
    if (lua_getfield(state_, table_, "parameters") == LUA_TTABLE)
      each_field("parameters", [this](const std::string& name) { read_parameter(name); });
    else if (!lua_isnil(state_, -1))
      complain("`parameters` must be a table");
    lua_pop(state_, 1);
  }

  // ---- claims: { ["one-believer"] = { "rates-equal", passes = true } } ----

  void read_claim(const std::string& invariant) {
    const int table = lua_gettop(state_);
    if (!lua_istable(state_, table))
      return complain(fmt::format("the claim of `{}` must be a table of what it assumes", invariant));
    know_fields(fmt::format("the claim of `{}`", invariant), kClaimKeys);
    Claim claim{.invariant = keep(invariant), .assumptions = {}};
    const auto count = static_cast<lua_Integer>(lua_rawlen(state_, table));
    for (lua_Integer i = 1; i <= count; ++i) {
      lua_rawgeti(state_, table, i);
      const std::string name = text_at(-1);
      lua_pop(state_, 1);
      if (const auto assumption = find_assumption(name))
        claim.assumptions.push_back(*assumption);
      else
        complain(fmt::format("unknown assumption `{}` of `{}`; {}", name, invariant,
                             nearest(name, assumption_names())));
    }
    if (lua_getfield(state_, table, "election") == LUA_TTABLE) {
      if (design_.role_ != Role::scheduler) complain("`election` in a claim is for a scheduler's");
      const auto promises = static_cast<lua_Integer>(lua_rawlen(state_, -1));
      for (lua_Integer i = 1; i <= promises; ++i) {
        lua_rawgeti(state_, -1, i);
        claim.election.push_back(keep(text_at(-1)));
        lua_pop(state_, 1);
      }
    }
    lua_pop(state_, 1);
    const int passes = lua_getfield(state_, table, "passes");
    if (passes != LUA_TNIL && passes != LUA_TBOOLEAN)
      complain(fmt::format("`passes` in the claim of `{}` must be true or false", invariant));
    if (lua_toboolean(state_, -1) != 0) claim.aftermath = Claim::Aftermath::passes;
    lua_pop(state_, 1);
    design_.claims_.push_back(std::move(claim));
  }

  void read_claims() {
    if (lua_getfield(state_, table_, "claims") == LUA_TTABLE)
      each_field("claims", [this](const std::string& invariant) { read_claim(invariant); });
    else if (!lua_isnil(state_, -1))
      complain("`claims` must be a table");
    lua_pop(state_, 1);
    // No assumption excuses an error in the program.
    design_.claims_.push_back({.invariant = "design-error", .assumptions = {}});
  }

  void read_store() {
    const std::string schema = text_field(table_, "schema", false);
    if (schema.empty() && design_.schedules())
      return complain("a scheduler needs a `schema`, where its schedules are");
    if (schema.empty()) return;
    if (make_store_ == nullptr) return complain("a schema needs a store for SQL, and there is none here");
    std::string problem;
    design_.kind_.store = make_store_(schema, problem);
    if (design_.kind_.store == nullptr) complain("schema: " + problem);
  }

  void know_keys() {
    lua_pushvalue(state_, table_);
    know_fields("a design", kDesignKeys);
    lua_pop(state_, 1);
  }

  Design& design_;
  MakeStore make_store_;
  Sandbox sandbox_;
  lua_State* state_;
  int table_ = 0;
  std::string problem_;
};

std::unique_ptr<const Design> Design::read(const std::string& path, std::string text, MakeStore make_store,
                                           Problem& problem, const TimeZones& zones) {
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
