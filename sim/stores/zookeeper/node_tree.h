// ZooKeeper's nodes: a tree of paths, each with data, versions, and perhaps a session that it goes with.
//
//   I1. Every node but "/" has a parent, which is not ephemeral.
//   I2. The digits of a sequential name count how many children its parent has ever had made.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "sim/stores/zookeeper/requests.h"

namespace tenure::zookeeper {

// "/" of "/a", "/a" of "/a/b". REQUIRES: a path that is not "/".
std::string parent_of(const std::string& path);

class NodeTree {
 public:
  // Each gives what it did, or why it did nothing. `zxid`: of the transaction.
  std::variant<Created, Failed> create(const Create& asked, std::int64_t zxid);
  std::optional<Failed> erase(const Delete& asked);
  std::variant<Stat, Failed> set(const SetData& asked, std::int64_t zxid);

  bool contains(const std::string& path) const { return nodes_.contains(path); }
  std::optional<Stat> stat(const std::string& path) const;
  std::optional<Data> data(const std::string& path) const;
  // REQUIRES: contains(path).
  Children children(const std::string& path) const;
  std::vector<std::string> ephemerals_of(std::int64_t session) const;  // by path
  void hash(Hasher& hasher) const;

 private:
  struct Node {
    std::string data;
    std::int64_t czxid = 0;
    std::int64_t mzxid = 0;
    std::int64_t version = 0;
    std::int64_t made = 0;      // children, ever
    std::int64_t children = 0;  // now
    std::int64_t owner = 0;
  };
  static Stat stat_of(const Node& node);

  std::map<std::string, Node> nodes_ = {{"/", {}}};
};

}  // namespace tenure::zookeeper
