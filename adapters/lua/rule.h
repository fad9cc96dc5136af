// When a schedule is due, as text that a design keeps in its rows: s.rule, which t.slot_after takes.
//
//   cron 30 2 * * *; Europe/Berlin; gap_end; first
//   every 30s; from 1767225600000000
//   at 1767225600000000 1767225660000000
//
// with `; not before …` and `; until …` where the schedule has bounds. Instants are microseconds since 1970. What
// stands behind the first semicolon may be left out: then it is UTC, the usual answers to clock changes, and 1970.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/model/duration_text.h"
#include "core/schedule/definition.h"

namespace tenure::lua {

std::string print_rule(const Definition& definition);
// The slots of what it returns are those of the definition that was printed; the rest of that is not in the text.
Parsed<Definition> read_rule(std::string_view text, const TimeZones& zones);

}  // namespace tenure::lua
