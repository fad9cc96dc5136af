// The documents of `tenure hunt --format json` and jsonl, and of `tenure replay`.
#include "lab/session/document_spec.h"

namespace tenure::lab {
namespace hunt_document {

constexpr FieldSpec kKind = {"kind", "text", "in jsonl alone: `hunt`, `finding`, `regression` or `end`",
                             true};
constexpr FieldSpec kSeed = {"seed", "integer", "of the case"};
constexpr FieldSpec kChecker = {"checker", "text", "that failed"};
constexpr FieldSpec kAt = {"at_seconds", "seconds", "when, since the start of the run"};
constexpr FieldSpec kMessage = {"message", "text", "who and when"};

constexpr FieldSpec kHunt[] = {
    kKind,
    {"format", "integer", "1"},
    {"hunt", "text", "the scenario's name"},
    {"path", "text", "its file"},
    {"verdict", "text", "`pass`, `fail` or `inconclusive`"},
    {"first_seed", "integer", "of the cases"},
    {"planned", "integer or null", "how many cases; null: as many as there is time for"},
    {"cases", "integer", "how many were run"},
    {"inside_claims", "integer", "those in which nothing is broken that the design assumes"},
    {"mutated", "integer", "those made from earlier ones"},
    {"events", "integer", "of all simulations"},
    {"features", "integer", "of behaviour that were seen"},
    {"last_new_seed", "integer", "the last case that showed a new one"},
    {"sometimes", "map of integer", "how often each event happened; zeros included"},
    {"faults", "map of integer", "how often each fault struck; zeros included"},
    {"examined", "map of integer", "what each checker had to examine"},
    {"reported", "map of integer", "cases with violations that were not demanded to be absent, by checker"},
    {"not_demanded", "text", "what the file lists without effect, and why", true},
    {"demanded_and_never_seen", "list of text", "demands that were never tested"},
    {"regressions", "list of regression", "saved failures that were replayed first"},
    {"regressions_of_others", "integer", "in the folder, of other scenarios"},
    {"failing_cases", "integer", "how many failed"},
    {"findings", "list of finding", "one of each way to fail"},
    {"compared", "integer", "cases that were run twice"},
    {"difference", "text", "between two runs of one case, if there was one", true},
    {"difference_seed", "integer", "of that case", true},
    {"stopped", "text", "why it ended before all planned cases", true},
};
constexpr FieldSpec kFinding[] = {
    kKind,
    {"scenario", "text", "in jsonl alone: its name", true},
    kSeed,
    {"cases", "integer", "how many failed in the same way"},
    kChecker,
    kAt,
    kMessage,
    {"file", "text", "where it is kept"},
    {"faults", "integer", "how many are left in it"},
    {"faults_before", "integer", "how many there were"},
    {"shrunk", "boolean", "it was made smaller, or tried to be"},
    {"shrink_finished", "boolean", "all was tried"},
    {"written", "boolean", "the file could be written"},
    {"reproducible", "boolean", "the file gives the run that failed"},
    {"reproduce", "text", "in jsonl alone: the command line", true},
};
constexpr FieldSpec kReplay[] = {
    kKind,
    {"file", "text", "the saved failure"},
    {"state", "text", "`passed`, `still-fails`, `stale`, `moved` or `neighbour-fails`"},
    kSeed,
    {"checker", "text", "that failed, if one did", true},
    {"at_seconds", "seconds", "when", true},
    {"message", "text", "who and when", true},
    {"missing", "text", "what it was kept for and does not reach", true},
    {"design_changed", "boolean", "the design's file is another one; of a design in a file", true},
};
constexpr FieldSpec kEnd[] = {
    {"kind", "text", "`end`: the last line of jsonl"},
    {"format", "integer", "1"},
    {"tenure", "text", "the version"},
    {"unit", "text", "`scenario`, of a hunt; `regression`, of a replay"},
    {"planned", "integer", "how many there were to do"},
    {"done", "integer", "how many were done"},
    {"interrupted", "boolean", "it was stopped before all were done"},
    {"exit_code", "integer", "as the program ends"},
};
constexpr ObjectSpec kTops[] = {
    {"hunt", "what a hunt of one scenario found", kHunt},
    {"finding", "in jsonl: a failure, as soon as it is kept", kFinding},
    {"regression", "`tenure replay`, and in jsonl: what became of a saved failure", kReplay},
    {"end", "in jsonl alone: the last line", kEnd}};

}  // namespace hunt_document

const DocumentSpec& hunt_spec() {
  static constexpr DocumentSpec kSpec{
      "hunt", "what `tenure hunt` and `tenure replay` print as JSON", hunt_document::kTops, {}};
  return kSpec;
}

}  // namespace tenure::lab
