// A store whose schema and statements are the user's own, as a store machine: what a design's t.sql reaches.
//
// It is executed by SQLite in memory, at the simulated store's time (README.md). Statements are admitted when they
// first come, and kept. One that is refused is answered with an empty SQLSTATE: that is an error in the design, and not
// an answer that a program would get.
//
// Thread rule: as StoreMachine; kinds are made by any thread, and live as long as the program.
#pragma once

#include <string>

#include "core/store/store_kind.h"

namespace tenure::sql {

// The kind of store that has this schema; the same one for the same text. Null: it is refused, and `problem` says why.
const StoreKind* store_kind(const std::string& schema, std::string& problem);

// As store_kind(). But a schema that is refused here alone has a kind that makes no store: another engine can run it.
const StoreKind* kind_for_any_engine(const std::string& schema, std::string& problem);
// Why such a kind makes no store.
std::string refusal_of(const StoreKind& kind);

}  // namespace tenure::sql
