// What an instance and the conductor of a live run say to each other: one datagram a message, of words.
//
//   instance    event NAME            it is there, and waits for `go`
//               work N SCHEDULE SLOT RUN [BRANCH EPOCH NONCE]
//                                     the work of an event begins, under that token; answered by `done N RESULT`
//               refused WORDS…        the store has refused what it wrote as the leader
//   conductor   store PLACE           the first of all (store_place.h): it may have a password, which is no argument's
//               go
//               done N RESULT         RESULT is a number of WorkResult
//
// Thread rule: pure functions; send_message and receive_message from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/live/outside_world.h"

namespace tenure::cli {

inline constexpr std::string_view kStoreWord = "store ";

// False: nobody hears it.
bool send_message(int socket, std::string_view words);
// Waits for one unless `at_once`; nullopt: nobody speaks any more, or there is none now.
std::optional<std::string> receive_message(int socket, bool at_once);

std::string work_message(const lab::OutsideWork& work);
std::optional<lab::OutsideWork> work_in(NodeId node, std::string_view message);
std::string done_message(const lab::OutsideAnswer& answer);
std::optional<lab::OutsideAnswer> done_in(std::string_view message);

}  // namespace tenure::cli
