#include "adapters/design/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "adapters/design/nearest.h"
#include "core/base/readable_text.h"
#include "core/model/duration_text.h"
#include "core/scheduler/scheduler_kind.h"
#include "sim/protocols/registry.h"

namespace tenure::design {
namespace {

constexpr std::array<std::string_view, 8> kKeys = {"name",   "summary", "role",   "parameters",
                                                   "schema", "claims",  "tokens", "goes_round"};
constexpr std::int64_t kYear = Duration::hours(24 * 365).ns();

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

std::vector<std::string_view> assumption_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Assumption::no_crash); ++i)
    names.push_back(name_of(static_cast<Assumption>(i)));
  return names;
}

std::string text_or_nothing(const Json& json, const char* key) {
  return json.contains(key) ? readable_text(text(json[key], key)) : std::string{};
}
const Json& by_name(const Json& value, std::string_view what) {
  if (!value.is_object()) throw Nonsense{fmt::format("`{}` must be a table with names, and no list", what)};
  return value;
}
bool flag_or_false(const Json& json, const char* key) { return json.contains(key) && flag(json[key], key); }

}  // namespace

class Description::Reader {
 public:
  explicit Reader(Description& description) : to_(description) {}

  void read(const Json& json, std::span<const std::string_view> also, MakeStore make_store) {
    read_name(json);
    to_.summary_ = text_or_nothing(json, "summary");
    to_.tokens_ = flag_or_false(json, "tokens");
    to_.goes_round_ = flag_or_false(json, "goes_round");
    read_role(json);
    if (json.contains("parameters"))
      for (const auto& [name, parameter] : by_name(json["parameters"], "parameters").items())
        read_parameter(name, parameter);
    if (json.contains("claims"))
      for (const auto& [invariant, claim] : by_name(json["claims"], "claims").items())
        read_claim(invariant, claim);
    // No assumption excuses an error in the program.
    to_.claims_.push_back({.invariant = "design-error", .assumptions = {}});
    read_store(json, make_store);
    std::vector<std::string_view> known(kKeys.begin(), kKeys.end());
    known.insert(known.end(), also.begin(), also.end());
    know_keys(json, "a design", known);
  }

 private:
  std::string_view keep(std::string text) { return to_.names_.emplace_back(std::move(text)); }

  void read_name(const Json& json) {
    if (!json.contains("name")) throw Nonsense{"`name` is missing"};
    to_.name_ = text(json["name"], "name");
    if (!is_name(to_.name_))
      throw Nonsense{"`name` must be of small letters, digits and hyphens, like \"my-lease\""};
    if (find_elector_kind(to_.name_) != nullptr || find_scheduler_kind(to_.name_) != nullptr)
      throw Nonsense{fmt::format("`{}` is the name of one that Tenure has already", to_.name_)};
  }

  void read_role(const Json& json) {
    const std::string role = text_or_nothing(json, "role");
    if (role == "scheduler")
      to_.role_ = Role::scheduler;
    else if (role == "both")
      to_.role_ = Role::both;
    else if (!role.empty() && role != "elector")
      throw Nonsense{"`role` is \"elector\", \"scheduler\" or \"both\""};
  }

  void read_store(const Json& json, MakeStore make_store) {
    const std::string schema = json.contains("schema") ? text(json["schema"], "schema") : std::string{};
    if (schema.empty() && to_.schedules())
      throw Nonsense{"a scheduler needs a `schema`, where its schedules are"};
    if (schema.empty()) return;
    if (make_store == nullptr) throw Nonsense{"a schema needs a store for SQL, and there is none here"};
    std::string problem;
    to_.store_ = make_store(schema, problem);
    if (to_.store_ == nullptr) throw Nonsense{"schema: " + problem};
  }

  // ---- parameters: { "lock_duration": { "default": "5s", "min": "1ms", "max": "1h", "doc": "…" } } ----

  // A duration is text like "5s".
  static std::int64_t value_of(const Json& json, ParameterSpec::Type type, std::string_view key,
                               std::string_view parameter) {
    const bool is_duration = type == ParameterSpec::Type::duration;
    if (!is_duration && json.is_number_integer()) return whole(json, key);
    const Parsed<Duration> parsed =
        is_duration && json.is_string() ? parse_duration(json.get<std::string>()) : Parsed<Duration>{};
    if (parsed.value) return parsed.value->ns();
    throw Nonsense{fmt::format("`{}` of parameter `{}` must be a {}{}{}", key, parameter,
                               is_duration ? "duration, like \"5s\"" : "whole number",
                               parsed.problem.empty() ? "" : ": ", parsed.problem)};
  }

  // "choices": ["before", "after"]: the default is one of them.
  void read_choices(const std::string& name, const Json& json, ParameterSpec& spec) {
    const Json& given = json["choices"];
    const auto is_text = [](const Json& each) { return each.is_string(); };
    if (!given.is_array() || given.empty() || !std::all_of(given.begin(), given.end(), is_text))
      throw Nonsense{fmt::format("`choices` of parameter `{}` must be a list of texts", name)};
    std::vector<std::string_view>& choices = to_.choices_.emplace_back();
    for (const Json& each : given) choices.push_back(keep(each.get<std::string>()));
    const Json& chosen = json["default"];
    const auto place = std::find_if(choices.begin(), choices.end(),
                                    [&chosen](std::string_view each) { return chosen == std::string(each); });
    if (place == choices.end())
      throw Nonsense{fmt::format("the default of parameter `{}` is none of its `choices`", name)};
    spec.type = ParameterSpec::Type::choice;
    spec.choices = choices;
    spec.default_value = place - choices.begin();
    spec.max = static_cast<std::int64_t>(choices.size()) - 1;
  }

  static void read_bounds(const std::string& name, const Json& json, ParameterSpec& spec) {
    if (spec.type == ParameterSpec::Type::boolean || spec.type == ParameterSpec::Type::choice) {
      for (const char* bound : {"min", "max"})
        if (json.contains(bound))
          throw Nonsense{
              fmt::format("parameter `{}` has no `{}`: it is no duration and no number", name, bound)};
      return;
    }
    spec.default_value = value_of(json["default"], spec.type, "default", name);
    if (json.contains("min")) spec.min = value_of(json["min"], spec.type, "min", name);
    if (spec.type == ParameterSpec::Type::duration) spec.max = kYear;
    if (json.contains("max")) spec.max = value_of(json["max"], spec.type, "max", name);
    if (spec.default_value < spec.min || spec.default_value > spec.max)
      throw Nonsense{
          fmt::format("the default of parameter `{}` is not between its `min` and its `max`", name)};
  }

  void read_parameter(const std::string& name, const Json& json) {
    if (!json.is_object())
      throw Nonsense{fmt::format("parameter `{}` must be a row that has a `default`, like \"5s\"", name)};
    know_keys(json, fmt::format("parameter `{}`", name),
              {"default", "min", "max", "choices", "recovery", "doc"});
    if (!is_key(name)) throw Nonsense{"a parameter's name must be of small letters, digits and underscores"};
    if (name == "accept")
      throw Nonsense{"a parameter cannot be called `accept`, which is a key of its section"};
    if (!json.contains("default"))
      throw Nonsense{fmt::format("parameter `{}` has no `default`, which says its type", name)};
    const Json& fallback = json["default"];
    ParameterSpec spec;
    spec.name = keep(name);
    spec.doc = keep(text_or_nothing(json, "doc"));
    if (fallback.is_boolean()) {
      spec.type = ParameterSpec::Type::boolean;
      spec.default_value = fallback.get<bool>() ? 1 : 0;
      spec.max = 1;
    } else if (fallback.is_number()) {
      spec.type = ParameterSpec::Type::count;
    }
    if (json.contains("choices")) read_choices(name, json, spec);
    read_bounds(name, json, spec);
    if (json.contains("recovery")) {
      if (!json["recovery"].is_boolean() || spec.type != ParameterSpec::Type::duration)
        throw Nonsense{
            fmt::format("`recovery` of parameter `{}` is true or false, and for a duration", name)};
      spec.delays_recovery = json["recovery"].get<bool>();
    }
    to_.parameters_.push_back(spec);
  }

  // ---- claims: { "one-believer": { "assumes": ["rates-equal"], "passes": true }, "leader-elected": [] } ----

  static std::vector<Assumption> assumptions_of(const std::string& invariant, const Json& json) {
    std::vector<Assumption> assumptions;
    for (const Json& each : list(json, "assumes")) {
      const std::string name = text(each, "assumes");
      const auto assumption = find_assumption(name);
      if (!assumption)
        throw Nonsense{fmt::format("unknown assumption `{}` of `{}`; {}", name, invariant,
                                   nearest(name, assumption_names()))};
      assumptions.push_back(*assumption);
    }
    return assumptions;
  }

  void read_claim(const std::string& invariant, const Json& json) {
    Claim claim{.invariant = keep(invariant), .assumptions = {}};
    if (json.is_array()) {  // a claim that has nothing else to say
      claim.assumptions = assumptions_of(invariant, json);
    } else if (!json.is_object()) {
      throw Nonsense{fmt::format("the claim of `{}` must be a list of what it assumes", invariant)};
    } else {
      know_keys(json, fmt::format("the claim of `{}`", invariant), {"assumes", "passes", "election"});
      if (json.contains("assumes")) claim.assumptions = assumptions_of(invariant, json["assumes"]);
      if (json.contains("election")) {
        if (to_.role_ != Role::scheduler) throw Nonsense{"`election` in a claim is for a scheduler's"};
        for (const Json& each : list(json["election"], "election"))
          claim.election.push_back(keep(text(each, "election")));
      }
      if (json.contains("passes")) {
        if (!json["passes"].is_boolean())
          throw Nonsense{fmt::format("`passes` in the claim of `{}` must be true or false", invariant)};
        if (json["passes"] == true) claim.aftermath = Claim::Aftermath::passes;
      }
    }
    to_.claims_.push_back(std::move(claim));
  }

  Description& to_;
};

void Description::read(const Json& json, std::span<const std::string_view> also, MakeStore make_store) {
  Reader(*this).read(json, also, make_store);
}

ElectorKind Description::kind() const {
  ElectorKind kind;
  kind.name = name_;
  kind.summary = summary_;
  kind.has_tokens = tokens_;
  kind.goes_round = goes_round_;
  kind.store = store_;
  return kind;
}

std::string nearest_parameter(std::string_view name, const Parameters& values) {
  std::vector<std::string_view> names;
  for (const ParameterSpec& spec : values.specs()) names.push_back(spec.name);
  return nearest(name, names);
}

Complaint complaint_about(std::string_view parameter, std::string_view text, const Parameters& values) {
  const int index = values.find(parameter);
  if (index < 0)
    throw Nonsense{fmt::format("`validate` complains of `{}`, which is no parameter; {}", parameter,
                               nearest_parameter(parameter, values))};
  return {values.specs()[static_cast<std::size_t>(index)].name, {}, readable_text(text)};
}

std::vector<Complaint> failed_validation(const Parameters& values, std::string_view problem) {
  const std::string_view first = values.specs().empty() ? std::string_view{} : values.specs().front().name;
  return {{first, {}, fmt::format("validate: {}", readable_text(problem))}};
}

}  // namespace tenure::design
