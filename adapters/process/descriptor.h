// A file descriptor that is closed with its owner.
//
// Thread rule: one owner.
#pragma once

#include <utility>

namespace tenure::process {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

// Two ends that no other program inherits. Throws HostFailure when there are no more descriptors.
struct Ends {
  Descriptor ours;
  Descriptor theirs;  // numbered so that it can be given another number without loss
};
Ends pipe_to_us();
Ends pipe_to_them();
Ends socket_pair();  // datagrams that keep their order

void never_blocks(const Descriptor& descriptor);

}  // namespace tenure::process
