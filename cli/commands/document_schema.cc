#include "cli/commands/document_schema.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

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
    for (const lab::ObjectSpec& top : spec_.tops) define(top, spec_.common);
    for (const lab::ObjectSpec& part : spec_.parts) define(part, {});
    return json_.end_object().end_object().take() + "\n";
  }

 private:
  void refer_to(std::string_view name) {
    json_.begin_object().field("$ref", "#/definitions/" + std::string(name)).end_object();
  }

  void define(const lab::ObjectSpec& object, std::span<const lab::FieldSpec> common) {
    json_.key(object.name).begin_object().field("description", object.doc).field("type", "object");
    json_.field("additionalProperties", false).key("required").begin_array();
    for (const auto& fields : {common, object.fields})
      for (const lab::FieldSpec& field : fields)
        if (!field.optional) json_.value(field.name);
    json_.end_array().key("properties").begin_object();
    for (const auto& fields : {common, object.fields})
      for (const lab::FieldSpec& field : fields) define(field, object.name);
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

std::string schema_of(const lab::DocumentSpec& spec) { return DocumentSchema(spec).write(); }

}  // namespace tenure::cli
