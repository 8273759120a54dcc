// A check with several limits or a ban: everything is locked, then everything
// decided, then everything written. Included by the store's .cpp files only.
#pragma once

#include <boost/container/small_vector.hpp>

#include "core/ban.hpp"
#include "store/memory/memory_store_impl.hpp"

namespace stint::inline v0 {

class MemoryStore::Impl::Together {
public:
    Together(Impl& store, Check& check, const Digest* digests, std::int64_t now);

    void decide();

private:
    /// One counter of the check: a limit's, or a ban's if `limit` is null.
    struct Part {
        Ask* ask = nullptr;
        const Limit* limit = nullptr;
        Answer* answer = nullptr;
        Digest digest;
        store::Slot slot;  // none: the key has no state
        store::Look seen;
    };

    void lock_all();
    [[nodiscard]] bool try_lock_slots();
    void look_at_bans();
    void look_at_limits();
    void settle(Part& part);
    void count_denial(Part& part);
    [[nodiscard]] bool claim(Part& part);
    [[nodiscard]] store::StateWord state_of(const Part& part) const noexcept;
    [[nodiscard]] core::BanState ban_state_of(const Part& part) const noexcept;
    [[nodiscard]] bool denied_by_its_limits(std::size_t ban_part) const noexcept;

    Impl& store_;
    Check& check_;
    std::int64_t now_;
    boost::container::small_vector<Part, 8> parts_;
    SmallSet<store::Slot> pinned_;
    store::LineLocks locks_;
};

}  // namespace stint::inline v0
