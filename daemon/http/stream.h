// The pieces of an answer that goes on; internal to this room.
//
// Thread rule: as HttpStream; end() belongs to the connection's strand.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "daemon/http/connection.h"

namespace tenure::daemon {

class ConnectionStream final : public HttpStream, public std::enable_shared_from_this<ConnectionStream> {
 public:
  ConnectionStream(std::shared_ptr<HttpConnection> connection, bool chunked)
      : connection_(std::move(connection)), chunked_(chunked) {}

  void send(std::string piece, std::function<void(bool ok)> sent) override;
  void finish() override;
  bool closed() const override { return closed_; }
  void end() { closed_ = true; }

 private:
  const std::shared_ptr<HttpConnection> connection_;
  const bool chunked_;
  std::atomic<bool> closed_ = false;
};

}  // namespace tenure::daemon
