// What somebody may have meant by arguments that the command line does not know.
//
// Thread rule: runs on the main thread.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tenure::cli {

// "did you mean --seed?", for a flag of the command, or for the command itself; empty: nothing is close.
std::string hint_for(const std::vector<std::string>& arguments, const CLI::App& app);

}  // namespace tenure::cli
