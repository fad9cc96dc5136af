// Follows a journal while it is written.
//
// Thread rule: one thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/process/descriptor.h"
#include "core/journal/line.h"

namespace tenure::cli {

class JournalTail {
 public:
  explicit JournalTail(std::string path) : path_(std::move(path)) {}

  // The whole lines since the last call that can be read; others are the audit's to complain about.
  std::vector<journal::Line> more();
  const std::string& path() const { return path_; }
  bool has_lines() const { return has_lines_; }

 private:
  std::string path_;
  process::Descriptor file_;
  std::string rest_;
  bool has_lines_ = false;
};

}  // namespace tenure::cli
