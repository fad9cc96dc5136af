#include "adapters/loopback/tcp_proxy.h"

#include <utility>

#include "adapters/loopback/proxy_loop.h"

namespace tenure::loopback {

TcpProxy::TcpProxy(ServerAddress server, std::uint64_t seed)
    : loop_(std::make_unique<ProxyLoop>(std::move(server), seed)) {}
TcpProxy::~TcpProxy() = default;

std::uint16_t TcpProxy::port() const { return loop_->port(); }
void TcpProxy::set(Direction direction, const DirectionRule& rule) { loop_->set(direction, rule); }
void TcpProxy::set_both(const DirectionRule& rule) {
  loop_->set(Direction::to_server, rule);
  loop_->set(Direction::to_client, rule);
}
DirectionRule TcpProxy::rule(Direction direction) const { return loop_->rule(direction); }
void TcpProxy::set_server(ServerAddress server) { loop_->set_server(std::move(server)); }
void TcpProxy::refuse(bool refused) { loop_->refuse(refused); }
void TcpProxy::cut_all() { loop_->cut_all(); }
ProxyCounts TcpProxy::counts() const { return loop_->counts(); }

}  // namespace tenure::loopback
