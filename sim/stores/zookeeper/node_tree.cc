#include "sim/stores/zookeeper/node_tree.h"

namespace tenure::zookeeper {
namespace {

// Ten digits, as many as there are.
std::string with_digits(const std::string& path, std::int64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 10) digits.insert(0, 10 - digits.size(), '0');
  return path + digits;
}

bool is_path(const std::string& path) {
  return path.size() > 1 && path.front() == '/' && path.back() != '/' && path.find("//") == std::string::npos;
}

const Failed kNoNode{"NONODE", "there is no such node"};
const Failed kBadVersion{"BADVERSION", "the node has another version"};

}  // namespace

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::variant<Created, Failed> NodeTree::create(const Create& asked, std::int64_t zxid) {
  const bool sequential = asked.sequential.value_or(false);
  // "/a/" is the name of a sequential node that is nothing but digits.
  if (!is_path(sequential ? asked.path + "0" : asked.path))
    return Failed{"BADARGUMENTS", "a path is like /a/b"};
  const auto parent = nodes_.find(parent_of(asked.path));
  if (parent == nodes_.end()) return Failed{"NONODE", "its parent is not there"};
  const std::string path = sequential ? with_digits(asked.path, parent->second.made) : asked.path;
  if (nodes_.contains(path)) return Failed{"NODEEXISTS", "the node is there"};
  if (parent->second.owner != 0) return Failed{"NOCHILDRENFOREPHEMERALS", "its parent is ephemeral"};
  ++parent->second.made;
  ++parent->second.children;
  Node node;
  node.data = asked.data;
  node.czxid = node.mzxid = zxid;
  node.owner = asked.ephemeral.value_or(false) ? asked.session : 0;
  nodes_.emplace(path, std::move(node));
  return Created{path};
}

std::optional<Failed> NodeTree::erase(const Delete& asked) {
  const auto found = nodes_.find(asked.path);
  if (asked.path == "/") return Failed{"BADARGUMENTS", "the root stays"};
  if (found == nodes_.end()) return kNoNode;
  if (asked.version && *asked.version != found->second.version) return kBadVersion;
  if (found->second.children > 0) return Failed{"NOTEMPTY", "the node has children"};
  nodes_.erase(found);
  --nodes_.at(parent_of(asked.path)).children;
  return std::nullopt;
}

std::variant<Stat, Failed> NodeTree::set(const SetData& asked, std::int64_t zxid) {
  const auto found = nodes_.find(asked.path);
  if (found == nodes_.end()) return kNoNode;
  Node& node = found->second;
  if (asked.version && *asked.version != node.version) return kBadVersion;
  node.data = asked.data;
  node.mzxid = zxid;
  ++node.version;
  return stat_of(node);
}

// A version of children counts those that came and those that went.
Stat NodeTree::stat_of(const Node& node) {
  return {node.czxid, node.mzxid, node.version, node.made * 2 - node.children, node.owner, node.children};
}

std::optional<Stat> NodeTree::stat(const std::string& path) const {
  const auto found = nodes_.find(path);
  return found != nodes_.end() ? std::optional(stat_of(found->second)) : std::nullopt;
}

std::optional<Data> NodeTree::data(const std::string& path) const {
  const auto found = nodes_.find(path);
  if (found == nodes_.end()) return std::nullopt;
  return Data{found->second.data, stat_of(found->second)};
}

Children NodeTree::children(const std::string& path) const {
  Children all;
  const std::string prefix = path == "/" ? path : path + "/";
  for (auto it = nodes_.upper_bound(prefix); it != nodes_.end() && it->first.starts_with(prefix); ++it)
    if (it->first.find('/', prefix.size()) == std::string::npos)
      all.children.push_back(it->first.substr(prefix.size()));
  return all;
}

std::vector<std::string> NodeTree::ephemerals_of(std::int64_t session) const {
  std::vector<std::string> paths;
  for (const auto& [path, node] : nodes_)
    if (node.owner == session) paths.push_back(path);
  return paths;
}

void NodeTree::hash(Hasher& hasher) const {
  hasher.add(nodes_.size());
  for (const auto& [path, node] : nodes_) {
    hasher.add(path).add(node.data).add(node.czxid).add(node.mzxid);
    hasher.add(node.version).add(node.made).add(node.children).add(node.owner);
  }
}

}  // namespace tenure::zookeeper
