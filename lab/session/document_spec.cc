#include "lab/session/document_spec.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kEveryLine = "every line";
constexpr std::string_view kCommon = "common";
constexpr std::string_view kTakesCommon = "Common: ";
constexpr std::string_view kWithin = "Objects within:";
constexpr std::string_view kOptional = ", may be absent";

// Takes what stands before `end` off the text, and `end` with it.
std::string_view take(std::string_view end, std::string_view& text) {
  const std::size_t length = text.find(end);
  CHECK(length != std::string_view::npos, "the pages of documents are whole");
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length + end.size());
  return taken;
}

// "| `name` | type | meaning |", without the first three characters.
FieldSpec field_of(std::string_view row) {
  FieldSpec field;
  field.name = take("` | ", row);
  field.type = take(" | ", row);
  field.doc = take(" |", row);
  field.optional = field.type.ends_with(kOptional);
  if (field.optional) field.type.remove_suffix(kOptional.size());
  return field;
}

// "`node`, `incarnation`": these of the common fields are the object's, too.
void add_common(std::string_view names, const std::vector<FieldSpec>& common,
                std::vector<FieldSpec>& fields) {
  while (!names.empty()) {
    take("`", names);
    const std::string_view name = take("`", names);
    const auto found =
        std::find_if(common.begin(), common.end(), [&](const FieldSpec& each) { return each.name == name; });
    CHECK(found != common.end(), "the pages of documents name common fields that they have");
    fields.push_back(*found);
  }
}

// Each object is a line "**`name`**: what it is", with a table of its fields below. `every line` and `common` are no
// objects: the first has fields of each object after it, the second those that objects take by name.
void read_tables(DocumentSpec& spec) {
  std::string_view page = document_page(spec.page);
  take("<!-- fields of " + std::string(spec.name) + " -->\n", page);
  std::string_view tables = take("<!-- end of the fields of " + std::string(spec.name) + " -->", page);
  std::vector<ObjectSpec>* objects = &spec.tops;
  std::vector<FieldSpec> of_every_line;
  std::vector<FieldSpec> common;
  std::vector<FieldSpec>* fields = nullptr;
  while (!tables.empty()) {
    std::string_view line = take("\n", tables);
    if (line == kWithin) {
      objects = &spec.parts;
      of_every_line.clear();
    } else if (line.starts_with("**`")) {
      line.remove_prefix(3);
      const std::string_view name = take("`**: ", line);
      if (name == kEveryLine || name == kCommon)
        fields = name == kCommon ? &common : &of_every_line;
      else
        fields = &objects->emplace_back(ObjectSpec{name, line, of_every_line}).fields;
    } else if (line.starts_with(kTakesCommon)) {
      add_common(line.substr(kTakesCommon.size()), common, *fields);
    } else if (line.starts_with("| `")) {
      fields->push_back(field_of(line.substr(3)));
    }
  }
}

}  // namespace

std::span<const DocumentSpec> document_specs() {
  static const std::vector<DocumentSpec> kAll = [] {
    std::vector<DocumentSpec> specs = {
        {"run", "what `tenure run --format json` prints, a document a line", "json", "kind"},
        {"hunt", "what `tenure hunt` and `tenure replay` print as JSON", "json", "kind"},
        {"tune", "what `tenure tune --format json` prints", "json", "kind"},
        {"compare", "what `tenure compare --format json` prints", "json", "kind"},
        {"trace", "the history of a run, a JSON object a line", "trace", "kind"},
        {"journal", "what a real process did, a JSON object a line", "journal", "event"}};
    for (DocumentSpec& spec : specs) read_tables(spec);
    return specs;
  }();
  return kAll;
}

const DocumentSpec& document_spec(std::string_view name) {
  const auto specs = document_specs();
  const auto found =
      std::find_if(specs.begin(), specs.end(), [&](const DocumentSpec& each) { return each.name == name; });
  CHECK(found != specs.end(), "a document must be one of those that are documented");
  return *found;
}

}  // namespace tenure::lab
