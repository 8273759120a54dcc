#!/usr/bin/env python3
"""Shows for each check of tidy.py that it fires, and that it lets good code pass."""

import pathlib
import tempfile
import unittest

import cpp_text
import tidy

HEADER = '// What it is.\n#pragma once\n'


class TidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def findings(self, **files):
        """Findings for files; in names, __ stands for / and the last _ for the dot."""
        for name, text in files.items():
            stem, _, extension = name.replace('__', '/').rpartition('_')
            self.write(f'{stem}.{extension}', text)
        return tidy.Tidy(self.root).run()

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def check(self, expected, **files):
        """The only finding contains this text."""
        found = self.findings(**files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])

    def test_good_code_passes(self):
        self.assertEqual(self.findings(
            src__core__a_hpp=HEADER + '#include "base/b.hpp"\n#include "stint/time.hpp"\n',
            src__core__a_cpp='#include "core/a.hpp"\n\n#include <vector>\n\nint f() { return 1; }\n',
            docs__a_md='# A\n\n[b](b.md#the-b) [web](https://example.org)\n', docs__b_md='# B\n\n## The b\n'), [])

    def test_layers_point_one_way(self):
        for layer, include in [('base', 'core/x.hpp'), ('core', 'store/x.hpp'), ('rules', 'store/x.hpp'),
                               ('store', 'rules/x.hpp'), ('engine', 'server/http/x.hpp'), ('server', 'cli/x.hpp'),
                               ('replay', 'server/http/x.hpp'), ('core', 'stint/memory_store.hpp'),
                               ('base', 'stint/limit.hpp'), ('store', 'stint/rule.hpp'), ('resp', 'core/x.hpp'),
                               ('base', 'resp/x.hpp'), ('rules', 'resp/x.hpp')]:
            with self.subTest(layer=layer, include=include):
                self.setUp()
                self.check(f'{layer} may not include {include}',
                           **{f'src__{layer}__a_cpp': f'#include "{include}"\n'})

    def test_public_headers_have_layers_too(self):
        self.check('core may not include stint/limiter.hpp',
                   include__stint__limit_hpp=HEADER + '#include "stint/limiter.hpp"\n')

    def test_a_new_public_header_needs_a_layer(self):
        self.check('has no layer', include__stint__stint_hpp=HEADER + '#include "stint/new.hpp"\n')

    def test_public_headers_include_std_and_own_only(self):
        self.check('standard library and stint only', include__stint__time_hpp=HEADER + '#include <fmt/format.h>\n')

    def test_heavy_headers_stay_out_of_headers(self):
        for name in ['boost/beast/http.hpp', 'boost/json.hpp', 'boost/asio.hpp', 'yaml-cpp/yaml.h', 'CLI/CLI.hpp',
                     'spdlog/spdlog.h']:
            with self.subTest(name=name):
                self.setUp()
                self.check('heavy', src__server__a_hpp=HEADER + f'#include <{name}>\n')

    def test_a_header_for_cpp_files_only_says_so(self):
        own = '// What it is. Include in .cpp files only.\n#pragma once\n'
        self.assertEqual(self.findings(src__rules__a_hpp=own + '#include <yaml-cpp/yaml.h>\n',
                                       src__rules__b_hpp=own + '#include "rules/a.hpp"\n'), [])
        self.check('src/rules/c.hpp:3: rules/a.hpp: a heavy', src__rules__c_hpp=HEADER + '#include "rules/a.hpp"\n')

    def test_includes_by_parent_folder(self):
        self.check('not by ..', src__core__a_cpp='#include "../base/a.hpp"\n')

    def test_own_header_comes_first(self):
        self.check('own header', src__core__a_hpp=HEADER, src__core__a_cpp='#include <vector>\n\n#include "core/a.hpp"\n')

    def test_file_size(self):
        self.check('801 lines', src__core__a_cpp='int a;\n' * 801)
        self.setUp()
        self.check('1001 lines', tests__a_cpp='int a;\n' * 1001)
        self.setUp()
        self.assertEqual(self.findings(src__core__a_cpp='int a;\n' * 800), [])

    def test_soft_file_size_warns(self):
        self.write('src/core/a.cpp', 'int a;\n' * 401)
        checker = tidy.Tidy(self.root)
        self.assertEqual(checker.run(), [])
        self.assertEqual(len(checker.warnings), 1)

    def test_function_size(self):
        body = 'void f(int a) const {\n' + '    a();\n' * 69 + '}\n'
        self.check('f has 71 lines', src__core__a_cpp=body)
        self.setUp()
        self.assertEqual(self.findings(src__core__a_cpp=body.replace('    a();\n', '', 1)), [])

    def test_exceptions_let_pass_and_may_only_shrink(self):
        body = 'void f() {\n' + '    a();\n' * 79 + '}\n'
        self.write(tidy.EXCEPTIONS, 'function src/core/a.cpp:f 81 one table\n')
        self.assertEqual(self.findings(src__core__a_cpp=body), [])
        self.write(tidy.EXCEPTIONS, 'function src/core/a.cpp:f 80 one table\n')
        self.check('f has 81 lines', src__core__a_cpp=body)
        self.write(tidy.EXCEPTIONS, 'function src/core/a.cpp:f 90 one table\n')
        self.check('lower 90', src__core__a_cpp=body)
        self.check('no longer needed', src__core__a_cpp='void f() {}\n')
        self.write(tidy.EXCEPTIONS, 'function src/core/a.cpp:f 90\n')
        self.check('want: ', src__core__a_cpp='void f() {}\n')

    def test_words_in_code(self):
        for text in ['using namespace std;', 'std::regex r;', 'int a = rand();', 'srand(1);', 'std::printf("a");',
                     'fprintf(stderr, "");', 'std::cout << std::endl;', 'co_await f();', 'std::puts("a");']:
            with self.subTest(text=text):
                self.setUp()
                self.check(text.split('(')[0].split()[-1].removeprefix('std::').rstrip(';'),
                           src__core__a_cpp=f'{text}\n')

    def test_words_in_tests(self):
        for text in ['std::this_thread::sleep_for(1s);', 'GTEST_SKIP();', 'TEST(A, DISABLED_B) {}', 'usleep(3);']:
            with self.subTest(text=text):
                self.setUp()
                self.check('a_test.cpp:1', src__core__a_test_cpp=f'{text}\n')

    def test_words_in_comments_and_literals_are_free(self):
        self.assertEqual(self.findings(
            src__core__a_cpp='// rand() is bad\nauto s = "printf(";  /* co_await */\nauto t = R"x(std::regex)x";\n'
                             'using namespace std::chrono_literals;\n'), [])

    def test_own_namespace_is_opened_in_cpp_files_only(self):
        self.assertEqual(self.findings(src__cli__main_cpp='using namespace stint;\n'), [])
        self.check('using namespace stint', src__cli__a_hpp=HEADER + 'using namespace stint;\n')

    def test_the_abi_is_named_where_the_namespace_is_opened(self):
        self.check('namespace stint', src__core__a_cpp='namespace stint::core {\n}\n')
        self.assertEqual(self.findings(src__core__a_cpp='namespace stint::inline v0::core {\n}\n'), [])

    def test_the_abi_is_that_of_the_build(self):
        self.assertEqual(self.findings(CMakeLists_txt='set(STINT_ABI 0)\n'), [])
        self.check('not the ABI', CMakeLists_txt='set(STINT_ABI 1)\n')

    def test_what_public_headers_declare_is_visible(self):
        space = 'namespace stint::inline v0 {\nint a();\n}\n'
        push, pop = '#pragma GCC visibility push(default)\n', '#pragma GCC visibility pop\n'
        self.assertEqual(self.findings(include__stint__a_hpp=HEADER + push + space + pop + '#define A\n',
                                       include__stint__b_hpp=HEADER, src__core__c_hpp=HEADER + space), [])
        for text in [space, push + space, space + pop, push + pop + space, push + space + pop + space,
                     space + push + space + pop]:
            with self.subTest(text=text):
                self.setUp()
                self.check('hidden in a shared library', include__stint__a_hpp=HEADER + text)

    def test_raw_literals_may_be_long(self):
        self.assertEqual(self.findings(src__core__a_cpp='auto a = R"(' + 'x' * 120 + ')";\n'), [])

    def test_unfinished_work(self):
        self.check('FIXME', src__core__a_cpp='// FIXME later\n')
        self.setUp()
        self.check('TODO', src__core__a_cpp='// TODO later\n')
        self.setUp()
        self.assertEqual(self.findings(src__core__a_cpp='// TODO(#12): later\n'), [])

    def test_nolint_names_its_check(self):
        self.check('NOLINT', src__core__a_cpp='int a;  // NOLINT\n')

    def test_paths_of_a_machine(self):
        for path in ['/wor' + 'k/main', '/roo' + 't/x']:
            self.setUp()
            self.check('machine', docs__a_md=f'# A\n\nin {path}\n')

    def test_registry_hosts(self):
        self.check('registries', docs__a_md='# A\n\nhttps://registry.np' + 'mjs.org/x\n')

    def test_white_space_and_tabs(self):
        self.check('white space', src__core__a_cpp='int a; \n')
        self.setUp()
        self.check('a tab', src__core__a_cpp='\tint a;\n')

    def test_last_newline(self):
        self.check('no newline', src__core__a_cpp='int a;')

    def test_line_length(self):
        self.check('121 characters', src__core__a_cpp='//' + 'x' * 119 + '\n')

    def test_headers_open_with_a_comment_and_pragma(self):
        self.check('opens with a comment', src__core__a_hpp='#pragma once\n')
        self.setUp()
        self.check('#pragma once', src__core__a_hpp='// A.\n')

    def test_markdown_titles_and_links(self):
        self.check('2 titles', docs__a_md='# A\n\n# B\n')
        self.setUp()
        self.check('no such file', docs__a_md='# A\n\n[b](b.md)\n')
        self.setUp()
        self.check('no such heading', docs__a_md='# A\n\n[b](#nothing)\n')
        self.setUp()
        self.assertEqual(self.findings(docs__a_md='# A\n\n```\n# not a title\n[x](y)\n```\n'), [])

    def test_large_and_strange_files(self):
        self.check('bytes', data__a_bin=b'\0' * (tidy.BYTES_MAX + 1))
        self.setUp()
        self.check('not UTF-8', docs__a_txt=b'\xff\xfe\n')


class FunctionsTest(unittest.TestCase):
    def names(self, text):
        return [(name, lines) for name, _, lines in cpp_text.functions(text)]

    def test_free_and_member_functions(self):
        self.assertEqual(self.names('namespace a {\nint f(int x) { return x; }\nbool A::g() const noexcept {\n}\n}\n'),
                         [('f', 1), ('A::g', 2)])

    def test_constructors_with_initialisers(self):
        self.assertEqual(self.names('A::A(int x) : a_{x}, b_(2), c_{} {\n  f();\n}\n'), [('A::A', 3)])

    def test_classes_and_initialised_values_are_no_functions(self):
        self.assertEqual(self.names('struct A {\n  int a{1};\n  int f() {\n  }\n};\nconst int b[] = {1, 2};\n'),
                         [('f', 2)])

    def test_blocks_and_lambdas_belong_to_their_function(self):
        self.assertEqual(self.names('void f() {\n  if (a) {\n  }\n  auto g = [&](int x) {\n  };\n}\n'), [('f', 6)])

    def test_tests_are_functions(self):
        self.assertEqual(self.names('TEST(A, DoesB) {\n}\n'), [('A.DoesB', 2)])

    def test_braces_in_literals_do_not_count(self):
        self.assertEqual(self.names('void f() {\n  g("}{", \'{\', R"({)");\n}\nvoid h() {}\n'), [('f', 3), ('h', 1)])

    def test_digit_separators_are_no_literals(self):
        self.assertEqual(self.names("int f() { return 1'000'000; }\nvoid g() {}\n"), [('f', 1), ('g', 1)])


if __name__ == '__main__':
    unittest.main()
