#include "adapters/sql/tree.h"

#include <fmt/format.h>
#include <pg_query.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "adapters/sql/statement_errors.h"
#include "adapters/sql/utf8.h"

namespace tenure::sql {
namespace {

// Expressions nest two levels of the tree each. Whoever walks it recurses, and SQLite bounds its own at 1,000.
constexpr std::size_t kDeepest = 400;

struct ParseResult {
  explicit ParseResult(const std::string& sql) : it(pg_query_parse(sql.c_str())) {}
  ~ParseResult() { pg_query_free_parse_result(it); }
  ParseResult(const ParseResult&) = delete;
  PgQueryParseResult it;
};

}  // namespace

// Builds nodes while the JSON is read, so that there is no second tree, and none that is too deep.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TreeBuilder(TreeNode& root) : root_(root) {}
  bool too_deep() const { return too_deep_; }

  bool null() override {
    add();
    return true;
  }
  bool boolean(bool value) override { return number(value ? 1 : 0); }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<std::int64_t>(value)); }
  bool number_float(number_float_t, const string_t&) override { return false; }  // Postgres has them as texts
  bool string(string_t& value) override {
    TreeNode& node = add();
    node.form_ = TreeNode::Form::text;
    node.text_ = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(TreeNode::Form::object); }
  bool start_array(std::size_t) override { return open(TreeNode::Form::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  // No part of an open node moves: only the innermost one grows.
  TreeNode& add() {
    if (open_.empty()) return root_;
    TreeNode& parent = *open_.back();
    if (parent.form_ == TreeNode::Form::object) parent.names_.push_back(std::move(key_));
    return parent.parts_.emplace_back();
  }
  bool number(std::int64_t value) {
    TreeNode& node = add();
    node.form_ = TreeNode::Form::number;
    node.integer_ = value;
    return true;
  }
  bool open(TreeNode::Form form) {
    too_deep_ = open_.size() >= kDeepest;
    if (too_deep_) return false;
    TreeNode& node = add();
    node.form_ = form;
    open_.push_back(&node);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  TreeNode& root_;
  std::vector<TreeNode*> open_;
  std::string key_;
  bool too_deep_ = false;
};

const TreeNode& TreeNode::operator[](std::string_view field) const {
  static const TreeNode kNone;
  const auto found = std::find(names_.begin(), names_.end(), field);
  return found == names_.end() ? kNone : parts_[static_cast<std::size_t>(found - names_.begin())];
}

const std::vector<TreeNode>& TreeNode::items() const {
  static const std::vector<TreeNode> kNone;
  return form_ == Form::list ? parts_ : kNone;
}

const std::string& TreeNode::kind() const {
  static const std::string kNone;
  return names_.size() == 1 ? names_.front() : kNone;
}

const TreeNode& TreeNode::inside() const {
  static const TreeNode kNone;
  return parts_.size() == 1 ? parts_.front() : kNone;
}

TreeNode parse(std::string_view sql, std::size_t longest) {
  if (sql.size() > longest)
    throw RefusedError{fmt::format("a text of {} bytes (at most {})", sql.size(), longest), 0};
  if (const auto bad = first_bad_byte(sql))
    throw FailedError{"22021", "invalid byte sequence for encoding \"UTF8\"", static_cast<int>(*bad)};
  const ParseResult result{std::string(sql)};
  if (result.it.error != nullptr) {
    // In characters from 1, to bytes from 0.
    const auto at = offset_of_character(sql, result.it.error->cursorpos - 1);
    const std::string_view message = result.it.error->message;
    if (message.starts_with("memory exhausted"))
      throw RefusedError{"nesting as deep as this", static_cast<int>(at)};
    throw FailedError{"42601", std::string(message), static_cast<int>(at)};
  }
  TreeNode root;
  TreeBuilder builder(root);
  if (!nlohmann::json::sax_parse(result.it.parse_tree, &builder))
    throw RefusedError{builder.too_deep() ? "nesting as deep as this" : "a tree that cannot be read", 0};
  return root["stmts"];
}

}  // namespace tenure::sql
