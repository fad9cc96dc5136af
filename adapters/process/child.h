// One running process of a program: a line to it, a line from it.
//
//   I1. It does not outlive us: it is killed with its group when its Child goes, and by the kernel when we die.
//   I2. Nothing that it does ends us, or holds us up for longer than we say: it may die, write without end, or be
//       silent.
//
// Thread rule: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/process/descriptor.h"
#include "adapters/process/spawner.h"

namespace tenure::process {

// Our ends of the three standard ones.
struct OurEnds {
  Descriptor in;
  Descriptor out;
  Descriptor err;
};
struct Standard {
  OurEnds ours;
  TheirEnds theirs;
};
Standard make_standard();

class Child {
 public:
  static constexpr std::size_t kLongestAnswer = 1'000'000;  // bytes
  // For a process that has closed its output to end by itself.
  static constexpr int kGraceMs = 1'000;
  static constexpr int kMostPatience = 60;

  // Ends the process, of which it says how it ended; after at most so many milliseconds of grace.
  using End = std::function<std::string(int grace_ms)>;

  Child(OurEnds ends, int process, End end);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int process() const { return process_; }

  // Null: it cannot be started, and `problem` says why.
  static std::unique_ptr<Child> start(const Launch& launch, std::string& problem);

  enum class Result : std::uint8_t {
    line,
    end,       // its standard output is closed: most likely it is dead
    silence,   // for as long as we waited
    too_much,  // more than one line
    too_long,  // a line of more than kLongestAnswer
  };
  // Sends the line, and waits for one. If it is `busy_while_it_talks`, what it writes to standard error has us wait
  // anew, up to kMostPatience times as long.
  Result ask(std::string_view line, std::chrono::milliseconds patience, bool busy_while_it_talks = false);
  // What it answered; valid until the next ask().
  std::string_view answer() const { return answer_; }
  // What it has written to standard error since; bounded.
  std::string take_said();
  // Ends it; says how it has ended.
  std::string end(int grace_ms);

 private:
  bool hear();  // true: standard output is at its end
  void overhear();

  OurEnds ends_;
  int process_;
  End end_;
  std::string answer_;
  std::string said_;
};

}  // namespace tenure::process
