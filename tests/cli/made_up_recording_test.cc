// What `explain` says and what a picture shows, of a recording that is made up, so that what is right is known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/reports/svg/timeline_svg.h"
#include "cli/reports/text/explain_text.h"
#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "sim/protocols/registry.h"
#include "tests/cli/process.h"

namespace tenure::cli::testing {
namespace {

using sim::BeliefSpan;
using sim::Recording;
using sim::RequestTrip;
using sim::Span;
using sim::TrueTime;

constexpr Incarnation kN1{{0}, 1};
constexpr Incarnation kN2{{1}, 1};

TrueTime at(std::int64_t seconds) { return TrueTime{} + Duration::seconds(seconds); }

// n1 believes from 10 s to 40 s, and is paused from 25 s to 35 s; n2 believes from 30 s on.
Recording two_believers() {
  Recording recording;
  recording.nodes = {"n1", "n2"};
  recording.end = at(100);
  recording.lives = {{kN1, {at(0)}}, {kN2, {at(0)}}};
  recording.pauses = {{kN1.node, {at(25), at(35)}}};
  recording.beliefs = {{kN1, {at(10), at(40)}, "", "its time ran out"}, {kN2, {at(30)}, "", ""}};
  return recording;
}

// ---- the picture -------------------------------------------------------------------------------------------

// In a window of 100 s, which is 876 wide and begins at 72.
std::string bar(double from, double to, const char* fill) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"", 72 + 8.76 * from) + "*" +
         fmt::format("\" width=\"{:.1f}\" height=\"22.0\" fill=\"{}\"", 8.76 * (to - from), fill);
}

bool has_bar(const std::string& svg, const std::string& bar) {
  const std::string left = bar.substr(0, bar.find('*'));
  const std::string right = bar.substr(bar.find('*') + 1);
  for (std::size_t found = svg.find(left); found != std::string::npos; found = svg.find(left, found + 1)) {
    const std::size_t y_ends = svg.find('"', found + left.size());
    if (svg.compare(y_ends, right.size(), right) == 0) return true;
  }
  return false;
}

TEST(MadeUpPicture, has_each_belief_and_pause_at_its_time_and_in_its_length) {
  const std::string svg = timeline_svg(two_believers(), "title", "below", {at(0), at(100)});
  EXPECT_TRUE(has_bar(svg, bar(10, 40, "#0072b2"))) << svg;
  EXPECT_TRUE(has_bar(svg, bar(30, 100, "#0072b2"))) << svg;
  EXPECT_TRUE(has_bar(svg, bar(25, 35, "url(#paused)"))) << svg;
}

TEST(MadeUpPicture, marks_two_leaders_as_long_as_there_were_two_and_counts_who_could_act) {
  const std::string svg = timeline_svg(two_believers(), "title", "below", {at(0), at(100)});
  EXPECT_TRUE(has_bar(svg, bar(30, 35, "url(#wrong)"))) << svg;
  EXPECT_TRUE(has_bar(svg, bar(35, 40, "url(#wrong)"))) << svg;
  EXPECT_TRUE(has(svg, ">two believe for 10s, both act for 5s<")) << svg;
}

// In the window of 100 s: an element from one second to another, drawn as a path.
bool has_line(const std::string& svg, double from, double to, const std::string& how) {
  const std::string begins = fmt::format("<path d=\"M{:.1f} ", 72 + 8.76 * from);
  const std::string ends = fmt::format(" H{:.1f}\"{}", 72 + 8.76 * to, how);
  for (std::size_t at = svg.find(begins); at != std::string::npos; at = svg.find(begins, at + 1))
    if (svg.substr(at, svg.find('\n', at) - at).find(ends) != std::string::npos) return true;
  return false;
}

TEST(MadeUpPicture, has_what_was_the_matter_with_stores_and_links_in_the_lane_of_each) {
  Recording recording = two_believers();
  recording.stores = {"store 0", "store 1"};
  recording.conditions = {{{0}, {at(20), at(30)}, "down", false},
                          {{1}, {at(50), at(60)}, "slow by 2s", true},
                          {{1}, {at(70), at(70)}, "its clock jumps by 10s", true}};
  recording.links = {{kN1.node, {}, {0}, {at(12), at(22)}, "cut", true},
                     {{}, kN2.node, {0}, {at(62), at(72)}, "slow by 1s", false}};
  recording.holds = {{kN2, {at(30), at(80)}, {}, {1}}};
  const std::string svg = timeline_svg(recording, "title", "below", {at(0), at(100)});
  EXPECT_TRUE(has(svg, ">store 0</text>") && has(svg, ">store 1</text>"));
  EXPECT_TRUE(has(svg, "x=\"247.2\"") && has(svg, "url(#dead)") && has(svg, "url(#ill)")) << svg;
  EXPECT_TRUE(has_line(svg, 12, 22, " stroke=\"#b26a00\" stroke-width=\"2.5\"/>")) << "whole";
  EXPECT_TRUE(has_line(svg, 62, 72, " stroke=\"#b26a00\" stroke-width=\"2.5\" stroke-dasharray")) << "broken";
  for (const char* words : {"the store does not answer", "the store answers badly", "jumps, or it fails over",
                            "cut off", "slow, or some is lost", "was given the lease last"})
    EXPECT_TRUE(has(svg, words)) << words;
  for (const char* words : {"warms up", "starts up", ">work</text>"}) EXPECT_FALSE(has(svg, words)) << words;
}

TEST(MadeUpPicture, has_a_leader_that_warms_up_half_filled_and_a_start_as_a_broken_line) {
  Recording recording = two_believers();
  recording.warmup = Duration::seconds(6);
  recording.startups = {{{kN1.node, 2}, {at(60), at(65)}}};
  const std::string svg = timeline_svg(recording, "title", "below", {at(0), at(100)});
  EXPECT_TRUE(has(svg, fmt::format("width=\"{:.1f}\" height=\"10.0\" fill=\"#ffffff\"", 6 * 8.76 - 1)))
      << svg;
  EXPECT_TRUE(has_line(svg, 60, 65, " stroke=\"#626c76\" stroke-dasharray=\"5 4\""));
  EXPECT_TRUE(has(svg, "warms up") && has(svg, "starts up"));
}

TEST(MadeUpPicture, has_late_work_since_it_was_due_slots_left_out_and_remarks) {
  Recording recording = two_believers();
  recording.late = {{at(55), kN2, {}, {}, Duration::seconds(5)}};
  recording.skipped = {{at(58), {}, kN2, {}, {}, {}, 3}};
  recording.story = {
      {{at(57), "n2", "says: <b>", false}, sim::StoryKind::remark, kN2.node, {}, false, false}};
  const std::string svg = timeline_svg(recording, "title", "below", {at(0), at(100)});
  EXPECT_TRUE(has_line(svg, 50, 55, " stroke=\"#8f3fb0\" stroke-dasharray=\"1 2\""));
  EXPECT_TRUE(has(svg, fmt::format("<path d=\"M{:.1f} ", 72 + 8.76 * 58 - 3)));
  EXPECT_TRUE(has(svg, "<title>says: &lt;b&gt;</title>"));
}

TEST(MadeUpPicture, of_a_window_is_cut_at_its_ends) {
  const std::string svg = timeline_svg(two_believers(), "title", "below", {at(20), at(120)});
  EXPECT_TRUE(has_bar(svg, bar(0, 20, "#0072b2"))) << svg;
}

// ---- explain -----------------------------------------------------------------------------------------------

RequestTrip heard(Incarnation who, std::uint32_t number, std::int64_t when, std::string what) {
  RequestTrip trip;
  trip.id = {who, number};
  trip.what = std::move(what);
  trip.decided = trip.heard.emplace(at(when));
  trip.applied = at(when);
  trip.outcome = RequestOutcome::applied;
  return trip;
}

// heartbeat-lock promises one believer as long as wall clocks keep in step, and some more; not if messages are lost
// between nodes, which it does not send.
std::string explained(const Recording& recording) {
  sim::Scenario scenario;
  scenario.protocol = find_elector_kind("heartbeat-lock");
  sim::RunResult result;
  result.verdict = sim::Verdict::fail;
  return text_of_explanation(recording, result, scenario, false);
}

Recording violated() {
  Recording recording = two_believers();
  recording.violations = {{"one-believer", "two believe", {kN1.node, kN2.node}, {at(30), at(30)}, true, {}}};
  recording.requests = {heard(kN1, 1, 10, "first beat"), heard(kN1, 2, 28, "second beat"),
                        heard(kN1, 3, 38, "third beat")};
  for (const RequestTrip& trip : recording.requests)
    recording.beliefs[0].grants.push_back({*trip.heard, trip.id});
  return recording;
}

TEST(MadeUpExplanation, names_the_assumption_that_was_broken_before_and_that_the_promise_rests_on) {
  Recording recording = violated();
  recording.broken = {{"wall-in-step", "fault clock-step", {kN2.node}, {at(20)}},
                      {"reliable-network", "fault partition", {}, {at(20)}},
                      {"no-pause", "fault vm-pause", {kN1.node}, {at(31), at(33)}}};
  const std::string text = explained(recording);
  EXPECT_TRUE(has(text, "wall-in-step was broken by fault clock-step, from 20.000s on")) << text;
  EXPECT_FALSE(has(text, "fault partition")) << "it rests on no such thing\n" << text;
  EXPECT_FALSE(has(text, "fault vm-pause")) << "that came after it\n" << text;
}

TEST(MadeUpExplanation, blames_the_design_when_nothing_that_it_assumes_was_broken) {
  Recording recording = violated();
  recording.broken = {{"reliable-network", "fault partition", {}, {at(20)}}};
  EXPECT_TRUE(has(explained(recording), "the design does not keep its promise"));
  recording.broken.push_back({"no-pause", "fault pause", {kN1.node}, {at(25), at(35)}});
  EXPECT_FALSE(has(explained(recording), "the design does not keep its promise"));
}

TEST(MadeUpExplanation, rests_a_belief_on_the_last_grant_that_was_heard_before_the_violation) {
  const std::string text = explained(violated());
  EXPECT_TRUE(has(text, "second beat")) << text;
  EXPECT_FALSE(has(text, "first beat")) << text;
  EXPECT_FALSE(has(text, "third beat")) << text;
}

TEST(MadeUpExplanation, has_the_beliefs_and_the_faults_of_that_time_alone) {
  Recording recording = violated();
  recording.beliefs.push_back({{{0}, 2}, {at(50), at(60)}, "later", "died"});
  recording.faults = {{1, "partition", "partition that was over", {kN1.node}, {at(1), at(5)}},
                      {2, "pause", "pause that lasts", {kN1.node}, {at(25), at(35)}},
                      {3, "kill", "kill that came later", {kN1.node}, {at(60), at(60)}}};
  const std::string text = explained(recording);
  EXPECT_TRUE(has(text, "10.000s to 40.000s: its time ran out")) << text;
  EXPECT_FALSE(has(text, "later")) << text;
  EXPECT_TRUE(has(text, "pause that lasts, 25.000s to 35.000s")) << text;
  EXPECT_FALSE(has(text, "partition that was over")) << text;
}

}  // namespace
}  // namespace tenure::cli::testing
