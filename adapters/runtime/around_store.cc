#include "adapters/runtime/around_store.h"

#include <utility>

namespace tenure {
namespace {

class AroundStore final : public StoreBackend {
 public:
  AroundStore(std::unique_ptr<StoreBackend> store, const AroundRequest& around)
      : store_(std::move(store)), around_(around) {}

  Answer execute(const reference::Request& request, Duration timeout) override {
    return around_(*store_, request, timeout);
  }
  std::string place() const override { return store_->place(); }
  std::string identity() const override { return store_->identity(); }
  std::optional<StoreAudit> audit(ResourceId resource) override { return store_->audit(resource); }

 private:
  const std::unique_ptr<StoreBackend> store_;
  const AroundRequest around_;
};

}  // namespace

Connect around_each_request(Connect connect, AroundRequest around) {
  return [connect = std::move(connect), around = std::move(around)](Duration within) -> ConnectionOpened {
    ConnectionOpened opened = connect(within);
    if (auto* store = std::get_if<std::unique_ptr<StoreBackend>>(&opened))
      return std::make_unique<AroundStore>(std::move(*store), around);
    return opened;
  };
}

}  // namespace tenure
