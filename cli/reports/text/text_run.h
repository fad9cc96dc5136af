// The result of one run, and of a batch, as text for people.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "lab/session/batch.h"
#include "sim/runner/recording.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

std::string text_of_run(const sim::RunResult& result, const sim::Scenario& scenario, bool paint);

// "PASS, but two led for 13.557s": of a run in which nothing that is demanded is amiss, and something else is that
// nothing in [expect] is about. Empty when there is nothing of the kind.
std::string pass_but(const std::vector<sim::CheckResult>& checks);
// Why the run is not a pass, in a few words.
std::string headline(const sim::RunResult& result, const sim::Expectation& expect);
// "PASS", "FAIL" or "INCONCLUSIVE", in its colour.
std::string verdict_word(sim::Verdict verdict, bool paint);
// Who led when, as a strip for each node; and what was measured.
std::string text_of_measures(const sim::RunResult& result);
// What happened, line by line.
std::string text_of_story(const sim::Story& story);
// What happened in a run, a line an event; not `all`: thinned to what matters.
std::string text_of_events(const sim::Recording& recording, bool all);
// The rows of checks, one for each kind and outcome: "  always      ok  no-lost-fire (66)  …".
std::string text_of_checks(const std::vector<sim::CheckResult>& checks, const sim::Expectation& expect,
                           bool paint);

// The cells of a row about a metric: its name, n, min, mean, p50, p90, p99, max, the seed of the worst.
std::vector<std::string> cells_of(const lab::Batch::Pool& pool);
std::string text_of_batch(const lab::Batch& batch, const std::string& reproduce_prefix, bool paint);

}  // namespace tenure::cli
