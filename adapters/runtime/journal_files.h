// A journal that is kept in files of a bounded size: that of one Runtime, whose lines are one chain.
//
// The file that is written has the name that was given; one that is full is put aside under that name and a number,
// which goes up for ever: PATH, PATH.000001, PATH.000002, … What is there when a process starts is put aside, too, so
// that a life begins in a file of its own. The chain of lines (docs/adr/0027) goes on from file to file, so that one
// that is missing in the middle is found; `tenure audit` takes all of them. With `keep`, older ones are deleted: what
// they told can then not be judged (`tenure audit --start-missing`).
//
// A line is handed to the system when take() returns: a process that is killed loses none of them, a machine that
// loses power may. A disk that takes nothing is said once, and the line is lost, which the chain shows.
//
// A path has one JournalFiles at a time: a second one of this process is refused, however the path is spelled. Each
// would put the other's file aside.
//
// Thread rule: one thread: the runtime's loop, as JournalSink. Made and destroyed by any.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tenure {

struct JournalFilesOptions {
  std::string path;
  std::uint64_t bytes_max = 64 << 20;  // of one file: a line that would go beyond it begins the next one
  std::uint32_t keep = 0;              // files that are put aside, the newest; 0: all
  std::function<void(std::string_view words)> trouble = {};  // empty: on stderr
};

class JournalFiles {
 public:
  // REQUIRES: no other JournalFiles of this process has this path.
  explicit JournalFiles(JournalFilesOptions options);

  void take(std::string_view line);
  // For one Runtime, once: two would write two chains into each other. REQUIRES: this outlives what takes it.
  std::function<void(std::string_view line)> sink();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void put_aside();
  void begin();
  void forget_old() const;
  void say(std::string_view what, int error);

  JournalFilesOptions options_;
  std::shared_ptr<const void> claim_;  // on the path: let go after the file
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t bytes_ = 0;
  std::uint32_t last_ = 0;  // the number of the newest file that was put aside
  bool said_ = false;       // of the trouble that there is
  bool taken_ = false;      // by a Runtime
};

}  // namespace tenure
