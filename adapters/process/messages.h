// The lines of the node protocol, version 1 (docs/node-protocol.md): what a program is told, and what it answers.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/electors/registry.h"
#include "core/model/env.h"
#include "core/model/input.h"

namespace tenure::process {

inline constexpr int kVersion = 1;

// ---- what it is told; each ends with a newline ----

std::string describe_line();
std::string validate_line(const Parameters& parameters);
struct Begin {
  Incarnation self;
  std::uint32_t nodes = 1;
  const Parameters* parameters = nullptr;
  std::uint64_t seed = 0;
};
std::string start_line(const Begin& begin, const Clock& clock);
std::string wake_line(const Clock& clock);
std::string stop_line(const Clock& clock);
std::string message_line(const MessageReceived& message, const Clock& clock);
// `id` is the program's own number of the request.
std::string reply_line(const StoreReplied& reply, std::int64_t id, const Clock& clock);

// ---- what it answers ----

struct SendAct {
  NodeId to;
  Message message;
};
struct SqlAct {
  std::int64_t id = 0;
  MonoTime deadline;
  std::vector<statements::SqlStatement> statements;
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
struct StoppedAct {};
struct ErrorAct {
  std::string what;
};
using Act = std::variant<SendAct, SqlAct, BelieveAct, StepDownAct, LogAct, StoppedAct, ErrorAct>;

struct NodeAnswer {
  std::vector<Act> acts;
  std::optional<MonoTime> wake;
};
// What an answer may ask for depends on these.
struct MayAsk {
  std::uint32_t nodes = 1;
  bool has_tokens = false;
};
// Each returns what is wrong with the line, or nothing.
std::string read_answer(std::string_view line, const MayAsk& may, NodeAnswer& answer);
std::string read_complaints(std::string_view line, const Parameters& parameters,
                            std::vector<Complaint>& complaints);

}  // namespace tenure::process
