// One life of a design's process as the world sees it: what it believes, and how it ends.
//
//   I1. It notes StepsDown after Believes only, and nothing once it is over.
//   I2. What comes from the program and is noted can be shown in every report (core/base/readable_text.h).
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/env.h"
#include "core/model/instance.h"

namespace tenure::design {

class Life {
 public:
  // A process has one timer, that of its part.
  Life(ResourceId resource, Part part) : resource_(resource), timer_{part, 0} {}

  TimerId timer() const { return timer_; }
  bool is_over() const { return over_; }  // stopped, or failed
  bool believes() const { return belief_.has_value(); }
  // Evaluated now, as of each elector.
  Leadership leadership(const Clock& clock) const;

  void believe(const Until& until, std::optional<Token> token, Env& env);
  // Does nothing when it believes nothing.
  void step_down(std::string_view why, Env& env);
  static void remark(std::string_view text, std::int64_t value, Env& env);

  // The timer has fired. True: again and again at this instant, so that time stands still for ever.
  bool spins(MonoTime now);

  // The end of a life: as it was asked to, or because of an error in the program.
  void stop(Env& env);
  void fail(std::string_view what, Env& env);

 private:
  void end(std::string_view why, Env& env);

  ResourceId resource_;
  TimerId timer_;
  std::optional<Until> belief_;
  std::optional<Token> token_;
  MonoTime woken_ = MonoTime::min();  // by the timer, last
  int wakes_ = 0;                     // at that instant
  bool over_ = false;
};

// What is wrong with a belief: it has a token exactly if the design has `tokens`, a whole number above 0. Empty: it is
// good.
std::string_view problem_of_token(bool has_tokens, std::optional<std::int64_t> token);
// REQUIRES: there is no problem.
std::optional<Token> token_of(std::optional<std::int64_t> token);

// How long a sync of the disk takes this time: a flush of a solid-state disk, or of a bad one.
Duration sync_time(Env& env);

}  // namespace tenure::design
