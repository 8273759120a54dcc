// A store spoken to in the reference model's words.
// Threads: none; one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/model.hpp"
#include "stint/store.hpp"

namespace stint::inline v0::oracle {

struct SubjectVerdict {
    Verdict verdict;
    std::vector<std::vector<Answer>> answers;  ///< for refunds and releases: one for each limit of each rule
};

class Subject {
public:
    explicit Subject(Store& store) : store_(store) {}

    SubjectVerdict check(const std::vector<Question>& questions, std::int64_t t_us, bool peek, std::uint64_t lease_id);
    void refund(const Question& question, const std::vector<Answer>& answers, std::uint64_t lease_id,
                std::int64_t t_us);
    bool release(const Question& question, const std::vector<Answer>& answers, std::uint64_t lease_id,
                 std::int64_t t_us);
    bool renew(const Question& question, const std::vector<Answer>& answers, std::uint64_t lease_id, std::int64_t t_us);
    void reset(const Question& question);

private:
    Store& store_;
};

}  // namespace stint::inline v0::oracle
