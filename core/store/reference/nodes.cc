#include "core/store/reference/nodes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/store/reference/prune.h"

namespace tenure::reference {

NodeRegistered NodeTable::add(const RegisterNode& asked, StoreTime now) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const auto& known) { return known.second.key == asked.key; });
  if (found != nodes_.end()) {
    found->second.node.name = asked.name;
    found->second.node.seen = now;
    return {found->first};
  }
  CHECK(next_ != UINT32_MAX, "four billion instances have registered");
  const NodeId node{next_++};
  nodes_.emplace(node, Known{asked.key, {node, asked.name, now, now}});
  return {node};
}

RegisteredNodes NodeTable::all() const {
  RegisteredNodes all;
  for (const auto& [id, known] : nodes_) all.nodes.push_back(known.node);
  return all;
}

std::uint64_t NodeTable::prune(StoreTime before, std::uint64_t limit) {
  return prune_before(nodes_, before, limit, [](const Known& known) { return known.node.seen; });
}

void NodeTable::hash(Hasher& hasher) const {
  if (untouched()) return;
  hasher.add(next_).add(nodes_.size());
  for (const auto& [id, known] : nodes_) {
    const auto& [node, name, since, seen] = known.node;
    hasher.add(node).add(known.key).add(name).add(since).add(seen);
  }
}

}  // namespace tenure::reference
