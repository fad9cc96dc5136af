#include "adapters/process/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "adapters/process/json.h"
#include "adapters/process/messages.h"
#include "core/model/duration_text.h"

namespace tenure::process {
namespace {

constexpr std::int64_t kYear = Duration::hours(24 * 365).ns();

bool consists_of(std::string_view text, char also) {
  constexpr std::size_t kLongest = 60;
  return !text.empty() && text.size() <= kLongest && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), [also](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == also;
         });
}

class Reader {
 public:
  explicit Reader(Description& description) : to_(description) {}

  void read(const Json& json) {
    know_keys(json, "a description",
              {"tenure", "name", "summary", "parameters", "schema", "claims", "tokens", "copies_itself"});
    if (const std::int64_t version = whole(field(json, "tenure"), "tenure"); version != kVersion)
      throw Nonsense{
          fmt::format("it speaks version {} of the protocol, and this is version {}", version, kVersion)};
    to_.name = text(field(json, "name"), "name");
    if (!consists_of(to_.name, '-'))
      throw Nonsense{"`name` must be of small letters, digits and hyphens, like \"my-lease\""};
    to_.summary = text_or_nothing(json, "summary");
    to_.schema = text_or_nothing(json, "schema");
    to_.tokens = flag(json, "tokens");
    to_.copies_itself = flag(json, "copies_itself");
    if (json.contains("parameters"))
      for (const auto& [name, parameter] : object(json["parameters"], "parameters").items())
        read_parameter(name, object(parameter, name));
    if (json.contains("claims"))
      for (const auto& [invariant, claim] : object(json["claims"], "claims").items())
        read_claim(invariant, object(claim, invariant));
    // No assumption excuses an error in the program.
    to_.claims.push_back({.invariant = "design-error", .assumptions = {}});
  }

 private:
  std::string_view keep(std::string text) { return to_.names.emplace_back(std::move(text)); }

  static std::string text_or_nothing(const Json& json, const char* key) {
    return json.contains(key) ? text(json[key], key) : std::string{};
  }
  static bool flag(const Json& json, const char* key) {
    if (!json.contains(key)) return false;
    if (!json[key].is_boolean()) throw Nonsense{fmt::format("`{}` must be true or false", key)};
    return json[key].get<bool>();
  }

  // A value of a parameter of this type: a duration is text like "5s".
  static std::int64_t value_of(const Json& json, ParameterSpec::Type type, std::string_view what) {
    if (type != ParameterSpec::Type::duration) return whole(json, what);
    const Parsed<Duration> parsed = parse_duration(text(json, what));
    if (!parsed.value) throw Nonsense{fmt::format("`{}`: {}", what, parsed.problem)};
    return parsed.value->ns();
  }

  void read_parameter(const std::string& name, const Json& json) {
    know_keys(json, fmt::format("parameter `{}`", name), {"default", "min", "max", "doc"});
    if (!consists_of(name, '_'))
      throw Nonsense{"a parameter's name must be of small letters, digits and underscores"};
    if (name == "accept")
      throw Nonsense{"a parameter cannot be called `accept`, which is a key of [election]"};
    const Json& fallback = field(json, "default");
    ParameterSpec spec;
    spec.name = keep(name);
    spec.type = fallback.is_boolean()  ? ParameterSpec::Type::boolean
                : fallback.is_number() ? ParameterSpec::Type::count
                                       : ParameterSpec::Type::duration;
    spec.doc = keep(text_or_nothing(json, "doc"));
    if (spec.type == ParameterSpec::Type::boolean) {
      spec.default_value = fallback.get<bool>() ? 1 : 0;
      spec.max = 1;
    } else {
      spec.default_value = value_of(fallback, spec.type, name);
      if (json.contains("min")) spec.min = value_of(json["min"], spec.type, name);
      if (spec.type == ParameterSpec::Type::duration) spec.max = kYear;
      if (json.contains("max")) spec.max = value_of(json["max"], spec.type, name);
      if (spec.default_value < spec.min || spec.default_value > spec.max)
        throw Nonsense{
            fmt::format("the default of parameter `{}` is not between its `min` and its `max`", name)};
    }
    to_.parameters.push_back(spec);
  }

  void read_claim(const std::string& invariant, const Json& json) {
    know_keys(json, fmt::format("the claim of `{}`", invariant), {"assumes", "passes"});
    Claim claim{.invariant = keep(invariant), .assumptions = {}};
    if (json.contains("assumes"))
      for (const Json& each : list(json["assumes"], "assumes")) {
        const auto assumption = find_assumption(text(each, "assumes"));
        if (!assumption)
          throw Nonsense{fmt::format("unknown assumption `{}` of `{}`", each.get<std::string>(), invariant)};
        claim.assumptions.push_back(*assumption);
      }
    if (flag(json, "passes")) claim.aftermath = Claim::Aftermath::passes;
    to_.claims.push_back(std::move(claim));
  }

  Description& to_;
};

}  // namespace

std::string Description::read(std::string_view line) {
  try {
    Reader(*this).read(object_of(line));
    return {};
  } catch (const Nonsense& nonsense) {
    return nonsense.what;
  }
}

}  // namespace tenure::process
