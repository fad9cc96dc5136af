// Files of measurements in a scenario, with a reader that has two files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/parse/parse.h"
#include "format/print/print.h"
#include "format/schema/quantile_keys.h"

namespace tenure::format {
namespace {

class TwoFiles final : public sim::DataFiles {
 public:
  std::variant<sim::Measured, sim::DataProblem> read(std::string_view scenario,
                                                     const sim::DataSource& source) const override {
    if (source.file == "even.csv") {
      std::vector<sim::Quantiles::Point> points;
      for (const QuantileColumn& column : kQuantileColumns)
        points.push_back({column.at, Duration::micros(1) * (1 + column.at / 100)});
      return sim::Measured{sim::Quantiles::table(points),
                           fmt::format("even.csv for {}, column {}", scenario, source.column)};
    }
    if (source.file == "zero.csv") return sim::Measured{sim::Quantiles(), "zero.csv: nothing but zero"};
    return sim::DataProblem{source.column.empty() ? sim::DataProblem::Of::file : sim::DataProblem::Of::column,
                            "no such thing", "did you mean something else?"};
  }
};

constexpr std::string_view kText = R"(
format = 1
name = "measured"
[sim]
duration = "1m"
[cluster]
protocol = "fenced-lease"
departure = { file = "even.csv" }
[store]
latency = { file = "even.csv", column = "ms" }
[network]
latency = { file = "even.csv" }
[work]
duration = { file = "even.csv" }
[[fault]]
every = { file = "even.csv", format = "csv" }
action = "pause"
target = "one"
duration = { file = "even.csv" }
[[fault]]
at = "2s"
action = "pause"
target = "one"
duration = { min = "1s", p50 = "2s", max = "9s" }
)";

ParseResult parse(std::string_view text, std::vector<Override> sets = {}) {
  static const TwoFiles files;
  return parse_scenario("dir/x.toml", text, sets, only_utc(), nullptr, {}, &files);
}

std::string first_error(const ParseResult& result) {
  return result.diagnostics.empty() ? "none" : render(result.diagnostics.front());
}

TEST(Data, can_stand_wherever_a_distribution_can) {
  // `every` is a millisecond at the least, which the file is not.
  const ParseResult parsed = parse(kText, {{"fault.1.every.min", "1ms"}});
  EXPECT_NE(first_error(parsed).find("unknown key `min` in a file of measurements"), std::string::npos);
  const ParseResult good = parse(kText, {{"fault.1.every", "10s"}});
  ASSERT_TRUE(good.scenario) << first_error(good);
  const sim::Scenario& scenario = *good.scenario;
  for (const sim::Quantiles& each : {scenario.departure, scenario.store.latency, scenario.network.latency,
                                     scenario.work.duration, *scenario.faults[0].duration_spread})
    EXPECT_EQ(each.at(kQuantileColumns[5].at), Duration::micros(5'001));
  EXPECT_EQ(scenario.faults[0].duration->high, Duration::micros(10'001)) << "the ends are those of the table";
  EXPECT_EQ(scenario.faults[1].duration->low, Duration::seconds(1));
  ASSERT_EQ(scenario.data.size(), 5u);
  EXPECT_EQ(scenario.data[1].key, "[store] latency");
  EXPECT_EQ(scenario.data[1].text, "even.csv for dir/x.toml, column ms");
  EXPECT_EQ(scenario.data[4].key, "[[fault]] 1 duration");
}

TEST(Data, is_printed_as_the_table_that_it_was_reduced_to) {
  const ParseResult read = parse(kText, {{"fault.1.every", "10s"}});
  ASSERT_TRUE(read.scenario) << first_error(read);
  const std::string printed = print_scenario(*read.scenario);
  EXPECT_EQ(printed.find("file ="), std::string::npos) << printed;
  const ParseResult again = parse_scenario("y.toml", printed);
  ASSERT_TRUE(again.scenario) << first_error(again);
  EXPECT_EQ(again.scenario->store.latency, read.scenario->store.latency);
  EXPECT_EQ(again.scenario->faults[0].duration_spread, read.scenario->faults[0].duration_spread);
  EXPECT_EQ(again.scenario->faults[1].duration_spread, read.scenario->faults[1].duration_spread);
  EXPECT_TRUE(printed.starts_with("# [cluster] departure: even.csv")) << "where it is from is not lost";
}

TEST(Data, that_does_not_fit_its_key_is_shown_where_the_file_is_named) {
  EXPECT_EQ(first_error(parse(kText)),
            "error: `every` can be as short as 1us; it must be at least 1ms\n  --> dir/x.toml:16:18\n"
            "   | every = { file = \"even.csv\", format = \"csv\" }\n   |                  ^^^^^^^^^^\n");
  EXPECT_NE(first_error(parse(kText, {{"cluster.departure.file", "zero.csv"}, {"fault.1.every", "10s"}}))
                .find("it must be at least 1ns"),
            std::string::npos);
}

TEST(Data, that_cannot_be_read_is_shown_at_the_key_that_is_to_blame) {
  const ParseResult column = parse(kText, {{"store.latency.file", "gone.csv"}, {"fault.1.every", "10s"}});
  EXPECT_EQ(first_error(column),
            "error: no such thing\n  --> dir/x.toml:10:41\n   | latency = { file = \"even.csv\", column = "
            "\"ms\" }\n"
            "   |                                         ^^^^ did you mean something else?\n");
  const ParseResult file = parse(kText, {{"network.latency.file", "gone.csv"}, {"fault.1.every", "10s"}});
  EXPECT_NE(first_error(file).find("--set network.latency.file=gone.csv"), std::string::npos)
      << first_error(file);
}

TEST(Data, keys_are_judged_like_any_others) {
  const auto with = [](const std::string& table) {
    return first_error(parse(kText, {{"store.latency", table}, {"fault.1.every", "10s"}}));
  };
  EXPECT_NE(with("{ file = \"even.csv\", colum = \"x\" }").find("did you mean `column`?"), std::string::npos);
  EXPECT_NE(with("{ file = \"even.csv\", unit = \"days\" }").find("unknown unit `days`"), std::string::npos);
  EXPECT_NE(
      with("{ file = \"even.csv\", p50 = \"1ms\" }").find("unknown key `p50` in a file of measurements"),
      std::string::npos);
  EXPECT_NE(with("{ file = 3 }").find("`file` must be text in quotes"), std::string::npos);
  EXPECT_NE(with("{ column = \"x\" }").find("unknown key `column` in a distribution"), std::string::npos);
}

TEST(Data, without_anybody_to_read_it_is_an_error) {
  const ParseResult parsed = parse_scenario("x.toml", kText);
  EXPECT_NE(first_error(parsed).find("files of measurements cannot be read here"), std::string::npos);
}

}  // namespace
}  // namespace tenure::format
