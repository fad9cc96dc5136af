// first-node: the first instance leads while it runs. An example of an addition (docs/how-to-add.md).
//
// Thread rule: as Node.
#pragma once

#include <memory>

#include "core/lease/elector_kind.h"

namespace tenure {

class FirstNode final : public Elector {
 public:
  explicit FirstNode(const ElectorSetup& setup) : self_(setup.self), resource_(setup.resource) {}

  void step(const Input& input, Env& env) override;
  Leadership leadership(const Clock& clock) const override;
  std::unique_ptr<Elector> clone() const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  const NodeId self_;
  const ResourceId resource_;
  bool leads_ = false;
};

extern const ElectorKind kFirstNode;

}  // namespace tenure
