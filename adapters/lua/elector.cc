#include "adapters/lua/elector.h"

#include "adapters/lua/host.h"
#include "core/base/check.h"

namespace tenure::lua {
namespace {

class LuaElector final : public Elector {
 public:
  LuaElector(const Design& design, const ElectorSetup& setup) : host_(design, setup) {}

  void step(const Input& input, Env& env) override { host_.step(input, env); }
  Leadership leadership(const Clock& clock) const override { return host_.leadership(clock); }
  std::unique_ptr<Elector> clone() const override {
    CHECK(false, "coroutines are not copied: who copies nodes refuses designs");
  }
  void hash(Hasher&, const Canon&) const override {
    CHECK(false, "coroutines are not hashed: who hashes nodes refuses designs");
  }

 private:
  Host host_;
};

}  // namespace

std::unique_ptr<Elector> make_elector(const Design& design, const ElectorSetup& setup) {
  return std::make_unique<LuaElector>(design, setup);
}

}  // namespace tenure::lua
