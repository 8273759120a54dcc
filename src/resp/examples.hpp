// For tests: bytes of every type, with what they mean; and bytes that are wrong,
// with the reason and the place that the reader gives. Threads: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stint::inline v0::resp {

struct Example {
    std::string bytes;
    std::string meaning;  // as describe() writes it
};

/// One whole value each; meanings are those of the protocol's specification.
inline std::vector<Example> reply_examples() {
    using namespace std::string_literals;
    return {
        {"+OK\r\n", "simple 'OK'"},
        {"+\r\n", "simple ''"},
        {"-ERR unknown command 'asdf'\r\n", R"(error 'ERR unknown command \x27asdf\x27')"},
        {":1000\r\n", "int 1000"},
        {":-1\r\n", "int -1"},
        {":+7\r\n", "int 7"},
        {":007\r\n", "int 7"},
        {":9223372036854775807\r\n", "int 9223372036854775807"},
        {":-9223372036854775808\r\n", "int -9223372036854775808"},
        {"$5\r\nhello\r\n", "bulk 'hello'"},
        {"$0\r\n\r\n", "bulk ''"},
        {"$6\r\na\r\n\0\xff$\r\n"s, R"(bulk 'a\x0d\x0a\x00\xff$')"},
        {"$-1\r\n", "null"},
        {"*-1\r\n", "null"},
        {"_\r\n", "null"},
        {"*0\r\n", "array []"},
        {"*2\r\n$5\r\nhello\r\n$5\r\nworld\r\n", "array [bulk 'hello', bulk 'world']"},
        {"*3\r\n$5\r\nhello\r\n$-1\r\n*-1\r\n", "array [bulk 'hello', null, null]"},
        {"*2\r\n*3\r\n:1\r\n:2\r\n:3\r\n*2\r\n+Hello\r\n-World\r\n",
         "array [array [int 1, int 2, int 3], array [simple 'Hello', error 'World']]"},
        {"*2\r\n*0\r\n*1\r\n*1\r\n*0\r\n", "array [array [], array [array [array []]]]"},
        {"#t\r\n", "true"},
        {"#f\r\n", "false"},
        {",1.5\r\n", "real 1.500000"},
        {",10\r\n", "real 10.000000"},
        {",-1.5e+2\r\n", "real -150.000000"},
        {",inf\r\n", "real inf"},
        {",-inf\r\n", "real -inf"},
        {",nan\r\n", "real nan"},
        {"(3492890328409238509324850943850943825024385\r\n", "big '3492890328409238509324850943850943825024385'"},
        {"(-1\r\n", "big '-1'"},
        {"!21\r\nSYNTAX invalid syntax\r\n", "bulk error 'SYNTAX invalid syntax'"},
        {"=15\r\ntxt:Some string\r\n", "verbatim 'txt' 'Some string'"},
        {"=4\r\nmkd:\r\n", "verbatim 'mkd' ''"},
        {"%2\r\n+first\r\n:1\r\n+second\r\n*1\r\n:2\r\n",
         "map [simple 'first', int 1, simple 'second', array [int 2]]"},
        {"%0\r\n", "map []"},
        {"~2\r\n#t\r\n_\r\n", "set [true, null]"},
        {">3\r\n$7\r\nmessage\r\n$2\r\nch\r\n$1\r\nx\r\n", "push [bulk 'message', bulk 'ch', bulk 'x']"},
        // Attributes are dropped: before a value, inside one, inside each other, empty, several.
        {"|1\r\n+key-popularity\r\n%1\r\n$1\r\na\r\n,0.19\r\n*1\r\n:2039123\r\n", "array [int 2039123]"},
        {"*3\r\n:1\r\n|1\r\n+ttl\r\n:3600\r\n:2\r\n|0\r\n$1\r\nx\r\n", "array [int 1, int 2, bulk 'x']"},
        {"|1\r\n|1\r\n+a\r\n+b\r\n+c\r\n*1\r\n+d\r\n|2\r\n+e\r\n+f\r\n+g\r\n+h\r\n>1\r\n+i\r\n", "push [simple 'i']"},
    };
}

struct Malformed {
    std::string bytes;
    std::string reason;
    std::uint64_t offset;
};

/// Lines, lengths and nesting that are wrong.
inline std::vector<Malformed> malformed_frames() {
    using namespace std::string_literals;
    const std::string streamed = "streamed strings and aggregates are not supported";
    const std::string type = "a byte that begins no type";
    const std::string line_end = "no CRLF where one must be";
    const std::string length = "a length that is not digits only";
    const std::string beyond = "a length beyond 64 bits";
    return {
        {"hello\r\n", type, 0},
        {"\r\n", type, 0},
        {"\0"s, type, 0},
        {"+OK\r\n@", type, 5},
        {"*2\r\n:1\r\nx", type, 8},
        {"+a\rb\r\n", line_end, 2},
        {":1\r\r\n", line_end, 2},
        {"+a\nb\r\n", "a line feed inside a line", 0},
        {"-a\n\r\n", "a line feed inside a line", 0},
        {"$5\r\nhelloX\n", line_end, 9},
        {"$5\r\nhello\rX", line_end, 9},
        {"$4\r\nhello\r\n", line_end, 8},
        {"$\r\n", length, 0},
        {"$-2\r\n", length, 0},
        {"$-0\r\n", length, 0},
        {"$-01\r\n", length, 0},
        {"$+5\r\nhello\r\n", length, 0},
        {"$ 5\r\nhello\r\n", length, 0},
        {"$5 \r\nhello\r\n", length, 0},
        {"$18446744073709551616\r\n", beyond, 0},
        {"$99999999999999999999999\r\n", beyond, 0},
        {"*-2\r\n", length, 0},
        {"*+1\r\n:1\r\n", length, 0},
        {"*x\r\n", length, 0},
        {"*18446744073709551616\r\n", beyond, 0},
        {":1\r\n*2\r\n:1\r\n$x\r\n", length, 12},
        {"%-1\r\n", length, 0},
        {"~-1\r\n", length, 0},
        {">-1\r\n", length, 0},
        {"|-1\r\n", length, 0},
        {"!-1\r\n", length, 0},
        {"=-1\r\n", length, 0},
        {"$?\r\n;4\r\nHell\r\n;0\r\n", streamed, 0},
        {"*?\r\n:1\r\n.\r\n", streamed, 0},
        {"%?\r\n", streamed, 0},
        {"~?\r\n", streamed, 0},
        {">?\r\n", streamed, 0},
        {";4\r\nHell\r\n", streamed, 0},
        {".\r\n", streamed, 0},
        {"=3\r\ntxt\r\n", "a verbatim string without its format", 0},
        {"=5\r\ntxt-a\r\n", "a verbatim string without its format", 4},
        {"*1\r\n>1\r\n+x\r\n", "a push inside another value", 4},
        {"|1\r\n+a\r\n>1\r\n+x\r\n", "a push inside another value", 8},
    };
}

/// Single values that are wrong.
inline std::vector<Malformed> malformed_scalars() {
    const std::string integer = "an integer that is not digits after a sign";
    const std::string real = "a double that is neither a decimal number nor inf, -inf or nan";
    return {
        {":1\n:2\r\n", integer, 0},
        {":\r\n", integer, 0},
        {":-\r\n", integer, 0},
        {":+-1\r\n", integer, 0},
        {":++1\r\n", integer, 0},
        {": 1\r\n", integer, 0},
        {":1 \r\n", integer, 0},
        {":1.0\r\n", integer, 0},
        {":0x1\r\n", integer, 0},
        {":9223372036854775808\r\n", "an integer beyond 64 bits", 0},
        {":-9223372036854775809\r\n", "an integer beyond 64 bits", 0},
        {"_x\r\n", "a null with something in it", 0},
        {"#\r\n", "a boolean that is neither t nor f", 0},
        {"#T\r\n", "a boolean that is neither t nor f", 0},
        {"#tt\r\n", "a boolean that is neither t nor f", 0},
        {",\r\n", real, 0},
        {",.1\r\n", real, 0},
        {",1.\r\n", real, 0},
        {",1e\r\n", real, 0},
        {",infinity\r\n", real, 0},
        {",+inf\r\n", real, 0},
        {",nan(1)\r\n", real, 0},
        {",0x1p3\r\n", real, 0},
        {",1e999\r\n", "a number outside the range of a double", 0},
        {"(\r\n", "a big number that is not digits after a sign", 0},
        {"(1.0\r\n", "a big number that is not digits after a sign", 0},
    };
}

inline std::vector<Malformed> malformed_replies() {
    std::vector<Malformed> all = malformed_frames();
    for (const Malformed& wrong : malformed_scalars()) all.push_back(wrong);
    return all;
}

/// One command each, some after what is passed over.
inline std::vector<Example> command_examples() {
    using namespace std::string_literals;
    return {
        {"*1\r\n$4\r\nPING\r\n", "array [bulk 'PING']"},
        {"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", "array [bulk 'GET', bulk '']"},
        {"*2\r\n$3\r\nGET\r\n$4\r\n\r\n\0*\r\n"s, R"(array [bulk 'GET', bulk '\x0d\x0a\x00*'])"},
        {"PING\r\n", "array [bulk 'PING']"},
        {"PING\n", "array [bulk 'PING']"},
        {" \tSET  a\tb  \r\n", "array [bulk 'SET', bulk 'a', bulk 'b']"},
        {"$3\r\n", "array [bulk '$3']"},
        {"set a \"b c\"\r\n", "array [bulk 'set', bulk 'a', bulk 'b c']"},
        {"\"\" ''\r\n", "array [bulk '', bulk '']"},
        {R"("\n\r\t\b\a\\\"\q\x41\xff\xFg\x4")"
         "\r\n",
         R"(array [bulk '\x0a\x0d\x09\x08\x07\x5c"qA\xffxFgx4'])"},
        {R"('\n\'"\x41' "'")"
         "\r\n",
         R"(array [bulk '\x5cn\x27"\x5cx41', bulk '\x27'])"},
        {"a\"b c\" d'e f'\r\n", "array [bulk 'ab c', bulk 'de f']"},
        {"a\\ b\r\n", R"(array [bulk 'a\x5c', bulk 'b'])"},
        // Passed over, as Redis does.
        {"\r\n\n \r\n*0\r\nPING\r\n", "array [bulk 'PING']"},
    };
}

inline std::vector<Malformed> malformed_commands() {
    using namespace std::string_literals;
    const std::string quotes = "quotes that do not close before white space";
    const std::string argument = "an argument that is not a bulk string";
    const std::string length = "a length that is not digits only";
    return {
        {"*-1\r\n", length, 0},
        {"*?\r\n", "streamed strings and aggregates are not supported", 0},
        {"*1\r\n$-1\r\n", length, 4},
        {"*1\r\n:1\r\n", argument, 4},
        {"*1\r\n*1\r\n$1\r\na\r\n", argument, 4},
        {"*2\r\n$3\r\nGET\r\nkey\r\n", argument, 13},
        {"*1\r\n$1\r\nab\r\n", "no CRLF where one must be", 9},
        {"*1\n$4\r\nPING\r\n", length, 0},
        {"PING\r\nset \"a\r\n", quotes, 6},
        {"set 'a\r\n", quotes, 0},
        {"set \"a\"b\r\n", quotes, 0},
        {"set 'a'b\r\n", quotes, 0},
        {"set \"a\\\"\r\n", quotes, 0},
        {"set \"a\\\r\n", quotes, 0},
        {"set a\0b\r\n"s, "a zero byte in an inline command", 0},
    };
}

}  // namespace stint::inline v0::resp
