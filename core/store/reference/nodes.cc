#include "core/store/reference/nodes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace tenure::reference {

NodeRegistered NodeTable::add(const RegisterNode& asked, StoreTime now) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
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
  std::vector<std::pair<StoreTime, NodeId>> old;
  for (const auto& [id, known] : nodes_)
    if (known.node.seen <= before) old.emplace_back(known.node.seen, id);
  std::sort(old.begin(), old.end());
  if (old.size() > limit) old.resize(static_cast<std::size_t>(limit));
  for (const auto& [seen, id] : old) nodes_.erase(id);
  return old.size();
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
