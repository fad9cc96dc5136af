// The document of `tenure tune --format json`.
#include "lab/session/document_spec.h"

namespace tenure::lab {
namespace tune_document {

constexpr FieldSpec kTune[] = {
    {"format", "integer", "1"},
    {"scenario", "text", "its name"},
    {"protocol", "text", "that is tuned"},
    {"seeds", "integer", "runs of each setting"},
    {"skipped", "list of skipped", "combinations that are no settings, by reason"},
    {"not_counted", "list of text",
     "objectives in which the safe settings differ by less than 5 %, or than noise"},
    {"objectives", "list of text", "as the file says"},
    {"constraints", "list of text", "likewise"},
    {"file", "setting", "the file's own setting"},
    {"settings", "list of setting", "the others"},
    {"nearest", "setting or null", "if none is worth having: the nearest to what is demanded"},
    {"unsafe_in_theory_but_unbeaten", "list of setting", "those that would be best if theory were wrong"},
    {"frontier", "frontier or null", "of [tune.frontier]"},
    {"profile", "list of month", "of [profile]: the settings worth having, and the file's own"},
};
constexpr ObjectSpec kTops[] = {{"tune", "what a tuning found", kTune}};

constexpr FieldSpec kSkipped[] = {{"why", "text", "the reason"},
                                  {"note", "text", "what to do about it; may be empty"},
                                  {"count", "integer", "how many combinations"}};
constexpr FieldSpec kSetting[] = {
    {"state", "text",
     "`best`: worth having; `dominated` by one of those; `unsafe in theory`; `unsafe`: a checker failed; "
     "`out of "
     "bounds`; `unmeasured`: too few samples; `dropped` by the search"},
    {"knee", "boolean", "of those worth having, the one with the best balance"},
    {"file", "boolean", "it is the file's own"},
    {"values", "map of text", "of the tuned parameters"},
    {"unsafe_in_theory", "list of unsafe", "what theory has against it"},
    {"objectives", "map of estimate", "what was measured"},
    {"why", "text", "what is wrong with it; empty: nothing"},
    {"reproduce", "text", "of one that broke: the command of the first run that did", true},
    {"command", "text", "of any other: the command that runs it", true},
};
constexpr FieldSpec kUnsafe[] = {{"name", "text", "as `accept` takes it"},
                                 {"text", "text", "the inequality that fails"}};
constexpr FieldSpec kEstimate[] = {
    {"samples", "integer", "how many"},
    {"enough", "boolean", "there were enough samples"},
    {"value", "number or null", "null: there are no samples"},
    {"low", "number or null", "the lower end of 95 %; null: there is no interval"},
    {"high", "number or null", "the upper end"},
    {"open", "boolean", "the interval has no upper end"},
};
constexpr FieldSpec kFrontier[] = {
    {"parameter", "text", "along which it goes; empty: the file's own setting alone"},
    {"against", "text", "the key that is made worse until something breaks"},
    {"seeds", "integer", "of each"},
    {"cells", "list of cell", "what was found"},
};
constexpr FieldSpec kCell[] = {
    {"checker", "text", "that is to fail"},
    {"value", "text or null", "of the parameter"},
    {"safe", "text or null", "up to here nothing failed"},
    {"unsafe", "text or null", "from here it fails"},
    {"unexamined_from", "text or null", "from here there was nothing to look at"},
    {"seed", "integer", "of the run that failed; 0: none did"},
    {"theory", "text", "the bound in words; empty: there is none"},
    {"bound", "text or null", "its value"},
    {"difference", "text", "how what was found differs from it, and why; empty: it does not"},
    {"counterexample", "text", "the file of the run that failed; empty: none did"},
};
constexpr FieldSpec kMonth[] = {
    {"values", "list of text", "of the setting"},
    {"a_month", "list of cost", "by cause"},
    {"in_all", "total", "together"},
    {"not_measured", "list of text", "causes, and why"},
};
constexpr FieldSpec kCost[] = {
    {"cause", "text", "what happens in the month"},
    {"leaderless_seconds", "seconds", "without a leader"},
    {"leaderless_seconds_low", "seconds", "the lower end of 95 %"},
    {"leaderless_seconds_high", "seconds or null", "the upper end; null: there is none"},
    {"false_failovers", "number", "leaderships lost for nothing"},
    {"false_failovers_low", "number", "the lower end of 95 %"},
    {"false_failovers_high", "number or null", "the upper end; null: there is none"},
};
constexpr FieldSpec kTotal[] = {kCost[1], kCost[2], kCost[3], kCost[4], kCost[5], kCost[6]};
constexpr ObjectSpec kParts[] = {{"setting", "values of the parameters, and what they cost", kSetting},
                                 {"skipped", "combinations that are no settings, for one reason", kSkipped},
                                 {"unsafe", "an inequality that fails", kUnsafe},
                                 {"estimate", "a measurement with its interval of 95 %", kEstimate},
                                 {"frontier", "where safety ends", kFrontier},
                                 {"cell", "one point of it", kCell},
                                 {"month", "what a setting costs in a month", kMonth},
                                 {"cost", "by one cause", kCost},
                                 {"total", "by all causes", kTotal}};

}  // namespace tune_document

const DocumentSpec& tune_spec() {
  static constexpr DocumentSpec kSpec{"tune", "what `tenure tune --format json` prints", tune_document::kTops,
                                      tune_document::kParts};
  return kSpec;
}

}  // namespace tenure::lab
