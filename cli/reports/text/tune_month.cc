// The month of a tuning: what it costs, with as many digits as its runs carry.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"

namespace tenure::cli {
namespace {

constexpr std::int64_t kNsOfMicroMinute = 60'000;  // nanoseconds in a millionth of a minute

std::int64_t power_of_ten_within(std::int64_t value) {
  std::int64_t power = 1;
  while (power <= value / 10) power *= 10;
  return power;
}

constexpr std::int64_t kFinest = 1'000;  // millionths: nobody minds less

// The last digit that is worth printing: two digits of how far off the value may be, three of the value. In millionths.
std::int64_t last_digit(const lab::ProfileAmount& amount) {
  const std::int64_t off =
      std::max(amount.value - amount.low, amount.high.value_or(amount.value) - amount.value);
  return std::max(
      {off > 0 ? power_of_ten_within(off) / 10 : 1, power_of_ten_within(amount.value) / 100, kFinest});
}

std::string decimal_to(std::int64_t micro, std::int64_t last) {
  const std::int64_t rounded = (micro + last / 2) / last * last;
  std::string text = fmt::format("{}.{:06}", rounded / 1'000'000, rounded % 1'000'000);
  for (std::int64_t digit = 1; digit < last && text.back() != '.'; digit *= 10) text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// Millionths, with their interval.
std::string shown_amount(const lab::ProfileAmount& amount) {
  if (amount.high && *amount.high < kFinest) return "<0.001";
  const std::int64_t last = last_digit(amount);
  return fmt::format("{} [{}..{}]", decimal_to(amount.value, last), decimal_to(amount.low, last),
                     amount.high ? decimal_to(*amount.high, last) : "");
}

lab::ProfileAmount minutes_of(const lab::ProfileAmount& ns) {
  lab::ProfileAmount minutes{ns.value / kNsOfMicroMinute, ns.low / kNsOfMicroMinute, std::nullopt};
  if (ns.high) minutes.high = *ns.high / kNsOfMicroMinute;
  return minutes;
}

std::string share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{}%", (part / 1'000 * 100 + whole / 2'000) /
                                            std::max<std::int64_t>(whole / 1'000, 1))
                   : "0%";
}

// Not even the first digit is known.
bool is_vague(const lab::ProfileAmount& amount) {
  return !amount.high || *amount.high - amount.low > amount.value;
}

void add_new(const std::string& text, std::vector<std::string>& texts) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

}  // namespace

std::vector<std::vector<std::string>> month_rows(const TuneReport& report) {
  if (report.profile.empty()) return {};
  std::vector<std::string> head = {"a month", "leaderless min"};
  for (const lab::ProfileCost& cost : report.profile.front().month.causes) head.push_back(cost.cause);
  head.emplace_back("false failovers");
  std::vector<std::vector<std::string>> rows = {std::move(head)};
  for (const lab::ProfileFinding& finding : report.profile) {
    const lab::ProfileMonth& month = finding.month;
    rows.push_back({report.has_parameters() ? name_of_setting(report, finding.setting) : "the file's own",
                    shown_amount(minutes_of(month.leaderless_ns))});
    for (const lab::ProfileCost& cost : month.causes)
      rows.back().push_back(fmt::format("{} {}", shown_amount(minutes_of(cost.leaderless_ns)),
                                        share(cost.leaderless_ns.value, month.leaderless_ns.value)));
    rows.back().push_back(shown_amount(month.false_failovers_micro));
  }
  return rows;
}

std::vector<std::string> month_notes(const TuneReport& report) {
  std::vector<std::string> notes;
  std::vector<std::string> vague;
  for (const lab::ProfileFinding& finding : report.profile) {
    for (const std::string& why : finding.not_measured) add_new("not measured: " + why, notes);
    for (const lab::ProfileCost& cost : finding.month.causes)
      if (is_vague(cost.leaderless_ns)) add_new(cost.cause, vague);
    if (is_vague(finding.month.leaderless_ns)) add_new("leaderless min", vague);
    if (is_vague(finding.month.false_failovers_micro)) add_new("false failovers", vague);
  }
  if (!vague.empty())
    notes.push_back(
        fmt::format("{} are too few to measure: {}. `seeds` of [profile], or --seeds, says how many "
                    "runs measure each cause",
                    counted(static_cast<std::size_t>(report.profile_seeds), "seed"), fmt::join(vague, ", ")));
  return notes;
}

std::string profile_text(const TuneReport& report) {
  const std::vector<std::vector<std::string>> rows = month_rows(report);
  if (rows.empty()) return {};
  Table table(1);
  for (const std::vector<std::string>& row : rows) table.row(row);
  std::string text = "  profile\n" + table.text("            ");
  for (const std::string& note : month_notes(report)) text += "              " + note + "\n";
  return text;
}

}  // namespace tenure::cli
