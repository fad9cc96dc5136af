// What the program writes for other programs, field by field. The tables in docs/reference (trace.md, journal.md and
// json.md) say it, once: JSON schemas, and a test of real output, are made from what is read there.
//
//   1. A field is in every object of its kind, unless it is optional; what is not known is null.
//   2. Types: "text", "integer", "number", "seconds" (a number, an exact decimal), "boolean", the name of an object;
//      "list of T", "map of T" (by names that are free), "T or null".
//   3. The fields of `every line` are those of each object after it, up to the objects within. Those of `common` are
//      the objects' that name them.
//
// Thread rule: immutable.
#pragma once

#include <span>
#include <string_view>
#include <vector>

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
  std::vector<FieldSpec> fields;
};

struct DocumentSpec {
  std::string_view name;  // as `tenure schema --of` takes it
  std::string_view doc;
  std::string_view page;     // docs/reference/PAGE.md has its tables
  std::string_view told_by;  // this field says which of `tops` it is, if there are several
  // What can stand at the top: a document is one of them; of lines, each line is.
  std::vector<ObjectSpec> tops = {};
  std::vector<ObjectSpec> parts = {};  // objects within
};

// All of them. REQUIRES of document_spec: there is one of that name.
std::span<const DocumentSpec> document_specs();
const DocumentSpec& document_spec(std::string_view name);

// Of docs/reference/PAGE.md, put into the program by the build.
std::string_view document_page(std::string_view page);

}  // namespace tenure::lab
