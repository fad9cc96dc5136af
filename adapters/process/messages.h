// The lines of the node protocol, version 1 (docs/node-protocol.md): what a program is told, and what it answers.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/design/description.h"
#include "core/lease/elector_kind.h"
#include "core/model/env.h"
#include "core/model/input.h"
#include "core/model/instance.h"
#include "core/scheduler/scheduler_kind.h"
#include "sim/stores/statements/requests.h"

namespace tenure::process {

inline constexpr int kVersion = 1;

// ---- what it is told; each ends with a newline ----

std::string describe_line();
std::string validate_line(const Parameters& parameters);
std::string edit_line(const ScheduleEdit& edit);

// What stands in each line of a life: the clocks, and a scheduler's election.
struct LineContext {
  const Clock& clock;
  const Leadership* leadership = nullptr;  // null: this is no scheduler
};
struct Begin {
  Incarnation self;
  std::uint32_t nodes = 1;
  const Parameters* parameters = nullptr;
  std::uint64_t seed = 0;
  std::map<std::string, std::string> disk = {};
};
std::string start_line(const Begin& begin, const LineContext& context);
std::string wake_line(const LineContext& context);
std::string stop_line(const LineContext& context);
std::string message_line(const MessageReceived& message, const LineContext& context);
// Nothing but the context: the leadership is another one.
std::string leadership_line(const LineContext& context);
// `id` is the program's own number of what it asked for.
std::string reply_line(const StoreReplied& reply, std::int64_t id, const LineContext& context);
std::string ran_line(WorkResult result, std::int64_t id, const LineContext& context);
std::string written_line(bool fenced, std::int64_t id, const LineContext& context);
std::string synced_line(std::int64_t id, const LineContext& context);

// ---- what it answers ----

struct SendAct {
  NodeId to;
  Message message;
};
struct SqlAct {
  std::int64_t id = 0;
  MonoTime deadline;
  std::vector<statements::SqlStatement> statements;
  std::string on;  // the name of a connection; empty: the one without
};
struct BelieveAct {
  Until until;
  std::optional<Token> token;
};
struct StepDownAct {
  std::string why;
};
struct LogAct {
  std::string text;
  std::int64_t value = 0;
};
struct RunAct {
  std::int64_t id = 0;
  reference::EventId event;
  std::optional<Token> token;  // none: that of the leadership
  bool once = false;
};
struct WriteAct {
  std::int64_t id = 0;
  std::optional<Token> token;  // none: that of the leadership
};
// It has looked whether it leads, and is about to act.
struct CheckedAct {};
struct PutAct {
  std::string key;
  std::string value;
};
struct SyncAct {
  std::int64_t id = 0;
};
struct StoppedAct {};
struct ErrorAct {
  std::string what;
};
using Act = std::variant<SendAct, SqlAct, BelieveAct, StepDownAct, RunAct, WriteAct, CheckedAct, PutAct,
                         SyncAct, LogAct, StoppedAct, ErrorAct>;

struct NodeAnswer {
  std::vector<Act> acts;
  std::optional<MonoTime> wake;
};
// What an answer may ask for depends on these.
struct MayAsk {
  design::Role role = design::Role::elector;
  std::uint32_t nodes = 1;
  std::uint32_t schedules = 0;
  bool has_tokens = false;
  bool writes = false;
};
// Each returns what is wrong with the line, or nothing.
std::string read_answer(std::string_view line, const MayAsk& may, NodeAnswer& answer);
std::string read_complaints(std::string_view line, const Parameters& parameters,
                            std::vector<Complaint>& complaints);
std::string read_statements(std::string_view line, std::vector<statements::SqlStatement>& statements);

}  // namespace tenure::process
