// A table of text with columns as wide as what is in them.
//
// Thread rule: one table belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::cli {

class Table {
 public:
  // The first columns are flush left, the others flush right.
  explicit Table(std::size_t to_the_left) : to_the_left_(to_the_left) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Each line after `indent`, with nothing behind its last letter.
  std::string text(std::string_view indent) const;

 private:
  std::size_t to_the_left_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tenure::cli
