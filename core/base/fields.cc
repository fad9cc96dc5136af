#include "core/base/fields.h"

namespace tenure {

std::string snake_case(std::string_view type) {
  std::string name;
  for (const char c : type) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !name.empty()) name += '_';
    name += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

}  // namespace tenure
