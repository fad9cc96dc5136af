#include "tests/sim/stores/beside_zookeeper/zookeeper_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tenure::zookeeper {
namespace {

using std::chrono::milliseconds;

// Debian's library, and its logging, which says nothing.
constexpr const char* kClasses =
    "/usr/share/java/zookeeper.jar:/usr/share/java/zookeeper-jute.jar:/usr/share/java/slf4j-nop.jar:"
    "/usr/share/java/slf4j-api.jar:/usr/share/java/netty-all.jar";

bool is_serving(int port) {
  const int to = testing::connect_to(port);
  if (to < 0) return false;
  const timeval patience{1, 0};  // one that begins may accept, and answer nothing
  ::setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const bool sent = ::send(to, "srvr", 4, MSG_NOSIGNAL) == 4;
  std::string text(4096, '\0');
  ssize_t size = 0;
  std::size_t all = 0;
  while (sent && (size = ::read(to, text.data() + all, text.size() - all)) > 0)
    all += static_cast<std::size_t>(size);
  ::close(to);
  return text.find("Mode: standalone") != std::string::npos;
}

std::string code_of(std::int32_t error) {
  switch (error) {
    case -8: return "BADARGUMENTS";
    case -101: return "NONODE";
    case -103: return "BADVERSION";
    case -108: return "NOCHILDRENFOREPHEMERALS";
    case -110: return "NODEEXISTS";
    case -111: return "NOTEMPTY";
    case -112: return "SESSIONEXPIRED";
    case -118: return "SESSIONMOVED";
    default: return fmt::format("error {}", error);
  }
}

}  // namespace

ZookeeperServer::ZookeeperServer(milliseconds tick) : tick_(tick) {
  testing::LocalServer::start_somewhere([this](int port) {
    port_ = port;
    start();
  });
}

void ZookeeperServer::start() {
  const std::string config = folder_.path() + "/zoo.cfg";
  std::ofstream(config) << fmt::format(
      "tickTime={}\ndataDir={}/data\nclientPort={}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n",
      tick_.count(), folder_.path(), port_);
  process_.spawn({"java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", kClasses,
                  "org.apache.zookeeper.server.ZooKeeperServerMain", config},
                 folder_.path() + "/log");
  process_.wait_for([this] { return is_serving(port_); }, std::chrono::seconds(30), "ZooKeeper");
}

// ---- the protocol: big-endian numbers, and texts and lists with their length before them ----------------------------

class ZookeeperClient::Packet {
 public:
  Packet& add_int(std::int32_t value) { return add_bytes(static_cast<std::uint32_t>(value), 4); }
  Packet& add_long(std::int64_t value) { return add_bytes(static_cast<std::uint64_t>(value), 8); }
  Packet& add_flag(bool value) { return add_bytes(value ? 1 : 0, 1); }
  Packet& add_text(const std::string& text) {
    add_int(static_cast<std::int32_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  // Everybody may do everything.
  Packet& add_open_acl() { return add_int(1).add_int(31).add_text("world").add_text("anyone"); }
  std::string framed() const {
    Packet frame;
    frame.add_int(static_cast<std::int32_t>(bytes_.size()));
    return frame.bytes_ + bytes_;
  }

 private:
  Packet& add_bytes(std::uint64_t value, int count) {
    for (int i = count - 1; i >= 0; --i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xff);
    return *this;
  }
  std::string bytes_;
};

class ZookeeperClient::Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}  // which it does not keep
  std::int32_t take_int() { return static_cast<std::int32_t>(take_bytes(4)); }
  std::int64_t take_long() { return static_cast<std::int64_t>(take_bytes(8)); }
  std::string take_text() {
    const std::int32_t size = std::max(take_int(), 0);
    std::string text(bytes_.substr(at_, static_cast<std::size_t>(size)));
    at_ += static_cast<std::size_t>(size);
    return text;
  }
  Stat take_stat() {
    Stat stat;
    stat.czxid = take_long();
    stat.mzxid = take_long();
    take_long();  // ctime
    take_long();  // mtime
    stat.version = take_int();
    stat.cversion = take_int();
    take_int();  // aversion
    stat.ephemeral_owner = take_long();
    take_int();  // length of the data
    stat.num_children = take_int();
    take_long();  // pzxid
    return stat;
  }

 private:
  std::uint64_t take_bytes(int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes_.at(at_++));
    return value;
  }
  std::string_view bytes_;
  std::size_t at_ = 0;
};

ZookeeperClient::ZookeeperClient(const ZookeeperServer& server, milliseconds timeout, const Session& session)
    : socket_(testing::connect_to(server.port())) {
  if (socket_ < 0) throw std::runtime_error("no connection to ZooKeeper");
  Packet hello;
  hello.add_int(0).add_long(0).add_int(static_cast<std::int32_t>(timeout.count())).add_long(session.id);
  hello.add_text(session.id != 0 ? session.password : std::string(16, '\0'));
  const std::string bytes = hello.framed();
  if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("cannot write to ZooKeeper");
  std::optional<std::string> answer = read_packet(std::chrono::seconds(20));
  if (!answer) throw std::runtime_error("ZooKeeper does not connect");
  Reader body(*answer);
  body.take_int();  // of the protocol's version
  timeout_ = milliseconds(body.take_int());
  session_.id = body.take_long();
  session_.password = body.take_text();
}

ZookeeperClient::~ZookeeperClient() { ::close(socket_); }

// None: nothing came, or the connection is closed.
std::optional<std::string> ZookeeperClient::read_packet(milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    if (unread_.size() >= 4) {
      const auto size = static_cast<std::size_t>(Reader(unread_).take_int());
      if (unread_.size() >= size + 4) {
        std::string packet = unread_.substr(4, size);
        unread_.erase(0, size + 4);
        return packet;
      }
    }
    const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
    pollfd wait{socket_, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) <= 0) return std::nullopt;
    char chunk[4096];
    const ssize_t size = ::read(socket_, chunk, sizeof chunk);
    if (size <= 0) return std::nullopt;
    unread_.append(chunk, static_cast<std::size_t>(size));
  }
}

void ZookeeperClient::take_event(Reader& body) {
  constexpr const char* kTypes[] = {"", "NodeCreated", "NodeDeleted", "NodeDataChanged",
                                    "NodeChildrenChanged"};
  const std::int32_t type = body.take_int();
  body.take_int();  // of the connection's state
  if (type < 1 || type > 4) throw std::runtime_error("an event of no known type");
  events_.push_back({kTypes[type], body.take_text()});
}

std::optional<WatchedEvent> ZookeeperClient::next_event(milliseconds patience) {
  if (events_.empty()) {
    std::optional<std::string> packet = read_packet(patience);
    if (!packet) return std::nullopt;
    Reader body(*packet);
    if (body.take_int() != -1) throw std::runtime_error("an answer that nobody asked for");
    body.take_long();
    body.take_int();
    take_event(body);
  }
  WatchedEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

namespace {

constexpr int kCreate = 1, kDelete = 2, kExists = 3, kGetData = 4, kSetData = 5, kGetChildren = 8, kPing = 11,
              kClose = -11;

}  // namespace

std::optional<Reply> ZookeeperClient::ask(const Request& request) {
  Packet packet;
  const std::int32_t xid = std::holds_alternative<Ping>(request) ? -2 : ++xid_;
  packet.add_int(xid);
  const auto version = [](const auto& asked) {
    return static_cast<std::int32_t>(asked.version.value_or(-1));
  };
  if (const auto* create = std::get_if<Create>(&request)) {
    packet.add_int(kCreate).add_text(create->path).add_text(create->data).add_open_acl();
    packet.add_int((create->ephemeral.value_or(false) ? 1 : 0) +
                   (create->sequential.value_or(false) ? 2 : 0));
  } else if (const auto* erase = std::get_if<Delete>(&request)) {
    packet.add_int(kDelete).add_text(erase->path).add_int(version(*erase));
  } else if (const auto* exists = std::get_if<Exists>(&request)) {
    packet.add_int(kExists).add_text(exists->path).add_flag(exists->watch.value_or(false));
  } else if (const auto* get = std::get_if<GetData>(&request)) {
    packet.add_int(kGetData).add_text(get->path).add_flag(get->watch.value_or(false));
  } else if (const auto* set = std::get_if<SetData>(&request)) {
    packet.add_int(kSetData).add_text(set->path).add_text(set->data).add_int(version(*set));
  } else if (const auto* list = std::get_if<GetChildren>(&request)) {
    packet.add_int(kGetChildren).add_text(list->path).add_flag(list->watch.value_or(false));
  } else {
    packet.add_int(std::holds_alternative<Ping>(request) ? kPing : kClose);
  }
  const std::string bytes = packet.framed();
  if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
    return std::nullopt;
  while (std::optional<std::string> answer = read_packet(std::chrono::seconds(10))) {
    Reader body(*answer);
    const std::int32_t of = body.take_int();
    body.take_long();  // zxid
    const std::int32_t error = body.take_int();
    if (of == -1) {
      take_event(body);
      continue;
    }
    if (of != xid) throw std::runtime_error("an answer to something else");
    if (std::holds_alternative<Exists>(request) && error == -101) return Existing{};
    if (error != 0) return Failed{code_of(error), ""};
    if (std::holds_alternative<Create>(request)) return Created{body.take_text()};
    if (std::holds_alternative<Exists>(request)) return Existing{body.take_stat()};
    if (std::holds_alternative<SetData>(request)) return body.take_stat();
    if (std::holds_alternative<GetData>(request)) {
      std::string data = body.take_text();
      return Data{std::move(data), body.take_stat()};
    }
    if (!std::holds_alternative<GetChildren>(request)) return Done{};
    Children all;
    for (std::int32_t left = body.take_int(); left > 0; --left) all.children.push_back(body.take_text());
    std::ranges::sort(all.children);
    return all;
  }
  return std::nullopt;
}

}  // namespace tenure::zookeeper
