// Advice about one file, for people: the answer on one screen, and below it, on request, what it rests on.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "cli/reports/tune_report.h"
#include "lab/session/advice.h"

namespace tenure::cli {

// `report` is of the tuning of `findings`.
std::string advice_text(const TuneReport& report, const lab::AdviceFindings& findings, bool paint,
                        bool details);

}  // namespace tenure::cli
