#include "adapters/lua/literals.h"

#include <algorithm>
#include <optional>

namespace tenure::lua {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view source) : rest_(source) {}

  std::vector<Literal> scan() {
    while (!rest_.empty()) {
      if (rest_.starts_with("--")) {
        skip(2);
        if (!take_long()) skip(std::min(rest_.find('\n'), rest_.size()));
      } else if (const auto text = rest_.front() == '[' ? take_long() : std::nullopt) {
        literals_.push_back(*text);
      } else if (rest_.front() == '"' || rest_.front() == '\'') {
        take_quoted();
      } else {
        skip(1);
      }
    }
    return std::move(literals_);
  }

 private:
  void skip(std::size_t count) {
    const std::string_view skipped = rest_.substr(0, count);
    line_ += static_cast<int>(std::count(skipped.begin(), skipped.end(), '\n'));
    rest_.remove_prefix(skipped.size());
  }

  // [[ … ]], [=[ … ]=], …; nullopt: none stands here.
  std::optional<Literal> take_long() {
    const std::size_t level = rest_.find_first_not_of('=', 1);
    if (!rest_.starts_with('[') || level == std::string_view::npos || rest_[level] != '[')
      return std::nullopt;
    const std::string end = "]" + std::string(level - 1, '=') + "]";
    Literal literal{line_, {}};
    skip(level + 1);
    literal.text = rest_.substr(0, rest_.find(end));
    skip(literal.text.size() + end.size());
    return literal;
  }

  void take_quoted() {
    const char mark = rest_.front();
    Literal literal{line_, {}};
    skip(1);
    while (!rest_.empty() && rest_.front() != mark) {
      const bool escaped = rest_.front() == '\\' && rest_.size() > 1;
      if (!escaped || (rest_[1] != '"' && rest_[1] != '\'')) literal.text += rest_.front();
      if (escaped) literal.text += rest_[1];
      skip(escaped ? 2 : 1);
    }
    skip(1);
    literals_.push_back(std::move(literal));
  }

  std::string_view rest_;
  int line_ = 1;
  std::vector<Literal> literals_;
};

}  // namespace

std::vector<Literal> literals_of(std::string_view source) { return Scanner(source).scan(); }

}  // namespace tenure::lua
