// The store that a differential test asks; each test program links one maker.
#pragma once

#include <cstddef>
#include <memory>

#include "stint/store.hpp"

namespace stint::inline v0::oracle {

/// Returns: an empty store.
[[nodiscard]] std::unique_ptr<Store> make_store();

/// How many of a test's steps this store is asked for, in percent: one behind a network takes longer.
[[nodiscard]] std::size_t steps_percent();

/// Whether checks of several rules are also compared while the clock steps back.
[[nodiscard]] bool rules_step_back();

}  // namespace stint::inline v0::oracle
