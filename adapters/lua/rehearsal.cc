#include "adapters/lua/rehearsal.h"

#include <map>
#include <optional>

#include "adapters/lua/host.h"

namespace tenure::lua {
namespace {

// Answers nothing, and counts what it is asked for.
class StillWorld final : public Clock,
                         public Network,
                         public Store,
                         public Work,
                         public Journal,
                         public Random,
                         public Disk {
 public:
  int acts() const { return acts_; }

  MonoTime mono() const override { return MonoTime::from_ns(0); }
  WallTime wall() const override { return WallTime::from_ns(0); }
  void set_timer(TimerId, MonoTime) override {}
  void cancel_timer(TimerId) override {}
  void send(NodeId, Message) override { ++acts_; }
  RequestId submit(Submission) override {
    ++acts_;
    return {};
  }
  void execute(const WorkItem&) override { ++acts_; }
  void write(const WriteItem&) override { ++acts_; }
  void note(const Note&) override { ++acts_; }
  std::uint64_t choose(std::uint64_t, std::string_view) override { return 0; }
  std::uint64_t nonce(std::string_view) override { return 1; }
  std::uint64_t put(const std::string& key, const std::string& value) override {
    contents_[key] = value;
    return ++acts_ > 0 ? 1 : 0;
  }
  std::optional<std::string> get(const std::string& key) const override {
    const auto found = contents_.find(key);
    return found != contents_.end() ? std::optional(found->second) : std::nullopt;
  }
  std::map<std::string, std::string> contents() const override { return contents_; }
  void sync(std::uint64_t) override {}

 private:
  int acts_ = 0;
  std::map<std::string, std::string> contents_;
};

}  // namespace

std::string idle_process(const Design& design) {
  StillWorld world;
  Env env{world, world, world, world, world, world, world};
  const Role role = !design.schedules() ? Role::elector : design.elects() ? Role::both : Role::scheduler;
  const auto specs = role == Role::scheduler ? design.scheduler().parameters() : design.kind().parameters();
  Host host(design, {role, {}, {}, Parameters(specs), 1});
  host.step(Started{{NodeId{0}, 1}, 3}, env);
  if (host.has_tasks() || world.acts() > 0) return {};
  return "`node` returned at once and left nothing that goes on, as a loop, t.spawn or t.every: it does "
         "nothing";
}

}  // namespace tenure::lua
