// Inputs, requests, replies and notes in one line of plain text each: for golden files, traces and stories.
//
// The text is for people; nothing parses it. A node's own times are seconds with nine decimals; a store's times are
// dates. Nodes are n1, n2, … (NodeId 0 is n1), except in journals, where users numbered them. A resource is named only
// if it is not the first one. A payload is shown by its size and hash, and never itself.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/env.h"
#include "core/model/input.h"

namespace tenure {

enum class NodeNames : std::uint8_t {
  from_one,  // NodeId 0 is n1
  by_id,     // NodeId 1 is n1
};

std::string describe(const Input& input);
std::string describe(const Request& request);
std::string describe(const Reply& reply);
std::string describe(const reference::Request& request, NodeNames names);
std::string describe(const reference::Reply& reply, NodeNames names);
std::string describe(const Note& note);
std::string describe(const Message& message);
std::string describe(const Token& token);  // "epoch 3" or "branch 2 epoch 3"
std::string describe(Duration duration);   // "1.5s", "200ms", "-3us"
std::string describe(MonoTime time);       // "1000.250000000", "never"
std::string describe(WallTime time);       // likewise
std::string describe(StoreTime time);      // "2026-01-01T00:00:05Z", "2026-01-01T00:00:05.250000Z", "never"
std::string describe(NodeId node);         // "n1"
// "n1" or "n1#2"; "nobody"
std::string describe(Incarnation incarnation, NodeNames names = NodeNames::from_one);
std::string describe(const reference::EventId& event);
std::string describe(const Definition& definition);
// " (resource 2)"; nothing for number 0.
std::string in_resource(ResourceId resource);
// Of a text, as much as a reader needs to know which one it is.
std::string on_one_line(std::string_view text);

// Beyond the last enumerator it is "?".
std::string_view name_of(Part part);
std::string_view name_of(reference::Denial denial);
std::string_view name_of(reference::Disposition disposition);
std::string_view name_of(reference::RowResult result);
std::string_view name_of(reference::EditDenial denial);
std::string_view name_of(reference::Standing standing);  // "claimed", …
std::string_view name_of(Delivery::Kind kind);           // "work", "pull", "push"
std::string_view name_of(RequestOutcome outcome);
std::string_view name_of(Rejection rejection);
std::string_view name_of(WorkResult result);
std::string_view name_of(Notification::What what);

}  // namespace tenure
