// Names of tenure::format that programs of users may know as tenure::sim's, where they were once.
//
// Thread rule: only names.
#pragma once

#include "format/parse/parse.h"
#include "format/plans/plans.h"
#include "format/plans/tune_setting.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/document.h"

namespace tenure::sim {

using format::Diagnostic;
using format::Override;
using format::parse_scenario;
using format::ParseResult;
using format::ScenarioFile;
using format::TuneMeasure;

}  // namespace tenure::sim
