// Following, taking over, firing, delivering and stepping aside, one step at a time.
#include "tests/core/scheduler/outbox_talk.h"

namespace tenure::testing {
namespace {

TEST(FencedOutbox, does_as_its_text_says) {
  expect_interaction<OutboxTalk>("tests/core/scheduler/fenced_outbox.txt");
}

}  // namespace
}  // namespace tenure::testing
