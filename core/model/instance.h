// An instance: an elector and a scheduler, composed into one node.
//
// The scheduler sees only a Leadership of the election, evaluated at each step. So any scheduler runs on any elector
// that offers what it needs. On a stop the scheduler finishes first: leadership is given up only after the work has
// returned (kubernetes#139991 released it before). A leader that cannot do its work must not stay: its scheduler can
// ask the elector to step aside (decision 16). Stepping aside does not wait for running work.
//
// Thread rule: as Node.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/model/node.h"

namespace tenure {

struct Leadership {
  std::optional<Token> token;                 // protocols without fencing have none
  MonoTime believed_until = MonoTime::min();  // max(): no end of its own
  bool leads(MonoTime now) const { return now < believed_until; }
};

// A scheduler's request to end its leadership, because it cannot get done what is due.
struct StepAside {
  std::string_view why;  // a literal, for the journal
  Duration behind;       // for this long the others go first
};

class Elector {
 public:
  virtual ~Elector() = default;
  // Receives Started, StopAsked (when the scheduler is idle), notifications, messages, WriteDone, and the timers and
  // replies of Part::elector. After StopAsked it notes Stopped as soon as it has nothing more to do.
  virtual void step(const Input& input, Env& env) = 0;
  // Its belief at this moment; must agree with its last note.
  virtual Leadership leadership(const Clock& clock) const = 0;
  // The scheduler cannot do its work here. The elector gives the leadership back, so that another instance can have it
  // at once. It notes `request.why` in the journal, and does not try to lead again for `request.behind`. A protocol
  // that cannot give leadership back does nothing, and is asked again.
  virtual void step_aside(const StepAside& request, Env& env) {
    static_cast<void>(request);
    static_cast<void>(env);
  }
  virtual std::unique_ptr<Elector> clone() const = 0;
  virtual void hash(Hasher& hasher, const Canon& canon) const = 0;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Receives every input of the instance, after the elector, so that it sees each change of leadership at once. It
  // ignores timers and replies of Part::elector. After StopAsked it starts nothing new.
  virtual void step(const Input& input, const Leadership& leadership, Env& env) = 0;
  // Nothing that leadership must cover is running or under way.
  virtual bool idle() const = 0;
  // Whether this leadership should end; asked after each step, and answered once for each reason.
  virtual std::optional<StepAside> take_step_aside() { return std::nullopt; }
  virtual std::unique_ptr<Scheduler> clone() const = 0;
  virtual void hash(Hasher& hasher, const Canon& canon) const = 0;
};

class Instance final : public Node {
 public:
  // `scheduler` may be null: then the instance is the election alone.
  Instance(std::unique_ptr<Elector> elector, std::unique_ptr<Scheduler> scheduler);
  Instance(const Instance& other);

  void step(const Input& input, Env& env) override;
  std::unique_ptr<Node> clone() const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  std::unique_ptr<Elector> elector_;
  std::unique_ptr<Scheduler> scheduler_;
  bool stop_asked_ = false;        // the world asked for a stop
  bool elector_stopping_ = false;  // the elector was asked, too
};

}  // namespace tenure
