// Faults of processes that overlap: a process runs if and only if nobody holds it down, and a fault that changed
// nothing is reported as skipped. As text in process_faults.txt; here what is drawn.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "tests/sim/runner/support.h"
#include "tests/support/interaction.h"

namespace tenure::sim::process_faults_tests {
namespace {

// 30s kill n1 duration=10s; 40s …   # faults: when, their targets, and their other keys
//   > n1 dies 30s, starts 40s; fault 1 of n1  # but for first starts within a second; what was skipped, and why
class FaultTalk : Observer {
 public:
  explicit FaultTalk(const std::string&) {}
  std::string say(const std::string& line) {
    testing::for_each_statement(line, [this](testing::Words words) { add_fault(std::move(words)); });
    return "";
  }
  std::string end() {
    const RunResult result = run(parsed(small(faults_)), 1, {.trace = this});
    std::vector<std::string> answers;
    for (const auto& [node, happened] : happened_) answers.push_back(describe(node) + happened);
    for (const FaultRun& fault : result.faults)
      answers.push_back(name_of(fault) + (fault.target.empty() ? "" : " of " + fault.target) +
                        (fault.skipped.empty() ? "" : " is skipped: " + fault.skipped));
    return testing::wrapped(answers, "; ");
  }

 private:
  void add_fault(testing::Words words) {
    faults_ += "[[fault]]\nat = \"" + words.next() + "\"\n";
    faults_ += "action = \"" + words.next() + "\"\n";
    if (words.peek().find('=') == std::string::npos) faults_ += "target = \"" + words.next() + "\"\n";
    while (!words.done()) {
      const std::string key = words.next();
      const std::size_t equal = key.find('=');
      faults_ += key.substr(0, equal) + " = \"" + key.substr(equal + 1) + "\"\n";
    }
  }
  void see(TrueTime now, const Record& record) override {
    if (const auto* it = std::get_if<NodeStarted>(&record))
      if (it->who.number > 1 || now > TrueTime{} + Duration::seconds(1)) note(now, it->who, "starts");
    if (const auto* it = std::get_if<NodeDied>(&record)) note(now, it->who, "dies");
    if (const auto* it = std::get_if<NodePaused>(&record)) note(now, it->who, "pauses");
    if (const auto* it = std::get_if<NodeResumed>(&record)) note(now, it->who, "resumes");
  }
  void note(TrueTime now, Incarnation who, const std::string& what) {
    std::string& text = happened_[who.node];
    text += (text.empty() ? " " : ", ") + what + " " + describe(now - TrueTime{});
  }

  std::string faults_;
  std::map<NodeId, std::string> happened_;
};

TEST(ProcessFaults, do_as_their_text_says) {
  testing::expect_interaction<FaultTalk>("tests/sim/runner/process_faults.txt");
}

// Targets are drawn before the run: a plan is literal, and nobody knows then who will be running.
TEST(ProcessFaults, that_were_drawn_onto_a_dead_process_are_reported_as_skipped) {
  const RunResult result = run(
      parsed(small("[[fault]]\nat = \"2s\"\naction = \"kill\"\ntarget = \"n1\"\n[[fault]]\nevery = \"3s\"\n"
                   "action = \"pause\"\ntarget = \"one\"\nduration = \"1s\"\n")),
      1);
  int skipped = 0;
  int struck = 0;
  for (const FaultRun& ran : result.faults) {
    if (ran.action != "pause") continue;
    ++(ran.skipped.empty() ? struck : skipped);
    EXPECT_NE(ran.target, "n1");
    EXPECT_TRUE(ran.skipped.empty() || ran.skipped == "its target is not running") << ran.skipped;
  }
  EXPECT_GT(skipped, 5);
  EXPECT_GT(struck, 10);
}

}  // namespace
}  // namespace tenure::sim::process_faults_tests
