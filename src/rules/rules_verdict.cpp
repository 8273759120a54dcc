// For schema_test.py: what the parser says of each rule file, one line each,
// `ok` or the first problem's reason. Test code, never shipped.
#include <iostream>

#include "stint/rule.hpp"

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        try {
            static_cast<void>(stint::load_rules(argv[i]));
            std::cout << "ok\n";
        } catch (const stint::ConfigError& error) {
            for (const stint::Problem& problem : error.problems()) std::cout << problem.reason << '\t';
            std::cout << '\n';
        }
    }
}
