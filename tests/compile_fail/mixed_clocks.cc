// With LEFT and RIGHT the same clock this is good code; with two different ones it must not compile.
#include "core/base/time.h"
#include "sim/kernel/true_time.h"

using namespace tenure;
using namespace tenure::sim;

#if defined(subtract)
Duration between(LEFT a, RIGHT b) { return a - b; }
#elif defined(compare)
bool earlier(LEFT a, RIGHT b) { return a < b; }
#elif defined(assign)
LEFT taken_for(RIGHT b) { return b; }
#else
#error "name an operation"
#endif
