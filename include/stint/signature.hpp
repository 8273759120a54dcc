// The parameters of what can be called, where they have types: functions,
// member functions, and objects with one operator() that is no template.
#pragma once

#include <concepts>
#include <type_traits>

#pragma GCC visibility push(default)
namespace stint::inline v0::detail {

template <typename R, typename... Params>
struct SignatureIs {
    using Result = R;
    /// What `Function` returns when it sees the parameters by their names.
    template <typename Function>
    using ResultOf = std::invoke_result_t<Function, std::remove_reference_t<Params>&...>;
};

// Function pointers convert to ones without noexcept, so that these do for both.
template <typename R, typename... Params>
SignatureIs<R, Params...> signature_of(R (*)(Params...));
template <typename R, typename C, typename... Params>
SignatureIs<R, C&, Params...> signature_of(R (C::*)(Params...));
template <typename R, typename C, typename... Params>
SignatureIs<R, const C&, Params...> signature_of(R (C::*)(Params...) const);
template <typename R, typename C, typename... Params>
SignatureIs<R, C&, Params...> signature_of(R (C::*)(Params...) &);
template <typename R, typename C, typename... Params>
SignatureIs<R, const C&, Params...> signature_of(R (C::*)(Params...) const&);

template <typename R, typename C, typename... Params>
SignatureIs<R, Params...> signature_of_call(R (C::*)(Params...));
template <typename R, typename C, typename... Params>
SignatureIs<R, Params...> signature_of_call(R (C::*)(Params...) const);
template <typename R, typename C, typename... Params>
SignatureIs<R, Params...> signature_of_call(R (C::*)(Params...) &);
template <typename R, typename C, typename... Params>
SignatureIs<R, Params...> signature_of_call(R (C::*)(Params...) const&);

template <typename F>
concept HasCallSignature = requires { signature_of_call(&F::operator()); };
template <typename F>
concept HasSignature = HasCallSignature<F> || requires(F function) { signature_of(function); };

template <typename F>
struct SignatureOf {
    using type = decltype(signature_of(std::declval<F>()));
};
template <HasCallSignature F>
struct SignatureOf<F> {
    using type = decltype(signature_of_call(&F::operator()));
};
template <HasSignature F>
using Signature = typename SignatureOf<F>::type;

}  // namespace stint::inline v0::detail
#pragma GCC visibility pop
