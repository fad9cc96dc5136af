// What elections and schedulers say of their settings, as text in settings.txt: each inequality at the last value that
// keeps it, and at the next one.
//
//   client-go lease_duration=10s          # the others are as by default; good settings are answered nothing
//     > lease_duration: …                 # ill-formed: nothing accepts it
//     > stall_timeout: … (never-steps-aside)  # unsafe, and what accepts it; after `warning:`, it runs without that
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/parameters.h"
#include "sim/protocols/registry.h"
#include "tests/support/interaction.h"

namespace tenure::settings_tests {
namespace {

class SettingsTalk {
 public:
  explicit SettingsTalk(const std::string&) {}
  std::string say(const std::string& line) {
    testing::Words words(line);
    if (words.done()) return "";
    const std::string name = words.next();
    const ElectorKind* elector = find_elector_kind(name);
    const SchedulerKind* scheduler = find_scheduler_kind(name);
    Parameters parameters{elector != nullptr ? elector->parameters() : scheduler->parameters()};
    while (!words.done()) set(parameters, words.next());
    std::vector<Complaint> complaints = out_of_range(parameters);
    if (complaints.empty())
      complaints = elector != nullptr ? elector->validate(parameters) : scheduler->validate(parameters);
    std::string text;
    for (const Complaint& each : complaints)
      text += fmt::format("{}{}: {}{}\n", each.warning ? "warning: " : "", each.parameter, each.text,
                          each.accept.empty() ? "" : fmt::format(" ({})", each.accept));
    return text;
  }
  std::string end() { return ""; }

 private:
  static void set(Parameters& parameters, const std::string& setting) {
    const std::string name = setting.substr(0, setting.find('='));
    const std::string value = setting.substr(name.size() + 1);
    const int index = parameters.find(name);
    ASSERT_GE(index, 0) << setting;
    const auto& choices = parameters.specs()[static_cast<std::size_t>(index)].choices;
    const auto choice = std::find(choices.begin(), choices.end(), value);
    const auto length = testing::duration_of(value);
    parameters.set(index, choice != choices.end() ? choice - choices.begin()
                          : length                ? length->ns()
                                                  : std::stoll(value));
  }
};

TEST(Settings, are_judged_as_their_text_says) {
  testing::expect_interaction<SettingsTalk>("tests/sim/protocols/settings.txt");
}

}  // namespace
}  // namespace tenure::settings_tests
