#!/usr/bin/env python3
"""The code that the documentation shows compiles, and its programs are the tested examples.

    cpp_page_test.py COMPILER FLAG...

Each ```cpp block of docs/cpp.md that defines something stands in a namespace of its own, any other in a function that
has the names of cpp_page.hpp and a few objects. A compiler's message names the line of the page.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFINES = re.compile(r'^(#include|inline constexpr|struct|class|void|boost::asio::awaitable)\b', re.M)


def blocks(page):
    """Yields the first line and the text of each block of C++."""
    text = (ROOT / page).read_text()
    for match in re.finditer(r'(?ms)^```cpp\n(.*?)^```$', text):
        yield text.count('\n', 0, match.start(1)) + 1, match.group(1)


def translation_unit(page):
    text = '#include "cpp_api/cpp_page.hpp"\n'
    for number, (line, block) in enumerate(blocks(page)):
        table = '' if 'RuleTable kRules' in block else 'using page_table::kRules;'
        place = f'#line {line} "{page}"\n{block}'
        if DEFINES.match(block):
            text += f'namespace block_{number} {{ {table}\n{place}}}\n'
        else:
            local = '' if 'Limiter limiter{' in block else 'stint::Limiter& limiter, '
            text += (f'int block_{number}({local}Contest& contest, const Team& team, std::string_view answer,'
                     f' std::string_view user, std::uint64_t configured);\n'
                     f'int block_{number}({local}Contest& contest, const Team& team, std::string_view answer,'
                     f' std::string_view user, std::uint64_t configured) {{ {table}\n'
                     f'(void)contest; (void)team; (void)answer; (void)user; (void)configured;\n{place}return 0;\n}}\n')
    return text


def main():
    unit = translation_unit('docs/cpp.md')
    run = subprocess.run([*sys.argv[1:], '-std=c++20', '-Wall', '-Wextra', '-Werror', '-Wno-unused', '-fsyntax-only',
                          '-I', str(ROOT / 'include'), '-I', str(ROOT / 'tests'), '-x', 'c++', '-'],
                         input=unit, text=True, timeout=200, check=False)
    wrong = run.returncode
    first = (ROOT / 'examples/first.cpp').read_text()
    if first not in [block for _, block in blocks('README.md')]:
        print('README.md: the program is not examples/first.cpp')
        wrong = 1
    count = unit.count('#line')
    print(f'{count} snippets')
    return 1 if wrong or count < 10 else 0


if __name__ == '__main__':
    sys.exit(main())
