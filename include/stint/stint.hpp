// Everything of stint that a program needs to limit requests.
#pragma once

#include "stint/decision.hpp"
#include "stint/digest.hpp"
#include "stint/error.hpp"
#include "stint/guard.hpp"
#include "stint/http_headers.hpp"
#include "stint/limit.hpp"
#include "stint/limiter.hpp"
#include "stint/memory_store.hpp"
#include "stint/quota.hpp"
#include "stint/rate_limited.hpp"
#include "stint/rule.hpp"
#include "stint/rule_table.hpp"
#include "stint/store.hpp"
#include "stint/time.hpp"
#include "stint/version.hpp"
