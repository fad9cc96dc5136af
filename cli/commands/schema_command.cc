#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/commands/commands.h"
#include "format/schema/keys.h"
#include "format/schema/quantile_keys.h"
#include "format/syntax/suggest.h"
#include "format/syntax/targets.h"
#include "format/syntax/units.h"
#include "lab/session/document_spec.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

using format::KeySpec;
using format::SectionSpec;
using format::ValueType;

constexpr std::string_view kScenario = "scenario";

class SchemaWriter {
 public:
  std::string write() {
    json_.begin_object();
    json_.field("$schema", "http://json-schema.org/draft-04/schema#").field("title", "Tenure scenario");
    describe_table(format::file_spec());
    json_.end_object();
    return json_.take() + "\n";
  }

 private:
  void type(std::string_view name) { json_.field("type", name); }

  void text_like(const KeySpec& key) {
    type("string");
    if (const std::string_view pattern = format::pattern_of(key.type); !pattern.empty())
      json_.field("pattern", pattern);
  }

  void bounds(const KeySpec& key) {
    if (key.min != INT64_MIN) json_.field("minimum", key.min);
    if (key.max != INT64_MAX) json_.field("maximum", key.max);
  }

  template <class Names>
  void choices(const Names& names) {
    json_.list("enum", names);
  }

  // Opens one alternative of several; `inside` writes it.
  template <class Inside>
  void alternative(Inside inside) {
    json_.begin_object();
    inside();
    json_.end_object();
  }
  template <class... Insides>
  void any_of(Insides... insides) {
    json_.key("anyOf").begin_array();
    (alternative(insides), ...);
    json_.end_array();
  }

  void list_of_texts(const KeySpec& key) {
    type("array");
    json_.key("items").begin_object();
    text_like(key);
    json_.end_object();
  }

  // The schema of a key's value, into an open object.
  void describe_value(const KeySpec& key) {
    switch (key.type) {
      case ValueType::boolean: return type("boolean");
      case ValueType::count:
      case ValueType::ppm: return type("integer"), bounds(key);
      case ValueType::fraction:
        type("number");
        json_.key("minimum").nano(0);
        json_.key("maximum").nano(key.max * 1'000);  // parts per million as billionths
        return;
      case ValueType::choice: return choices(key.choices);
      case ValueType::names:
      case ValueType::instants: return list_of_texts(key);
      case ValueType::ppm_range:
      case ValueType::count_range:
        return any_of([&] { type("integer"), bounds(key); }, [&] { text_like(key); });
      case ValueType::permanent_id: return any_of([&] { type("integer"); }, [&] { text_like(key); });
      case ValueType::nth:
        return any_of([&] { type("integer"), bounds(key); },
                      [&] { choices(std::vector<std::string_view>{"all"}); });
      case ValueType::quantiles:
        return any_of([&] { text_like(duration_key()); }, [&] { describe_table(*key.section); },
                      [&] { describe_table(format::kDataSection); });
      case ValueType::lengths:
        return any_of([&] { text_like(range_key()); }, [&] { describe_table(*key.section); },
                      [&] { describe_table(format::kDataSection); });
      case ValueType::target:
        return any_of([&] { choices(format::target_names()); },
                      [&] {
                        type("string");
                        json_.field("pattern", "^n[1-9][0-9]*$");
                      },
                      [&] { list_of_texts(key); });
      case ValueType::overlap:
        return any_of(
            [&] {
              choices(std::vector<std::string_view>{"forbidden", "report"});
            },
            [&] { text_like(duration_key()); });
      case ValueType::thresholds: return any_of([&] { text_like(key); }, [&] { list_of_texts(key); });
      case ValueType::sweep:
        return any_of([&] { type("string"); }, [&] { type("integer"); }, [&] { type("boolean"); },
                      [&] { type("array"); });
      case ValueType::table: return describe_table(*key.section);
      case ValueType::tables:
        type("array");
        json_.key("items").begin_object();
        describe_table(*key.section);
        json_.end_object();
        return;
      default: return text_like(key);
    }
  }

  static const KeySpec& duration_key() {
    static constexpr KeySpec kDuration = {.name = "duration", .type = ValueType::duration, .doc = ""};
    return kDuration;
  }

  static const KeySpec& range_key() {
    static constexpr KeySpec kRange = {.name = "range", .type = ValueType::duration_range, .doc = ""};
    return kRange;
  }

  void describe_table(const SectionSpec& section) {
    json_.field("description", section.doc);
    type("object");
    // A design has keys of its own.
    json_.field("additionalProperties",
                section.open == format::OpenKeys::protocol || section.open == format::OpenKeys::sweeps);
    std::vector<KeySpec> keys(section.keys.begin(), section.keys.end());
    for (KeySpec key : format::all_keys(section.open)) {
      key.required = false;  // that depends on the protocol or action
      keys.push_back(key);
    }
    std::vector<std::string_view> required;
    for (const KeySpec& key : keys)
      if (key.required) required.push_back(key.name);
    if (!required.empty()) {
      json_.list("required", required);
    }
    json_.key("properties").begin_object();
    for (const KeySpec& key : keys) {
      json_.key(key.name).begin_object();
      const bool is_table = key.type == ValueType::table;
      if (!is_table) json_.field("description", key.doc);
      describe_value(key);
      json_.end_object();
    }
    json_.end_object();
  }

  lab::JsonWriter json_{2};
};

// Of what the program writes.
constexpr std::string_view kOrNull = " or null";
constexpr std::string_view kListOf = "list of ";
constexpr std::string_view kMapOf = "map of ";

class DocumentSchema {
 public:
  explicit DocumentSchema(const lab::DocumentSpec& spec) : spec_(spec) {}

  std::string write() {
    json_.begin_object().field("$schema", "http://json-schema.org/draft-04/schema#");
    json_.field("title", std::string("Tenure: ") + std::string(spec_.name)).field("description", spec_.doc);
    json_.key("anyOf").begin_array();
    for (const lab::ObjectSpec& top : spec_.tops) refer_to(top.name);
    json_.end_array().key("definitions").begin_object();
    for (const auto* objects : {&spec_.tops, &spec_.parts})
      for (const lab::ObjectSpec& object : *objects) define(object);
    return json_.end_object().end_object().take() + "\n";
  }

 private:
  void refer_to(std::string_view name) {
    json_.begin_object().field("$ref", "#/definitions/" + std::string(name)).end_object();
  }

  void define(const lab::ObjectSpec& object) {
    json_.key(object.name).begin_object().field("description", object.doc).field("type", "object");
    json_.field("additionalProperties", false).key("required").begin_array();
    for (const lab::FieldSpec& field : object.fields)
      if (!field.optional) json_.value(field.name);
    json_.end_array().key("properties").begin_object();
    for (const lab::FieldSpec& field : object.fields) define(field, object.name);
    json_.end_object().end_object();
  }

  void define(const lab::FieldSpec& field, std::string_view object) {
    json_.key(field.name).begin_object().field("description", field.doc);
    // Lines are told apart by it.
    if (field.name == spec_.told_by && spec_.tops.size() > 1)
      json_.key("enum").begin_array().value(object).end_array();
    else
      describe(field.type);
    json_.end_object();
  }

  // Into an object that is open.
  void describe(std::string_view type) {
    if (type.ends_with(kOrNull)) {
      json_.key("anyOf").begin_array().begin_object();
      describe(type.substr(0, type.size() - kOrNull.size()));
      json_.end_object().begin_object().field("type", "null").end_object().end_array();
    } else if (type.starts_with(kListOf)) {
      json_.field("type", "array").key("items").begin_object();
      describe(type.substr(kListOf.size()));
      json_.end_object();
    } else if (type.starts_with(kMapOf)) {
      json_.field("type", "object").key("additionalProperties").begin_object();
      describe(type.substr(kMapOf.size()));
      json_.end_object();
    } else if (type == "text") {
      json_.field("type", "string");
    } else if (type == "seconds") {
      json_.field("type", "number");
    } else if (type == "integer" || type == "number" || type == "boolean") {
      json_.field("type", type);
    } else {
      json_.field("$ref", "#/definitions/" + std::string(type));
    }
  }

  const lab::DocumentSpec& spec_;
  lab::JsonWriter json_{2};
};

}  // namespace

std::vector<std::string_view> schema_subjects() {
  std::vector<std::string_view> subjects = {kScenario};
  for (const lab::DocumentSpec& spec : lab::document_specs()) subjects.push_back(spec.name);
  return subjects;
}

ExitCode schema_command(const std::optional<std::string>& asked, Streams& streams) {
  const std::string subject = asked.value_or(std::string(kScenario));
  const std::vector<std::string_view> subjects = schema_subjects();
  if (std::find(subjects.begin(), subjects.end(), subject) == subjects.end())
    throw UsageError(fmt::format("no schema of `{}`: {}", subject, format::suggestion(subject, subjects)));
  if (subject == kScenario)
    streams.out << SchemaWriter().write();
  else
    streams.out << DocumentSchema(lab::document_spec(subject)).write();
  return ExitCode::pass;
}

}  // namespace tenure::cli
