// What is wrong with the caller's part of a request, in words, all of it as one text.
//
// Thread rule: values.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/time.h"
#include "core/store/reference/executions.h"
#include "core/store/reference/named.h"

namespace tenure::reference {

class Problems {
 public:
  void add(const std::string& problem) {
    if (!problem.empty()) text_ += (text_.empty() ? "" : "; ") + problem;
  }
  // A text of at most `bytes`, in UTF-8 and without control characters but line breaks and tabs.
  void check_text(const std::string& what, std::string_view text, std::size_t bytes);
  void check(const Payload& payload);
  // For how long a claim stands.
  void check_duration(Duration duration);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace tenure::reference
