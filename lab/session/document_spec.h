// What the program writes for other programs, field by field: docs, JSON schemas and a test of real output are made
// from this.
//
//   1. A field is in every object of its kind, unless it is optional; what is not known is null.
//   2. Types: "text", "integer", "number", "seconds" (a number, an exact decimal), "boolean", the name of an object;
//      "list of T", "map of T" (by names that are free), "T or null".
//
// Thread rule: immutable.
#pragma once

#include <span>
#include <string_view>

namespace tenure::lab {

struct FieldSpec {
  std::string_view name;
  std::string_view type;
  std::string_view doc;
  bool optional = false;
};

struct ObjectSpec {
  std::string_view name;
  std::string_view doc;
  std::span<const FieldSpec> fields;
};

struct DocumentSpec {
  std::string_view name;  // as `tenure schema --of` takes it
  std::string_view doc;
  // What can stand at the top: a document is one of them; of lines, each line is. Told apart by `told_by`, if there
  // are several.
  std::span<const ObjectSpec> tops;
  std::span<const ObjectSpec> parts;  // objects within
  std::string_view told_by = "kind";
  std::span<const FieldSpec> common = {};  // each top begins with these; its own `fields` follow them
};

const DocumentSpec& run_spec();
const DocumentSpec& hunt_spec();
const DocumentSpec& tune_spec();
const DocumentSpec& compare_spec();
const DocumentSpec& trace_spec();
const DocumentSpec& journal_spec();
// All of them.
std::span<const DocumentSpec* const> document_specs();

}  // namespace tenure::lab
