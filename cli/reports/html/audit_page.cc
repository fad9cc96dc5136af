#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/reports/html/cases_page.h"
#include "cli/reports/html/page.h"
#include "cli/reports/html/page_data.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/json/json_run.h"
#include "cli/reports/text/text_format.h"
#include "core/model/describe.h"
#include "format/syntax/units.h"
#include "lab/session/json_writer.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

constexpr std::string_view kTitle = "An audit of journals";

const sim::CheckResult* first_that_fails(const lab::Audit& audit) {
  const auto failed =
      std::find_if(audit.checks.begin(), audit.checks.end(), [](const sim::CheckResult& check) {
        return check.demanded && check.verdict == sim::Verdict::fail && !check.violations.empty();
      });
  return failed != audit.checks.end() ? &*failed : nullptr;
}

std::string sentence_of(const lab::Audit& audit) {
  if (const sim::CheckResult* failed = first_that_fails(audit))
    return fmt::format("{} is broken: {}.", failed->name, failed->violations.front().message);
  if (audit.verdict == sim::Verdict::pass)
    return "Nothing that was promised is broken, as far as these journals tell.";
  if (!audit.lacking.empty()) return fmt::format("There is no verdict: {}.", audit.lacking.front());
  return "There is no verdict: what was to be examined is not in these journals, or could not be judged.";
}

std::string when(const lab::AuditTimeline& timeline) {
  const std::string_view clock = timeline.on_store_clock
                                     ? "Times are of the store's clock, as far as answers fix it"
                                     : "Times are of the machine's clock";
  if (!timeline.zero)
    return fmt::format("{}, since the first line. What the store's clock showed then is not known.", clock);
  const Duration open = timeline.zero->latest - timeline.zero->earliest;
  return fmt::format("{}, since the first line: 0s is {} by the store's clock, or up to {} later.", clock,
                     describe(timeline.zero->earliest), short_duration(open));
}

std::vector<std::string> unknowns_of(const lab::AuditTimeline& timeline) {
  std::vector<std::string> lines = {
      when(timeline),
      "When a request reached the store is not known. The lease is drawn from the last moment at which the "
      "store can have given it; it may have been earlier, back to when it was asked for.",
      "Where a lane is dotted, nothing more is written of that life: it was killed, or was still running. A "
      "belief there is what it had said before."};
  // Those who made the faults know of them.
  if (!timeline.recording.pauses_known)
    lines.insert(
        lines.begin() + 1,
        "Journals do not tell of pauses, of cut links and of faults. Two who believed at once may not "
        "both have acted.");
  if (timeline.in_doubt > 0)
    lines.push_back(fmt::format("{} about the lease got no answer. What became of {} is not known.",
                                counted(timeline.in_doubt, "request"),
                                timeline.in_doubt == 1 ? "it" : "them"));
  if (timeline.orders > 1)
    lines.push_back(fmt::format("{} of the lines are possible; one of them is drawn.",
                                counted(timeline.orders, "order")));
  if (timeline.resources > 1)
    lines.push_back(
        fmt::format("The journals are of {} resources. This is resource {}; the others are not drawn.",
                    timeline.resources, timeline.resource.value));
  return lines;
}

void write_texts(std::string_view key, const std::vector<std::string>& texts, lab::JsonWriter& json) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

std::vector<std::string> texts_of(const std::vector<lab::Silence>& silences) {
  std::vector<std::string> texts;
  for (const lab::Silence& one : silences) texts.push_back(fmt::format("{}: {}", one.checker, one.why));
  return texts;
}

std::string what_was_read(const lab::Audit& audit) {
  return fmt::format("{} {}, {} lines, {}", audit.lives.size(), audit.lives.size() == 1 ? "life" : "lives",
                     format::print_thousands(audit.lines), short_duration(audit.span));
}

std::string data_of(const lab::Audit& audit, const std::string& command) {
  lab::JsonWriter json;
  json.begin_object().field("sentence", sentence_of(audit)).key("audit").begin_object();
  json.field("what", what_was_read(audit));
  write_texts("unknown", unknowns_of(*audit.timeline), json);
  write_texts("lacking", audit.lacking, json);
  write_texts("left_out", texts_of(audit.left_out), json);
  write_texts("not_judged", texts_of(audit.not_judged), json);
  write_texts("notes", audit.notes, json);
  json.key("silences").begin_array();
  for (const sim::LifeSpan& silence : audit.timeline->silences) {
    json.begin_object().field("node", silence.who.node.value);
    json.field("from", silence.span.from - sim::TrueTime{}).field("to", silence.span.to - sim::TrueTime{});
    json.end_object();
  }
  json.end_array().end_object().key("run").begin_object();
  json.field("verdict", sim::name_of(audit.verdict)).field("tenure", lab::version());
  json.field("reproduce", command).key("checks").begin_array();
  for (const sim::CheckResult& check : audit.checks) {
    json.begin_object();
    write_check(check, json);
    json.end_object();
  }
  json.end_array().end_object();
  return json.take() + ",\"recording\":" + json_of_recording(audit.timeline->recording, std::nullopt) + "}";
}

// Without a common order nothing can be drawn.
PageSection without_picture(const lab::Audit& audit, const std::string& command) {
  PageSection section{.title = std::string(kTitle), .verdict = audit.verdict, .sentence = sentence_of(audit)};
  section.notes.emplace_back(
      "The journals have no clock in common, so there is no timeline. Audit those of each machine by "
      "themselves.");
  PageTable checks{.caption = "Checks", .columns = {"check", "verdict", "examined", "what it says"}};
  for (const sim::CheckResult& check : audit.checks)
    checks.rows.push_back(
        {{check.name, std::string(sim::name_of(check.verdict)), fmt::format("{}", check.opportunities),
          check.violations.empty() ? check.detail : check.violations.front().message}});
  section.tables.push_back(std::move(checks));
  for (const std::string& what : audit.lacking) section.notes.push_back("lacking: " + what);
  for (const std::string& note : audit.notes) section.notes.push_back(note);
  section.reproduce = command;
  return section;
}

}  // namespace

std::string page_of(const lab::Audit& audit, const std::string& command) {
  if (!audit.timeline) {
    CasesPage page{std::string(kTitle), {without_picture(audit, command)}, {}};
    return page_of(page);
  }
  return page_of(kTitle, "", {{"data", data_of(audit, command)}});
}

std::string page_of(PageSection found, const lab::Audit& audit, const std::string& command) {
  CasesPage page{found.title, {std::move(found)}, {}};
  if (audit.timeline) page.cases.push_back({"the last live run", command, data_of(audit, command)});
  return page_of(page);
}

}  // namespace tenure::cli
