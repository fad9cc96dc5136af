// docs/reference/scenario-keys.md is the key table: the part between its two marks is written from it.
//
// TENURE_REWRITE_GOLDEN=1 writes it anew.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "format/parse/parse.h"
#include "format/schema/keys.h"
#include "format/schema/quantile_keys.h"
#include "format/syntax/units.h"
#include "sim/checkers/checker.h"
#include "sim/faults/registry.h"
#include "sim/protocols/registry.h"
#include "sim/scenario/names.h"

namespace tenure::format::reference_tests {
namespace {

const std::string kPage = TENURE_SOURCE_DIR "/docs/reference/scenario-keys.md";
const std::string kBegin =
    "<!-- reference: written from the key table, see tests/format/reference_test.cc -->\n";
const std::string kEnd = "<!-- end of the reference -->\n";

std::string bound(const KeySpec& key, std::int64_t value) {
  switch (key.type) {
    case ValueType::duration:
    case ValueType::duration_range:
    case ValueType::lengths:
    case ValueType::quantiles: return print_duration(Duration::nanos(value));
    case ValueType::fraction: return print_decimal(value, 6);
    default: return fmt::format("{}", value);
  }
}

std::string range_of(const KeySpec& key) {
  if (!key.choices.empty()) return fmt::format("`{}`", fmt::join(key.choices, "`, `"));
  if (key.type == ValueType::boolean) return "";
  const bool low = key.min != INT64_MIN;
  const bool high = key.max != INT64_MAX;
  if (low && high && key.min == key.max) return bound(key, key.min);
  if (low && high) return fmt::format("{} … {}", bound(key, key.min), bound(key, key.max));
  return low ? fmt::format("from {}", bound(key, key.min)) : "";
}

std::string row_of(const KeySpec& key, const std::string& fallback) {
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, name_of(key.type),
                     key.required ? "required" : fallback, range_of(key), key.doc);
}

constexpr std::string_view kHead = "| key | type | default | range | meaning |\n|---|---|---|---|---|\n";

std::string table_of(std::span<const KeySpec> keys) {
  std::string text(kHead);
  for (const KeySpec& key : keys)
    text += row_of(key, key.fallback.empty() ? "" : fmt::format("`{}`", key.fallback));
  return text;
}

std::string default_of(const ParameterSpec& spec) {
  switch (spec.type) {
    case ParameterSpec::Type::duration: return print_duration(Duration::nanos(spec.default_value));
    case ParameterSpec::Type::boolean: return spec.default_value != 0 ? "true" : "false";
    case ParameterSpec::Type::choice:
      return std::string(spec.choices[static_cast<std::size_t>(spec.default_value)]);
    case ParameterSpec::Type::count:
    case ParameterSpec::Type::ppm: break;
  }
  return fmt::format("{}", spec.default_value);
}

std::string table_of(std::span<const ParameterSpec> parameters) {
  std::string text(kHead);
  const std::vector<KeySpec> keys = keys_of(parameters);
  for (std::size_t i = 0; i < keys.size(); ++i)
    text += row_of(keys[i], fmt::format("`{}`", default_of(parameters[i])));
  return text;
}

class Reference {
 public:
  std::string write() {
    add(file_spec(), "The file");
    return text_;
  }

 private:
  void add(const SectionSpec& section, std::string_view title) {
    if (!seen_.insert(std::string(section.title)).second) return;
    text_ += fmt::format("\n### {}\n\n{}\n", title, section.doc);
    if (!section.keys.empty()) text_ += "\n" + table_of(section.keys);
    if (section.title == "[election]") add_parameters(elector_kinds(), "protocol");
    if (section.open == OpenKeys::scheduler) add_parameters(scheduler_kinds(), "scheduler");
    if (section.open == OpenKeys::fault) add_faults();
    if (section.open == OpenKeys::metrics) text_ += "\n" + table_of(keys_of_metrics());
    if (section.title == "[expect]") add_expectations();
    if (&section == &kQuantilesSection) add(kDataSection, kDataSection.title);
    for (const KeySpec& key : section.keys)
      if (key.section != nullptr) add(*key.section, title_of(*key.section));
  }

  static std::string title_of(const SectionSpec& section) {
    return section.title.starts_with('[') ? fmt::format("`{}`", section.title) : std::string(section.title);
  }

  template <class Kind>
  void add_parameters(std::span<const std::reference_wrapper<const Kind>> kinds, std::string_view what) {
    for (const Kind& kind : kinds)
      text_ += fmt::format("\nOf the {} `{}`:\n\n{}", what, kind.name, table_of(kind.parameters()));
  }

  void add_faults() {
    text_ += "\nThe actions, and the parameters that belong to each:\n\n";
    text_ += "| action | target | duration | what breaks |\n|---|---|---|---|\n";
    for (const sim::FaultKind& kind : sim::fault_kinds()) {
      const bool store = kind.acts == sim::FaultKind::Acts::on_store;
      text_ += fmt::format("| `{}` | {} | {} | {} |\n", kind.name,
                           store                                           ? "none: the store"
                           : kind.acts == sim::FaultKind::Acts::on_workers ? "none: workers"
                           : !sim::strikes_nodes(kind)                     ? "none: destinations"
                           : kind.needs_target                             ? "required"
                                                                           : "all when left out",
                           kind.lasts ? "yes" : "none", kind.summary);
    }
    for (const sim::FaultKind& kind : sim::fault_kinds())
      if (!kind.parameters.empty())
        text_ += fmt::format("\nOf the action `{}`:\n\n{}", kind.name, table_of(keys_of(kind.parameters)));
  }

  void add_expectations() {
    text_ += "\n| checker | for | holds when |\n|---|---|---|\n";
    for (const sim::CheckerKind& kind : sim::checker_kinds())
      text_ +=
          fmt::format("| `{}` | `{}` | {} |\n", kind.name,
                      kind.when == sim::CheckerKind::When::always ? "always" : "eventually", kind.summary);
    text_ += "\n| what can happen `sometimes` | meaning |\n|---|---|\n";
    for (const sim::SometimesName& name : sim::kSometimesNames)
      text_ += fmt::format("| `{}` | {} |\n", name.name, name.doc);
  }

  std::string text_;
  std::set<std::string> seen_;
};

TEST(Reference, in_the_docs_is_the_key_table) {
  std::ostringstream stream;
  stream << std::ifstream(kPage, std::ios::binary).rdbuf();
  const std::string page = stream.str();
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string wanted = page.substr(0, begin) + kBegin + Reference().write() + "\n" + page.substr(end);
  const char* rewrite = std::getenv("TENURE_REWRITE_GOLDEN");
  if (rewrite != nullptr && std::string(rewrite) == "1") {
    std::ofstream(kPage, std::ios::binary) << wanted;
    return;
  }
  EXPECT_TRUE(page == wanted)
      << "docs/reference/scenario-keys.md is out of date; TENURE_REWRITE_GOLDEN=1 writes it anew";
}

TEST(Docs, first_file_is_a_good_scenario) {
  std::ostringstream stream;
  stream << std::ifstream(TENURE_SOURCE_DIR "/docs/scenarios.md", std::ios::binary).rdbuf();
  const std::string page = stream.str();
  const std::string fence = "```toml\n";
  const std::size_t begin = page.find(fence) + fence.size();
  const std::string text = page.substr(begin, page.find("```", begin) - begin);
  EXPECT_TRUE(parse_scenario("docs/scenarios.md", text).scenario) << text;
}

}  // namespace
}  // namespace tenure::format::reference_tests
