#include "sim/stores/dynamodb/expression.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace tenure::dynamodb {
namespace {

bool belongs_to_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
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

  // Each section once at most, in either order.
  Item update() {
    Item result = item_;
    if (word_.empty()) refuse();
    bool sets = false;
    bool removes = false;
    while (!word_.empty()) {
      if (!sets && takes("SET")) {
        sets = true;
        do set_one(result);
        while (takes(","));
      } else if (!removes && takes("REMOVE")) {
        removes = true;
        do result.erase(name_to_write());
        while (takes(","));
      } else {
        refuse();
      }
    }
    return result;
  }
  // Why the update cannot be made of this item, though another one could be updated so.
  const std::optional<Invalid>& unfit_item() const { return unfit_item_; }

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
  // Whose value the next word is: an attribute's, whichever name stands for it, or the expression's own.
  std::string place_of_operand() const {
    const auto found = names_.names.find(std::string(word_));
    return found == names_.names.end() ? std::string(word_) : found->second;
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
    if (value) return *value;
    unfit_item_ = Invalid{"The provided expression refers to an attribute that does not exist in the item"};
    return std::int64_t{0};
  }

  // ---- updates ----

  std::string name_to_write() {
    const std::string to = name();
    if (to == kPartitionKey)
      throw Invalid{"Cannot update attribute " + to + ". This attribute is part of the key"};
    if (!written_.insert(to).second)
      throw Invalid{"Two document paths overlap with each other; must remove or rewrite one of these paths"};
    return to;
  }
  // A number, for + and -. Text that the expression itself has is wrong for every item.
  std::int64_t number(std::string_view first_word, const Attribute& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    const Invalid wrong{"An operand in the update expression has an incorrect data type"};
    if (first_word.starts_with(':')) throw wrong;
    unfit_item_ = wrong;
    return 0;
  }
  void set_one(Item& result) {
    const std::string to = name_to_write();
    expect("=");
    const std::string_view first_word = word_;
    Attribute value = term();
    const bool plus = takes("+");
    if (plus || takes("-")) {
      const std::int64_t one = number(first_word, value);
      const std::string_view second_word = word_;
      const std::int64_t two = number(second_word, term());
      std::int64_t sum = 0;
      if (plus ? __builtin_add_overflow(one, two, &sum) : __builtin_sub_overflow(one, two, &sum))
        unfit_item_ = Invalid{"Number overflow"};
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
    const std::string first = place_of_operand();
    const std::optional<Attribute> one = operand();
    const std::string sign(word_);
    if (sign != "=" && sign != "<>" && sign != "<" && sign != "<=" && sign != ">" && sign != ">=") refuse();
    advance();
    if (place_of_operand() == first)
      throw Invalid{
          "The first operand must be distinct from the remaining operands for this operator or function"};
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
  std::set<std::string> written_;
  std::optional<Invalid> unfit_item_;
};

}  // namespace

bool holds(const std::string& condition, const ExpressionNames& names, const Item& item) {
  return Reader(condition, names, item).condition();
}

void check_update(const std::string& update, const ExpressionNames& names) {
  static const Item kNone;
  Reader(update, names, kNone).update();
}

Item updated(const std::string& update, const ExpressionNames& names, const Item& item) {
  Reader reader(update, names, item);
  Item result = reader.update();
  if (reader.unfit_item()) throw *reader.unfit_item();
  return result;
}

}  // namespace tenure::dynamodb
