// Everything that core offers, and still no TrueTime: a node cannot even name the simulator's clock.
#include "core/base/hash.h"
#include "core/base/time.h"
#include "core/lease/elector_kind.h"
#include "core/model/instance.h"
#include "core/scheduler/scheduler_kind.h"
#include "core/store/store_kind.h"
#ifdef IN_SIM
#include "sim/kernel/true_time.h"
#endif

tenure::sim::TrueTime leak();
