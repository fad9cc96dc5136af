#include "lab/calibrate/calibrate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "lab/calibrate/amount.h"
#include "lab/calibrate/gc_log.h"
#include "lab/calibrate/reduce.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kMedian = sim::Quantiles::kOne / 2;

Duration ns(std::int64_t value) { return Duration::nanos(value); }
Duration ms(std::int64_t value) { return Duration::millis(value); }

// The note and the ends and middle of the table, or what is wrong.
std::string read(const std::string& bytes, const sim::DataSource& source = {.file = "f"}) {
  const auto result = calibrate("f", bytes, source);
  if (const auto* problem = std::get_if<sim::DataProblem>(&result))
    return problem->hint.empty() ? problem->message : problem->message + " (" + problem->hint + ")";
  const auto& measured = std::get<sim::Measured>(result);
  const sim::Quantiles& q = measured.quantiles;
  return fmt::format("{} | {} {} {}", measured.note, print_duration(q.min()), print_duration(q.at(kMedian)),
                     print_duration(q.max()));
}

// ---- amounts ---------------------------------------------------------------------------------------------

TEST(Amount, is_exact_and_rounds_only_below_a_nanosecond) {
  const auto seconds = [](std::string_view text) { return parse_amount(text, 1'000'000'000).length; };
  EXPECT_EQ(seconds("0.1"), ms(100));
  EXPECT_EQ(seconds("123.456789012"), ns(123'456'789'012));
  EXPECT_EQ(seconds("1.5e-05"), ns(15'000));
  EXPECT_EQ(seconds("2E3"), Duration::seconds(2'000));
  EXPECT_EQ(seconds("0.0000000004999"), ns(0));
  EXPECT_EQ(seconds("0.0000000005"), ns(1));
  EXPECT_EQ(seconds("0.00000000149999999999999999999999999999"), ns(1));
  EXPECT_EQ(seconds("0.000000001999999999999999999999999999999999999999"), ns(2));
  EXPECT_EQ(seconds("00000000000000000000000000000000000000000001.5"), ms(1'500));
  EXPECT_EQ(seconds("1e-400"), ns(0));
  EXPECT_EQ(seconds("0e99999999999999999999"), ns(0));
  EXPECT_EQ(seconds(".5"), ms(500));
}

TEST(Amount, has_a_unit_of_its_own_or_the_one_that_is_given) {
  EXPECT_EQ(parse_amount("3.456ms", std::nullopt).length, ns(3'456'000));
  EXPECT_EQ(parse_amount(" 250 us ", 1).length, ns(250'000));
  EXPECT_EQ(parse_amount("0.5 seconds", std::nullopt).length, ms(500));
  EXPECT_TRUE(parse_amount("5", std::nullopt).without_unit);
  EXPECT_FALSE(parse_amount("5", 1).without_unit);
}

TEST(Amount, says_what_is_wrong_with_a_text) {
  const auto wrong = [](std::string_view text) { return parse_amount(text, 1'000'000'000).problem; };
  EXPECT_EQ(wrong("abc"), "`abc` is not a number");
  EXPECT_EQ(wrong(""), "`` is not a number");
  EXPECT_EQ(wrong("-1"), "`-1` is negative");
  EXPECT_EQ(wrong("-0.0"), "");
  EXPECT_EQ(wrong("1e9"), "`1e9` is longer than a year");
  EXPECT_EQ(wrong("1e400"), "`1e400` is longer than a year");
  EXPECT_EQ(wrong("99999999999999999999999999999999999999999999"),
            "`9999999999999999999999999999999999999999…` is longer than a year");
  EXPECT_EQ(wrong("5 parsecs"), "`5 parsecs` is not a number, nor one with a unit");
  EXPECT_EQ(wrong("1.2.3"), "`1.2.3` is not a number, nor one with a unit");
  EXPECT_EQ(wrong("nan"), "`nan` is not a number");
  EXPECT_EQ(wrong("0x10"), "`0x10` is not a number, nor one with a unit");
}

TEST(Amount, headers_say_units) {
  EXPECT_EQ(unit_in_header("latency_ms"), 1'000'000);
  EXPECT_EQ(unit_in_header("latency (us)"), 1'000);
  EXPECT_EQ(unit_in_header("duration.seconds"), 1'000'000'000);
  EXPECT_EQ(unit_in_header("latencyMs"), 1'000'000);
  EXPECT_EQ(unit_in_header("ms"), 1'000'000);
  EXPECT_EQ(unit_in_header("forms"), std::nullopt);
  EXPECT_EQ(unit_in_header("latency"), std::nullopt);
}

// ---- tables ----------------------------------------------------------------------------------------------

TEST(Reduce, takes_quantiles_by_nearest_rank) {
  std::vector<Duration> samples;
  for (int i = 1'000; i >= 1; --i) samples.push_back(ms(i));
  const sim::Quantiles q = reduce_samples(samples);
  EXPECT_EQ(q.min(), ms(1));
  EXPECT_EQ(q.at(10'000), ms(10));
  EXPECT_EQ(q.at(kMedian), ms(500));
  EXPECT_EQ(q.at(990'000), ms(990));
  EXPECT_EQ(q.at(999'000), ms(999));
  EXPECT_EQ(q.max(), ms(1'000));
}

TEST(Reduce, of_few_samples_is_made_of_them) {
  EXPECT_EQ(reduce_samples({ms(7)}), sim::Quantiles::constant(ms(7)));
  const sim::Quantiles q = reduce_samples({ms(3), ms(1)});
  EXPECT_EQ(q.at(kMedian), ms(1));
  EXPECT_EQ(q.at(750'000), ms(3));
}

TEST(Reduce, of_a_histogram_is_linear_within_a_bucket) {
  const sim::Quantiles q = reduce_buckets({{ms(10), 500}, {ms(20), 0}, {ms(40), 400}, {ms(100), 100}});
  EXPECT_EQ(q.min(), ns(1)) << "it took some time";
  EXPECT_EQ(q.at(250'000), ms(5));
  EXPECT_EQ(q.at(kMedian), ms(10));
  EXPECT_EQ(q.at(900'000), ms(40));
  EXPECT_EQ(q.at(950'000), ms(70));
  EXPECT_EQ(q.max(), ms(100));
  EXPECT_EQ(reduce_buckets({{ms(10), 0}, {ms(20), 4}, {ms(30), 0}}).min(), ms(10))
      << "an empty bucket has no smallest";
  EXPECT_EQ(reduce_buckets({{ms(10), 0}, {ms(20), 4}, {ms(30), 0}}).max(), ms(20));
}

// ---- numbers and CSV -------------------------------------------------------------------------------------

TEST(Numbers, are_one_a_line_with_a_unit_of_their_own_the_headers_or_the_keys) {
  EXPECT_EQ(read("1ms\n3ms\n2ms\n"), "f: numbers, 3 samples | 1ms 2ms 3ms");
  EXPECT_EQ(read("latency_ms\n1\n3\n2"), "f: numbers, 3 samples | 1ms 2ms 3ms");
  EXPECT_EQ(read("# pauses\n\n1\n1\r\n", {.unit = "s"}),
            "f: numbers, 2 samples; 1 blank line skipped; 1 comment skipped | 1s 1s 1s");
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "5us\n"),
            "f: numbers, 1 sample | 5us 5us 5us");
}

TEST(Numbers, that_are_wrong_are_shown_where_they_stand) {
  EXPECT_EQ(read("1ms\n2ms\nabc\n"), "f:3: `abc` is not a number");
  EXPECT_EQ(read("header_ms\n2\nheader_ms\n"), "f:3: `header_ms` is not a number");
  EXPECT_EQ(read("1ms\n\n-2ms\n"), "f:3: `-2ms` is negative");
  EXPECT_EQ(read("1e300\n", {.unit = "s"}), "f:1: `1e300` is longer than a year");
  EXPECT_EQ(read("5\n"), "f does not say of which unit its numbers are (say `unit = \"ms\"`, or another)");
  EXPECT_EQ(read(""), "f: the file is empty");
  EXPECT_EQ(read("latency_ms\n"), "f: there is no number in it");
  EXPECT_EQ(read("# nothing\n"), "f: there is no number in it");
  EXPECT_EQ(read(std::string("1ms\n\0\x1b[31m\n", 10)), "f:2: `??[31m` is not a number");
}

TEST(Csv, takes_the_column_that_is_named) {
  const std::string csv = "at,\"round trip, ms\",commit_us\n0,1.5,10\n1,,20\n2,2.5,30\n";
  EXPECT_EQ(read(csv, {.column = "round trip, ms"}),
            "f: csv, column `round trip, ms`, 2 samples; 1 empty cell skipped | 1.5ms 1.5ms 2.5ms");
  EXPECT_EQ(read(csv, {.column = "commit_us"}), "f: csv, column `commit_us`, 3 samples | 10us 20us 30us");
  EXPECT_EQ(read("a;b_ms\n1;\"2\"\n", {.column = "b_ms"}), "f: csv, column `b_ms`, 1 sample | 2ms 2ms 2ms");
  EXPECT_EQ(read("b_ms\n2\n", {.column = "b_ms"}), "f: csv, column `b_ms`, 1 sample | 2ms 2ms 2ms");
}

TEST(Csv, says_which_columns_there_are) {
  EXPECT_EQ(read("at,latency_ms\n0,1\n", {.column = "latency_msec"}),
            "f has no column `latency_msec` (did you mean `latency_ms`?)");
  EXPECT_EQ(read("at,latency_ms\n0,1\n"), "f has 2 columns (say which: column = \"latency_ms\")");
  EXPECT_EQ(read("x,x\n0,1\n", {.column = "x"}), "f has more than one column `x`");
  EXPECT_EQ(read("a,b_ms\n1\n", {.column = "b_ms"}), "f:2: a line of 1 cell, and the header has 2");
  EXPECT_EQ(read("ts,b_ms\n0,1\n\n1,2,5\n", {.column = "b_ms"}),
            "f:4: a line of 3 cells, and the header has 2")
      << "a decimal comma is not two milliseconds";
  EXPECT_EQ(read("\ta\tb_ms\t\n0\t1\t2\t\n", {.column = "b_ms"}),
            "f: csv, column `b_ms`, 1 sample | 2ms 2ms 2ms")
      << "columns without a name";
  EXPECT_EQ(read("a,b_ms\n1,x\n", {.column = "b_ms"}), "f:2: `x` is not a number");
  EXPECT_EQ(read("a,b_ms\n1,-1\n", {.column = "b_ms"}), "f:2: `-1` is negative");
  EXPECT_EQ(read("a,b_ms\n1,\n", {.column = "b_ms"}), "f: there is no number in the column");
}

// ---- GC logs ---------------------------------------------------------------------------------------------

constexpr std::string_view kG1 =
    "[0.010s][info][gc] Using G1\n"
    "[1.000s][info][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n"
    "[1.500s][info][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.456ms\n"
    "[1.500s][info][gc,cpu      ] GC(0) User=0.01s Sys=0.00s Real=0.00s\n"
    "[2.000s][info][gc          ] GC(1) Concurrent Mark Cycle 12.345ms\n"
    "[3.500s][info][gc          ] GC(2) Pause Full (G1 Compaction Pause) 200M->20M(256M) 845.100ms\n";

TEST(GcLog, takes_the_pauses_and_counts_what_it_leaves) {
  EXPECT_EQ(read(std::string(kG1)), "f: gc, 2 pauses; 4 other lines skipped | 3.456ms 3.456ms 845.1ms");
}

TEST(GcLog, takes_the_gaps_from_one_pauses_end_to_the_next_ones_begin) {
  EXPECT_EQ(read(std::string(kG1), {.take = "gaps"}),
            "f: gc, 1 gap between pauses; 4 other lines skipped | 1.1549s 1.1549s 1.1549s");
}

TEST(GcLog, reads_any_decorations) {
  for (const char* line :
       {"[2026-01-01T10:00:00.123+0000][12.345s][info][gc] GC(7) Pause Young (Normal) 24M->4M(256M) 3.456ms",
        "[2026-01-01T10:00:00.123+01:00] GC(7) Pause Remark 24M->4M(256M) 3.456ms",
        "[12345ms][gc] GC(7) Pause Cleanup 1M->1M(2M) 3.456ms",
        "[info][gc,phases] GC(7) Y: Pause Mark Start 3.456ms",
        "GC(7) Pause Init Mark (unload classes) 3.456ms",
        "[12.3s][info][safepoint] Safepoint \"ICBufferFull\", Time since last: 9 ns, Reaching safepoint: 1 "
        "ns, "
        "At safepoint: 2 ns, Total: 3456000 ns",
        "[12.3s] Total time for which application threads were stopped: 0.0034560 seconds, Stopping threads "
        "took: "
        "0.0000123 seconds"}) {
    const GcLine read = read_gc_line(line);
    EXPECT_NE(read.kind, GcLine::Kind::other) << line;
    EXPECT_EQ(read.length, ns(3'456'000)) << line << read.problem;
  }
  EXPECT_EQ(read_gc_line("[2026-01-01T00:00:01.5+0000] x").stamp_ns, 1'767'225'601'500'000'000);
  EXPECT_EQ(read_gc_line("[1234][12.5s] x").stamp_ns, 12'500'000'000) << "a process id is no time";
  EXPECT_EQ(read_gc_line("[info][gc] x").stamp_ns, std::nullopt);
}

TEST(GcLog, reads_decimal_commas) {
  EXPECT_EQ(read("[0,400s][info][gc,phases] GC(0) Pause Mark Start 0,241ms\n"),
            "f: gc, 1 pause | 241us 241us 241us");
  EXPECT_EQ(
      read(
          "[1,5s][safepoint] Total time for which application threads were stopped: 0,0035 seconds, Stopping "
          "threads took: 0,0001 seconds\n"),
      "f: gc, 1 safepoint | 3.5ms 3.5ms 3.5ms");
}

TEST(GcLog, of_jdk_8_has_the_times_at_which_pauses_begin) {
  const std::string log =
      "2026-10-25T22:49:14.690+0000: 10.000: [GC (Allocation Failure) 33G->12G(40G), 0.5000000 secs] [Times: "
      "user=0.38 sys=0.00, real=0.08 secs]\n"
      "12.000: [CMS-concurrent-mark: 1.933/1.933 secs] [Times: user=24.88 sys=0.19, real=1.93 secs]\n"
      "12.500: [GC concurrent-mark-end, 0.9 secs]\n"
      "2026-10-25T22:49:17.190+0000: 12.500: [Full GC (Ergonomics)  31G->12G(32G), 2.0000000 secs]\n";
  EXPECT_EQ(read(log), "f: gc, 2 pauses; 2 other lines skipped | 500ms 500ms 2s");
  EXPECT_EQ(read(log, {.take = "gaps"}), "f: gc, 1 gap between pauses; 2 other lines skipped | 2s 2s 2s");
  EXPECT_EQ(read("16443.462: [GC pause (G1 Evacuation Pause) (young), 0.0121468 secs]\n"),
            "f: gc, 1 pause | 12.1468ms 12.1468ms 12.1468ms");
}

// The program is stopped before it marks and after: 0.5 ms at 0.4 s, and 2 ms from 0.4105 s on.
TEST(GcLog, of_go_has_two_pauses_a_collection) {
  const std::string trace =
      "I1201 10:00:00.000000 1 leaderelection.go:250] attempting to acquire leader lease\n"
      "gc 1 @0.400s 1%: 0.50+10+2.0 ms clock, 0.14+0.35/2.1/1.4+0.024 ms cpu, 4->4->0 MB, 5 MB goal, 8 P\n"
      "2026-12-01T10:00:01Z gc 2 @1.412s 0%: 0.018+1.2+0.003 ms clock, 0.1+0.3/2.1/1.4+0.02 ms cpu, 4->4->0 "
      "MB, 4 "
      "MB goal, 0 MB stacks, 0 MB globals, 8 P (forced)\n";
  EXPECT_EQ(read(trace), "f: gc, 4 pauses; 1 other line skipped | 3us 18us 2ms");
  EXPECT_EQ(read(trace, {.take = "gaps"}),
            "f: gc, 3 gaps between pauses; 1 other line skipped | 1.2ms 10ms 999.5ms");
  EXPECT_EQ(read("gc 1 @0.400s 1%: x+10+2.0 ms clock, 0 ms cpu\n"), "f:1: `xms` is not a number");
}

TEST(GcLog, is_known_by_a_line_without_tags) {
  EXPECT_EQ(read("[2026-06-24T14:36:09.692+0700][37.271s] Safepoint \"Cleanup\", Time since last: 9 ns, "
                 "Total: 1777753 "
                 "ns\n"),
            "f: gc, 1 safepoint | 1.777753ms 1.777753ms 1.777753ms");
}

TEST(GcLog, safepoints_contain_the_pauses) {
  EXPECT_EQ(
      read(std::string(kG1) +
           "[1.501s][info][safepoint] Safepoint \"G1\", At safepoint: 1 ns, Total: 4000000 ns\n"),
      "f: gc, 1 safepoint; 2 pauses that safepoints contain skipped; 4 other lines skipped | 4ms 4ms 4ms");
}

TEST(GcLog, of_two_processes_has_no_gap_between_them) {
  const auto line = [](const char* at) {
    return fmt::format("[{}][gc] GC(1) Pause Full (x) 1M->1M(1M) 1.000ms\n", at);
  };
  EXPECT_EQ(read(line("9s") + line("10s") + line("1s") + line("3s"), {.take = "gaps"}),
            "f: gc, 2 gaps between pauses; 1 restart skipped | 999ms 999ms 1.999s");
  EXPECT_EQ(read(line("9s") + line("9.0005s"), {.take = "gaps"}),
            "f: gc, 1 gap between pauses | 1ms 1ms 1ms");
}

TEST(GcLog, without_what_is_wanted_says_so) {
  EXPECT_EQ(read("[0.010s][info][gc] Using G1\n"), "f: there is no pause in it");
  EXPECT_EQ(read("[info][gc] GC(1) Pause Full (x) 1M->1M(1M) 1.000ms\n", {.take = "gaps"}),
            "f: its lines do not say when they were written (-Xlog:gc:file=gc.log:uptime,level,tags)");
  EXPECT_EQ(read("[1s][gc] GC(1) Pause Full (x) 1M->1M(1M) 1.000ms\n", {.take = "gaps"}),
            "f: a gap takes two pauses");
  EXPECT_EQ(read("[1s][gc] GC(1) Pause Full (x) xms\n"), "f:1: `xms` is not a number");
}

// ---- Prometheus ------------------------------------------------------------------------------------------

std::string vector_of(std::initializer_list<std::pair<const char*, const char*>> buckets) {
  std::string text;
  for (const auto& [le, count] : buckets)
    text += fmt::format("{}{{\"metric\":{{\"le\":\"{}\"}},\"value\":[1767225600.123,\"{}\"]}}",
                        text.empty() ? "" : ",", le, count);
  return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" + text + "]}}";
}

TEST(Prometheus, reads_the_buckets_of_a_query_in_any_order) {
  EXPECT_EQ(read(vector_of({{"0.1", "1000"}, {"+Inf", "1000"}, {"0.01", "500"}})),
            "f: prometheus, 1,000 observations in 3 buckets | 1ns 10ms 100ms");
  EXPECT_EQ(read(vector_of({{"0.01", "0.25"}, {"0.1", "0.5"}})),
            "f: prometheus, 0.5 observations in 2 buckets | 1ns 10ms 100ms")
      << "a rate";
  EXPECT_EQ(read(vector_of({{"10", "4"}}), {.unit = "ms"}),
            "f: prometheus, 4 observations in 1 bucket | 1ns 5ms 10ms");
}

TEST(Prometheus, says_how_many_are_above_the_last_bucket) {
  EXPECT_EQ(read(vector_of({{"0.01", "500"}, {"0.1", "990"}, {"+Inf", "1000"}})),
            "f: prometheus, 1,000 observations in 3 buckets, of which 10 above the last and counted as 100ms "
            "| 1ns 10ms 100ms");
}

TEST(Prometheus, adds_up_series_of_one_metric) {
  const std::string text =
      "# HELP x y\n# TYPE x histogram\n"
      "x_seconds_bucket{job=\"a\",le=\"0.01\"} 1\nx_seconds_bucket{job=\"a\",le=\"+Inf\"} 1\n"
      "x_seconds_bucket{job=\"b\",le=\"0.01\"} 3 1767225600000\nx_seconds_bucket{job=\"b\",le=\"+Inf\"} 3\n"
      "x_seconds_sum 1\nx_seconds_count 4\n";
  EXPECT_EQ(read(text), "f: prometheus, 4 observations in 2 buckets; 4 other lines skipped | 1ns 5ms 10ms");
  const std::string two = text + "y_bucket{le=\"1\",sale=\"no\"} 2\n";
  EXPECT_EQ(read(two), "f: there are 2 histograms in it (say which: column = \"x_seconds_bucket\")");
  EXPECT_EQ(read(two, {.column = "y"}),
            "f: prometheus, 2 observations in 1 bucket; 4 other lines skipped | 1ns 500ms 1s");
  EXPECT_EQ(read(two, {.column = "z"}), "f has no histogram `z` (one of x_seconds_bucket, y_bucket)");
}

TEST(Prometheus, takes_no_exemplar_for_a_count) {
  EXPECT_EQ(
      read(
          "x_bucket{le=\"0.1\",q=\"}\"} 8 # {t=\"a\"} 0.067\nx_bucket{le=\"+Inf\"} 8 # {t=\"b\"} 0.09 1.5\n"),
      "f: prometheus, 8 observations in 2 buckets | 1ns 50ms 100ms");
}

TEST(Prometheus, says_what_it_leaves_of_a_range) {
  EXPECT_EQ(
      read(R"({"status":"success","data":{"result":[{"metric":{"le":"0.1"},"values":[[1,"8"],[2,"9"]]},)"
           R"({"metric":{"le":"+Inf"},"values":[[1,"8"],[2,"9"]]}]}})"),
      "f: prometheus, 9 observations in 2 buckets; 2 earlier points of the range skipped | 1ns 50ms 100ms");
}

TEST(Prometheus, that_makes_no_sense_is_an_error) {
  EXPECT_EQ(read("{\"status\":"), "f: not JSON");
  EXPECT_EQ(read("{}"), "f: not an answer of Prometheus' API: there is no `data.result`");
  EXPECT_EQ(read("{\"status\":\"error\",\"error\":\"bad query\"}"), "f: the query failed: bad query");
  EXPECT_EQ(read("{\"data\":{\"result\":[]}}"), "f: there is no histogram in it");
  EXPECT_EQ(read("{\"data\":{\"result\":[{\"metric\":{},\"value\":[1,\"2\"]}]}}"),
            "f: series 1 has no label `le` (keep it in the query: sum by (le) (rate(x_bucket[1h])))");
  EXPECT_EQ(read("{\"data\":{\"result\":[{\"metric\":{\"le\":\"1\"}}]}}"), "f: series 1 has no value");
  EXPECT_EQ(read(vector_of({{"1", "NaN"}})), "f: series 1: `NaN` is not a count");
  EXPECT_EQ(read(vector_of({{"1", "9e300"}})), "f: series 1: `9e300` is not a count");
  EXPECT_EQ(read(vector_of({{"x", "1"}})), "f: series 1: `le`: `x` is not a number");
  EXPECT_EQ(read(vector_of({{"-1", "1"}})), "f: series 1: `le`: `-1` is negative");
  EXPECT_EQ(read(vector_of({{"+Inf", "1"}})), "f: there is no bucket but +Inf");
  EXPECT_EQ(read(vector_of({{"1", "0"}})), "f: the histogram is empty");
  EXPECT_EQ(read(vector_of({{"1", "5"}, {"2", "4"}})),
            "f: the counts go down as `le` goes up: is it a histogram, and are all series of one shape?");
}

// ---- all of them -----------------------------------------------------------------------------------------

TEST(Calibrate, a_key_that_the_format_has_no_use_for_is_an_error) {
  const std::string told = " (it was told from the content; `format` says otherwise)";
  EXPECT_EQ(read(std::string(kG1), {.column = "x"}),
            "`column` means nothing to a file of format `gc`" + told);
  EXPECT_EQ(read(std::string(kG1), {.unit = "ms"}), "`unit` means nothing to a file of format `gc`" + told);
  EXPECT_EQ(read("1ms\n", {.format = "numbers", .take = "gaps"}),
            "`take` means nothing to a file of format `numbers`");
}

TEST(Calibrate, a_file_too_large_is_an_error) {
  EXPECT_EQ(read(std::string(kMaxDataBytes + 1, '\n')),
            "f is larger than 64 MiB (take a part of it: `tail -c 60M`)");
}

TEST(Calibrate, what_it_makes_of_rubbish_is_a_message) {
  std::uint64_t state = 1;
  for (int i = 0; i < 2'000; ++i) {
    std::string bytes;
    const std::string_view pieces[] = {
        "[", "]", "{", "}",  "\"", "le=",  "_bucket{",   "GC(1) Pause ", "ms",  "1", "-",    ".",
        "e", "9", ",", "\n", "\0", "\xff", "Safepoint ", ", Total: ",    " ns", "T", "+0000"};
    for (int j = 0; j < 30; ++j) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      bytes += pieces[(state >> 33U) % std::size(pieces)];
    }
    for (const char* format : {"", "numbers", "csv", "gc", "prometheus"})
      EXPECT_FALSE(read(bytes, {.file = "f", .unit = "", .format = format}).empty());
  }
}

}  // namespace
}  // namespace tenure::lab
