#include "oracle/store_under_test.hpp"
#include "stint/memory_store.hpp"

namespace stint::inline v0::oracle {

// A store may forget a state that is over. When the clock then steps back behind its end, the model still knows it.
// That takes another key in the very same slot: rare in a table of this size, and a second store places keys elsewhere.
std::unique_ptr<Store> make_store() {
    MemoryStoreOptions options;
    options.max_memory = std::size_t{64} << 20;
    options.huge_pages = false;
    return std::make_unique<MemoryStore>(options);
}

std::size_t steps_percent() {
    return 100;
}

bool rules_step_back() {
    return true;
}

}  // namespace stint::inline v0::oracle
