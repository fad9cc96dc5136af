#include "daemon/http/stream.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>

namespace tenure::daemon {

namespace net = boost::asio;

void ConnectionStream::send(std::string piece, std::function<void(bool ok)> sent) {
  auto text = std::make_shared<std::string>(chunked_ ? fmt::format("{:x}\r\n{}\r\n", piece.size(), piece)
                                                     : std::move(piece));
  net::post(connection_->stream_.get_executor(), [self = shared_from_this(), text, sent = std::move(sent)] {
    if (self->closed_) return sent(false);
    HttpConnection& connection = *self->connection_;
    connection.stream_.expires_after(std::chrono::nanoseconds(connection.options_.send_time.ns()));
    net::async_write(connection.stream_, net::buffer(*text),
                     [self, text, sent](boost::beast::error_code error, std::size_t) {
                       if (error) self->connection_->close();
                       sent(!error);
                     });
  });
}

void ConnectionStream::finish() {
  net::post(connection_->stream_.get_executor(), [self = shared_from_this()] {
    if (self->closed_) return;
    static const std::string kLast = "0\r\n\r\n";
    HttpConnection& connection = *self->connection_;
    if (!self->chunked_) return connection.close();
    connection.stream_.expires_after(std::chrono::nanoseconds(connection.options_.send_time.ns()));
    net::async_write(connection.stream_, net::buffer(kLast),
                     [self](boost::beast::error_code, std::size_t) { self->connection_->close(); });
  });
}

}  // namespace tenure::daemon
