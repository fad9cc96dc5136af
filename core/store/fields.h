// The fields of all stores' requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/store/blob_lease/fields.h"
#include "core/store/consul/fields.h"
#include "core/store/dynamodb/fields.h"
#include "core/store/etcd/fields.h"
#include "core/store/lease_table/fields.h"
#include "core/store/placement/fields.h"
#include "core/store/queue/fields.h"
#include "core/store/record/fields.h"
#include "core/store/redis/fields.h"
#include "core/store/reference/fields.h"
#include "core/store/schedule_table/fields.h"
#include "core/store/statements/fields.h"
#include "core/store/zookeeper/fields.h"
