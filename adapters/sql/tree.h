// The parse tree, as Postgres' parser made it: named fields, lists, texts and numbers.
//
// A node of Postgres is an object with one field, its kind: {"ColumnRef": {"fields": […], "location": 7}}. The places
// are offsets in bytes.
//
// Thread rule: plain values; parse() may be called by any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::sql {

class TreeNode {
 public:
  // The field, or an empty node.
  const TreeNode& operator[](std::string_view field) const;
  bool has(std::string_view field) const { return !(*this)[field].empty(); }
  // Not there at all, or JSON's null.
  bool empty() const { return form_ == Form::empty; }

  const std::string& text() const { return text_; }  // "" unless it is one
  std::int64_t integer() const { return integer_; }  // 0 unless it is one
  bool flag() const { return integer_ != 0; }        // false unless it is one
  const std::vector<TreeNode>& items() const;        // none unless it is a list

  // Of a node of Postgres: "ColumnRef", and what is inside.
  const std::string& kind() const;
  const TreeNode& inside() const;

  const std::vector<std::string>& names() const { return names_; }

 private:
  friend class TreeBuilder;
  enum class Form { empty, number, text, list, object };
  Form form_ = Form::empty;
  std::int64_t integer_ = 0;
  std::string text_;
  std::vector<std::string> names_;  // of an object's fields, in step with parts_
  std::vector<TreeNode> parts_;
};

inline constexpr std::size_t kLongestStatement = 16'384;
inline constexpr std::size_t kLongestSchema = 65'536;

// The list of statements in `sql`. Throws FailedError where Postgres does not understand it, RefusedError where it is
// too long or too deeply nested. `longest` keeps the parser's own recursion within a small part of the stack.
TreeNode parse(std::string_view sql, std::size_t longest);

}  // namespace tenure::sql
