#include "core/store/dynamodb/expression.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tenure::dynamodb {
namespace {

bool belongs_to_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Keywords in either case.
bool is_keyword(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                    [](char a, char b) { return a == b || (a >= 'a' && a <= 'z' && a - 'a' + 'A' == b); });
}

// An expression is evaluated as it is read. Both sides of AND and OR are read, whatever the first one is: what is
// invalid is invalid.
class Reader {
 public:
  Reader(std::string_view text, const ExpressionNames& names, const Item& item)
      : text_(text), names_(names), item_(item) {
    advance();
  }

  bool condition() {
    const bool all = either();
    expect_end();
    return all;
  }

  Item update() {
    Item result = item_;
    if (word_.empty()) refuse();
    while (!word_.empty()) {
      if (takes("SET")) do
          set_one(result);
        while (takes(","));
      else if (takes("REMOVE"))
        do result.erase(name());
        while (takes(","));
      else
        refuse();
    }
    return result;
  }

 private:
  static constexpr int kDeepest = 100;  // conditions in conditions

  // ---- words ----

  void advance() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t'))
      text_.remove_prefix(1);
    std::size_t size = 0;
    if (!text_.empty()) {
      const char first = text_.front();
      size = 1;
      if (belongs_to_word(first) || first == ':' || first == '#')
        while (size < text_.size() && belongs_to_word(text_[size])) ++size;
      else if (text_.starts_with("<>") || text_.starts_with("<=") || text_.starts_with(">="))
        size = 2;
    }
    word_ = text_.substr(0, size);
    text_.remove_prefix(size);
  }
  bool takes(std::string_view keyword) {
    if (!is_keyword(word_, keyword)) return false;
    advance();
    return true;
  }
  void expect(std::string_view keyword) {
    if (!takes(keyword)) refuse();
  }
  void expect_end() const {
    if (!word_.empty()) refuse();
  }
  [[noreturn]] void refuse() const {
    throw Invalid{"Invalid expression: Syntax error; token: " +
                  (word_.empty() ? "<EOF>" : std::string(word_))};
  }

  // ---- operands ----

  std::string name() {
    const std::string word(word_);
    if (word.empty() || word.front() == ':' || !(belongs_to_word(word.front()) || word.front() == '#'))
      refuse();
    advance();
    if (word.front() != '#') return word;
    const auto found = names_.names.find(word);
    if (found == names_.names.end())
      throw Invalid{
          "An expression attribute name used in the document path is not defined; attribute name: " + word};
    return found->second;
  }
  std::optional<Attribute> attribute(const std::string& of) const {
    const auto found = item_.find(of);
    if (found == item_.end()) return std::nullopt;
    return found->second;
  }
  std::optional<Attribute> operand() {
    if (word_.empty() || word_.front() != ':') return attribute(name());
    const std::string word(word_);
    advance();
    const auto found = names_.values.find(word);
    if (found == names_.values.end())
      throw Invalid{"An expression attribute value used in expression is not defined; attribute value: " +
                    word};
    return found->second;
  }
  Attribute term() {
    std::optional<Attribute> value;
    if (takes("IF_NOT_EXISTS")) {
      expect("(");
      value = attribute(name());
      expect(",");
      const std::optional<Attribute> otherwise = operand();
      if (!value) value = otherwise;
      expect(")");
    } else {
      value = operand();
    }
    if (!value)
      throw Invalid{"The provided expression refers to an attribute that does not exist in the item"};
    return *value;
  }

  // ---- updates ----

  void set_one(Item& result) {
    const std::string to = name();
    expect("=");
    Attribute value = term();
    const bool plus = takes("+");
    if (plus || takes("-")) {
      const Attribute other = term();
      const auto* one = std::get_if<std::int64_t>(&value);
      const auto* two = std::get_if<std::int64_t>(&other);
      if (one == nullptr || two == nullptr)
        throw Invalid{"An operand in the update expression has an incorrect data type"};
      std::int64_t sum = 0;
      if (plus ? __builtin_add_overflow(*one, *two, &sum) : __builtin_sub_overflow(*one, *two, &sum))
        throw Invalid{"Number overflow"};
      value = sum;
    }
    result[to] = value;
  }

  // ---- conditions ----

  bool either() {
    bool any = both();
    while (takes("OR")) any = both() || any;
    return any;
  }
  bool both() {
    bool all = single();
    while (takes("AND")) all = single() && all;
    return all;
  }
  bool single() {
    if (++depth_ > kDeepest) throw Invalid{"Invalid expression: too many conditions in conditions"};
    const bool is = read_single();
    --depth_;
    return is;
  }
  bool read_single() {
    if (takes("NOT")) return !single();
    if (takes("(")) {
      const bool inner = either();
      expect(")");
      return inner;
    }
    const bool exists = takes("ATTRIBUTE_EXISTS");
    if (exists || takes("ATTRIBUTE_NOT_EXISTS")) {
      expect("(");
      const bool has = attribute(name()).has_value();
      expect(")");
      return has == exists;
    }
    return comparison();
  }
  // What is not there, or has another type, is unequal, and in no order.
  bool comparison() {
    const std::optional<Attribute> one = operand();
    const std::string sign(word_);
    if (sign != "=" && sign != "<>" && sign != "<" && sign != "<=" && sign != ">" && sign != ">=") refuse();
    advance();
    const std::optional<Attribute> other = operand();
    const bool comparable = one && other && one->index() == other->index();
    if (sign == "<>") return !comparable || *one != *other;
    if (!comparable) return false;
    if (sign == "=") return *one == *other;
    if (sign == "<") return *one < *other;
    if (sign == "<=") return *one <= *other;
    return sign == ">" ? *one > *other : *one >= *other;
  }

  std::string_view text_;
  std::string_view word_;
  const ExpressionNames& names_;
  const Item& item_;
  int depth_ = 0;
};

}  // namespace

bool holds(const std::string& condition, const ExpressionNames& names, const Item& item) {
  return Reader(condition, names, item).condition();
}

Item updated(const std::string& update, const ExpressionNames& names, const Item& item) {
  return Reader(update, names, item).update();
}

}  // namespace tenure::dynamodb
