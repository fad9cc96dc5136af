// A design that is written in Lua: an election, a scheduler, or both in one program (docs/designs.md).
//
// The file returns a table: name, summary, role, parameters, schema or stores, claims, and node(t), which is the
// process. Here it is read, judged and kept, as the kind of a protocol or a scheduler like those of the registries.
//
// Source of the model: Lua 5.4 (Ierusalimschy, de Figueiredo, Celes), whose coroutines are the waits of a program.
//
// Thread rule: immutable once it is read; use one from as many threads as you like.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "adapters/design/description.h"
#include "adapters/lua/chunk.h"
#include "adapters/lua/store_calls.h"
#include "core/base/hash.h"
#include "core/lease/elector_kind.h"
#include "core/schedule/time_zone.h"
#include "core/scheduler/scheduler_kind.h"
#include "core/store/store_kind.h"

namespace tenure::lua {

using design::Role;

// What is wrong with a file, for people.
struct Problem {
  int line = 0;  // 0: the file as a whole
  std::string text;
  std::string source;  // that line
};

class Design {
 public:
  // Reads a file's text; `path` names it in messages. Null: `problem` says what is wrong. `make_store` may be null:
  // then a schema is an error. `zones` are those of its rules of schedules, and outlive it.
  static std::unique_ptr<const Design> read(const std::string& path, std::string text,
                                            design::MakeStore make_store, Problem& problem,
                                            const TimeZones& zones = only_utc());

  bool elects() const { return description_.elects(); }
  bool schedules() const { return description_.schedules(); }
  // Its kinds, which are as long-lived as this design. REQUIRES: it elects(), or it schedules().
  const ElectorKind& kind() const { return kind_; }
  const SchedulerKind& scheduler() const { return scheduler_; }

  const std::string& path() const { return file_.path; }
  const Chunk& chunk() const { return chunk_; }
  const TimeZones& zones() const { return *zones_; }
  // Whether its store is one that others have made, and not a database with a schema of its own.
  bool names_store() const { return store_ != nullptr; }
  // What that store is asked; empty: it names none.
  std::span<const StoreCall> calls() const { return calls_; }

 private:
  class Reading;

  Design(std::string path, std::string text)
      : file_{std::move(path), hash_text(text)}, text_(std::move(text)) {}

  void make_kinds();

  DesignFile file_;
  std::string text_;
  Chunk chunk_;
  const TimeZones* zones_ = nullptr;
  design::Description description_;
  const StoreKind* store_ = nullptr;  // that it names
  std::span<const StoreCall> calls_;
  std::uint32_t servers_ = 1;  // of that store
  bool validates_ = false;
  bool says_failover_ = false;
  ElectorKind kind_;
  SchedulerKind scheduler_;
};

}  // namespace tenure::lua
