// Reads what the program writes for other programs, and holds it against what is documented of it.
//
// Thread rule: tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/session/document_spec.h"

namespace tenure::cli::testing {

using nlohmann::ordered_json;

// Holds documents against a spec, and remembers which objects and fields it has seen.
class Reader {
 public:
  explicit Reader(const lab::DocumentSpec& spec) : spec_(spec) {}

  // Lines and documents are told apart by one field, or else by the fields that they must have.
  void read(const ordered_json& document) {
    const lab::ObjectSpec* top = nullptr;
    if (const std::string key(spec_.told_by); document.contains(key))
      top = find(spec_.tops, document[key].get<std::string>());
    else
      for (const lab::ObjectSpec& each : spec_.tops)
        if (top == nullptr && has_what_it_must(document, each)) top = &each;
    ASSERT_NE(top, nullptr) << document.dump();
    read(document, *top);
  }

  // Those that were never seen, as "object.field".
  std::vector<std::string> unseen() const {
    std::vector<std::string> names;
    for (const auto* objects : {&spec_.tops, &spec_.parts})
      for (const lab::ObjectSpec& object : *objects)
        for (const lab::FieldSpec& field : object.fields)
          if (!seen_.contains(name_of(object, field))) names.push_back(name_of(object, field));
    return names;
  }

 private:
  static std::string name_of(const lab::ObjectSpec& object, const lab::FieldSpec& field) {
    return std::string(object.name) + "." + std::string(field.name);
  }
  static const lab::ObjectSpec* find(std::span<const lab::ObjectSpec> objects, std::string_view name) {
    const auto found =
        std::find_if(objects.begin(), objects.end(), [&](const auto& one) { return one.name == name; });
    return found != objects.end() ? &*found : nullptr;
  }

  static bool has_what_it_must(const ordered_json& document, const lab::ObjectSpec& object) {
    return std::all_of(object.fields.begin(), object.fields.end(), [&](const lab::FieldSpec& field) {
      return field.optional || document.contains(std::string(field.name));
    });
  }

  void read(const ordered_json& value, const lab::ObjectSpec& object) {
    ASSERT_TRUE(value.is_object()) << object.name;
    const std::vector<lab::FieldSpec>& known = object.fields;
    for (const auto& [name, content] : value.items()) {
      const auto field = std::find_if(known.begin(), known.end(),
                                      [&name = name](const lab::FieldSpec& one) { return one.name == name; });
      ASSERT_NE(field, known.end()) << object.name << " has `" << name << "`, which is not documented";
      seen_.insert(name_of(object, *field));
      read(content, field->type, name_of(object, *field));
    }
    for (const lab::FieldSpec& field : known)
      EXPECT_TRUE(field.optional || value.contains(std::string(field.name)))
          << object.name << " lacks `" << field.name << "`: " << value.dump();
  }

  void read(const ordered_json& value, std::string_view type, const std::string& where) {
    constexpr std::string_view kOrNull = " or null";
    if (type.ends_with(kOrNull)) {
      if (value.is_null()) return;
      type.remove_suffix(kOrNull.size());
    }
    if (type.starts_with("list of ")) {
      ASSERT_TRUE(value.is_array()) << where;
      for (const ordered_json& each : value) read(each, type.substr(8), where);
    } else if (type.starts_with("map of ")) {
      ASSERT_TRUE(value.is_object()) << where;
      for (const ordered_json& each : value) read(each, type.substr(7), where);
    } else if (type == "text") {
      EXPECT_TRUE(value.is_string()) << where << ": " << value.dump();
    } else if (type == "integer") {
      EXPECT_TRUE(value.is_number_integer()) << where << ": " << value.dump();
    } else if (type == "seconds" || type == "number") {
      EXPECT_TRUE(value.is_number()) << where << ": " << value.dump();
    } else if (type == "boolean") {
      EXPECT_TRUE(value.is_boolean()) << where << ": " << value.dump();
    } else {
      const lab::ObjectSpec* part = find(spec_.parts, type);
      if (part == nullptr) part = find(spec_.tops, type);
      ASSERT_NE(part, nullptr) << where << " is of an unknown type: " << type;
      read(value, *part);
    }
  }

  const lab::DocumentSpec& spec_;
  std::set<std::string> seen_;
};

inline void read_lines(const std::string& text, Reader& reader) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    reader.read(ordered_json::parse(line));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

inline void expect_all_seen(const Reader& reader, const std::set<std::string>& rare = {}) {
  for (const std::string& name : reader.unseen())
    EXPECT_TRUE(rare.contains(name)) << name << " is never seen";
}

}  // namespace tenure::cli::testing
