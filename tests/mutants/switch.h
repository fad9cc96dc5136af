// Which planted bug is switched on.
//
// Included by the copies of core sources that generate.py makes, and by the tests. One at a time: the table's row of
// that number, or none.
//
// Thread rule: each thread has a switch of its own. The one of the process is set before other threads begin.
#pragma once

namespace tenure::mutant {

inline constexpr int kNone = -1;
inline thread_local int active = kNone;

inline int of_process = kNone;  // for rooms that start threads

inline bool is(int number) { return active == number || of_process == number; }

// Switches a mutant on for as long as it lives.
class On {
 public:
  explicit On(int number) { active = number; }
  On(const On&) = delete;
  On& operator=(const On&) = delete;
  ~On() { active = kNone; }
};

}  // namespace tenure::mutant
