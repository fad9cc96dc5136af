// What sessions write to files and read back, each as one line of JSON. What such a line has is said once, in
// kept_json.cc.
//
// Only the build that has written a line reads it (run_log.h, part_file.h), so there are no versions.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenure::lab {

// A run (saved_runs.h), and the name of its group.
template <class Numbers>
struct KeptRun {
  std::string group;
  Numbers run;
};

// Of: KeptRun of RunNumbers, CaseNumbers and HuntedCase, Batch::State, HuntedCases.
template <class T>
std::string json_line(const T& kept);
// Nullopt: it is none, or was cut off.
template <class T>
std::optional<T> read_json_line(std::string_view text);

}  // namespace tenure::lab
