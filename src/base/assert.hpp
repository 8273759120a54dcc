// Programmer errors. STINT_ASSERT is on in every build; STINT_DASSERT, for hot
// paths, is on in debug and sanitizer builds. Never for what came from outside.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace stint::inline v0 {

[[noreturn]] inline void assertion_failed(const char* expression, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
    std::abort();
}

}  // namespace stint::inline v0

#define STINT_ASSERT(expression) \
    ((expression) ? static_cast<void>(0) : ::stint::assertion_failed(#expression, __FILE__, __LINE__))

#ifdef NDEBUG
#define STINT_DASSERT(expression) static_cast<void>(0)
#else
#define STINT_DASSERT(expression) STINT_ASSERT(expression)
#endif
