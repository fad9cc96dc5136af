// A transcript: inputs in and effects out, one line each, as plain text to be compared with a golden file.
//
//   1000.003000000 < reply to #1 sent at 1000.000000000: granted epoch 1 for 15s at 2026-01-01T00:00:00.003000Z
//       > timer elector.1 at 1014.885007496
//       > note: believes until 1014.885007496, epoch 1
//
// TENURE_REWRITE_GOLDEN=1 in the environment rewrites the golden files instead of comparing.
//
// Thread rule: one test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>

#include "core/model/describe.h"
#include "tests/support/scripted_env.h"

namespace tenure::testing {

inline std::string text_of(TimerId timer) {
  return (timer.part == Part::elector ? "elector." : "scheduler.") + std::to_string(timer.name);
}

inline std::string text_of(const Effect& effect) {
  struct Words {
    std::string operator()(const Sent& it) const {
      return "send to " + describe(it.to) + ": " + describe(it.message);
    }
    std::string operator()(const Requested& it) const {
      return "submit #" + std::to_string(it.id.counter) + " to store " +
             std::to_string(it.submission.store.value) + " by " + describe(it.submission.deadline) +
             (it.submission.as_leader ? " as leader: " : ": ") + describe(it.submission.request);
    }
    std::string operator()(const Executed& it) const {
      return "execute " + describe(it.item.event) + (it.item.token ? ", " + describe(*it.item.token) : "") +
             (it.item.once ? ", once" : "");
    }
    std::string operator()(const WriteSent& it) const {
      return fmt::format("write {}{}", it.item.number, it.item.token ? ", " + describe(*it.item.token) : "");
    }
    std::string operator()(const TimerSet& it) const {
      return "timer " + text_of(it.timer) + " at " + describe(it.deadline);
    }
    std::string operator()(const TimerCancelled& it) const { return "no timer " + text_of(it.timer); }
    std::string operator()(const NoteMade& it) const { return "note: " + describe(it.note); }
  };
  return std::visit(Words{}, effect);
}

class Transcript {
 public:
  void remark(const std::string& line) { text_ += "# " + line + "\n"; }
  // Call after the step, with what it did.
  void input(MonoTime at, const Input& input) { text_ += describe(at) + " < " + describe(input) + "\n"; }
  void effects(const std::vector<Effect>& effects) {
    for (const Effect& effect : effects) text_ += "    > " + text_of(effect) + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// `path` is relative to the source tree.
inline void expect_golden(const std::string& path, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path{TENURE_SOURCE_DIR} / path;
  const char* rewrite = std::getenv("TENURE_REWRITE_GOLDEN");
  if (rewrite != nullptr && std::string{rewrite} == "1") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
    return;
  }
  std::ifstream stream{file, std::ios::binary};
  ASSERT_TRUE(stream) << path << " is missing; TENURE_REWRITE_GOLDEN=1 writes it";
  std::ostringstream golden;
  golden << stream.rdbuf();
  EXPECT_EQ(golden.str(), text) << path
                                << " differs; if the change is meant, TENURE_REWRITE_GOLDEN=1 rewrites it";
}

}  // namespace tenure::testing
