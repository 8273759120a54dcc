#include "stint/limiter.hpp"

#include "base/assert.hpp"
#include "engine/limiter_impl.hpp"

namespace stint::inline v0 {

Limiter::Limiter(Store& store, RuleSet rules, const LimiterOptions& options)
    : impl_(std::make_unique<Impl>(store, std::move(rules), options)) {}
Limiter::~Limiter() = default;

Decision Limiter::check(std::span<const Attribute> attributes, CheckOptions options) {
    return impl_->check(attributes, options, false);
}

Decision Limiter::check(std::initializer_list<Attribute> attributes, CheckOptions options) {
    return impl_->check({attributes.begin(), attributes.size()}, options, false);
}

Decision Limiter::peek(std::span<const Attribute> attributes, CheckOptions options) {
    return impl_->check(attributes, options, true);
}

Decision Limiter::peek(std::initializer_list<Attribute> attributes, CheckOptions options) {
    return impl_->check({attributes.begin(), attributes.size()}, options, true);
}

std::vector<Decision> Limiter::check_batch(std::span<const Request> requests, std::optional<Instant> now) {
    return impl_->check_batch(requests, now);
}

RuleHandle Limiter::declare(const Rule& rule) {
    return declare(std::span{&rule, 1}).front();
}

std::vector<RuleHandle> Limiter::declare(std::span<const Rule> rules) {
    std::vector<RuleHandle> handles;
    for (const std::uint32_t place : impl_->declare(rules)) handles.push_back(RuleHandle{impl_->number(), place});
    return handles;
}

bool Limiter::gave(RuleHandle rule) const noexcept {
    return rule.limiter_ == impl_->number();
}

Decision Limiter::check(RuleHandle rule, std::span<const std::string_view> key, CheckOptions options) {
    STINT_ASSERT(gave(rule));
    return impl_->check(rule.place_, key, options, false);
}

Decision Limiter::peek(RuleHandle rule, std::span<const std::string_view> key, CheckOptions options) {
    STINT_ASSERT(gave(rule));
    return impl_->check(rule.place_, key, options, true);
}

std::optional<Decision> Limiter::check_rule(std::string_view rule, std::span<const Attribute> key,
                                            CheckOptions options) {
    return impl_->check_rule(rule, key, options, false);
}

std::optional<Decision> Limiter::peek_rule(std::string_view rule, std::span<const Attribute> key,
                                           CheckOptions options) {
    return impl_->check_rule(rule, key, options, true);
}

void Limiter::check_async(std::span<const Attribute> attributes, CheckOptions options, DecisionHandler done) {
    impl_->check_async(attributes, options, false, std::move(done));
}
void Limiter::peek_async(std::span<const Attribute> attributes, CheckOptions options, DecisionHandler done) {
    impl_->check_async(attributes, options, true, std::move(done));
}
void Limiter::check_async(RuleHandle rule, std::span<const std::string_view> key, CheckOptions options,
                          DecisionHandler done) {
    STINT_ASSERT(gave(rule));
    impl_->check_async(rule.place_, key, options, std::move(done));
}
bool Limiter::check_rule_async(std::string_view rule, std::span<const Attribute> key, CheckOptions options,
                               DecisionHandler done) {
    return impl_->check_rule_async(rule, key, options, false, std::move(done));
}
bool Limiter::peek_rule_async(std::string_view rule, std::span<const Attribute> key, CheckOptions options,
                              DecisionHandler done) {
    return impl_->check_rule_async(rule, key, options, true, std::move(done));
}

bool Limiter::refund(Decision& decision, std::optional<Instant> now) {
    return impl_->refund(decision, now);
}
ChangeAnswer Limiter::release(std::string_view lease, std::optional<Instant> now) {
    return impl_->change_lease(lease, Impl::LeaseChange::release, now);
}
ChangeAnswer Limiter::renew(std::string_view lease, std::optional<Instant> now) {
    return impl_->change_lease(lease, Impl::LeaseChange::renew, now);
}
ChangeAnswer Limiter::reset(std::string_view rule, std::span<const Attribute> key) {
    return impl_->reset(rule, key);
}
void Limiter::release_async(std::string_view lease, std::optional<Instant> now, ChangeHandler done) {
    impl_->change_lease_async(lease, Impl::LeaseChange::release, now, std::move(done));
}
void Limiter::renew_async(std::string_view lease, std::optional<Instant> now, ChangeHandler done) {
    impl_->change_lease_async(lease, Impl::LeaseChange::renew, now, std::move(done));
}
bool Limiter::reset_async(std::string_view rule, std::span<const Attribute> key, ChangeHandler done) {
    return impl_->reset_async(rule, key, std::move(done));
}
void Limiter::reload(RuleSet rules) {
    impl_->reload(std::move(rules));
}
bool Limiter::store_can_fail() const noexcept {
    return impl_->store_can_fail();
}
RuleSet Limiter::rules() const {
    return impl_->rules();
}
std::vector<RuleStats> Limiter::stats() const {
    return impl_->stats();
}

}  // namespace stint::inline v0
