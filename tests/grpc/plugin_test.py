#!/usr/bin/env python3
"""What protoc-gen-stint refuses, with file, line, method and reason: plugin_test.py PROTOC PLUGIN PROTO-FOLDER"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROTOC, PLUGIN, PROTOS = (str(pathlib.Path(word).absolute()) for word in sys.argv[1:4])
del sys.argv[1:]

FILE = '''syntax = "proto3";
package demo;
import "stint/v1/rate_limit.proto";
message User { string id = 1; }
message Q { string team = 1; repeated string many = 2; double score = 3; User user = 4; map<string, string> map = 5; }
message R {}
service Contest {
  rpc Submit(%s Q) returns (R) { option (stint.v1.rate_limit) = {%s}; }
  rpc Other(Q) returns (R) { option (stint.v1.rate_limit) = {%s}; }
}
'''
FINE = 'action: "other" limit: 1 window_seconds: 1'


def run(option, other=FINE, stream='', arguments=()):
    """Returns: the exit code, what is said, and what is made."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / 'a.proto').write_text(FILE % (stream, option, other))
        done = subprocess.run([PROTOC, f'--plugin=protoc-gen-stint={PLUGIN}', f'--stint_out={folder}', f'-I{folder}',
                               f'-I{PROTOS}', *arguments, 'a.proto'], cwd=folder, capture_output=True, text=True,
                              timeout=30)
        made = pathlib.Path(folder) / 'a.stint.h'
        return done.returncode, done.stderr, made.read_text() if made.exists() else ''


class PluginTest(unittest.TestCase):
    def refused(self, reason, option, **more):
        code, said, made = run(option, **more)
        self.assertNotEqual(code, 0, option)
        self.assertIn(reason, said)
        self.assertIn('a.proto:', said)
        self.assertEqual(made, '')

    def test_what_is_fine(self):
        for option in [FINE, 'action: "a" limit: 3 window_seconds: 60 key: "team"',
                       'action: "a" limit: 3 window_seconds: 60 key: ["user.id", "peer", "metadata:x-user"]',
                       'action: "a" limit: 0 window_seconds: 60 algorithm: TOKEN_BUCKET capacity: 5']:
            code, said, made = run(option)
            self.assertEqual((code, said), (0, ''), option)
            self.assertIn('class RateLimitedContest final', made)

    def test_numbers_that_cannot_be(self):
        self.refused('a.proto:8:3: Contest.Submit: action: missing', 'limit: 3 window_seconds: 60')
        self.refused('limit: missing; 0 closes the method', 'action: "a" window_seconds: 60')
        self.refused('window_seconds: missing, or 0', 'action: "a" limit: 3')
        self.refused('limit: 4294967296 is too large', 'action: "a" limit: 4294967296 window_seconds: 60')
        self.refused('too long', 'action: "a" limit: 3 window_seconds: 3155760001')
        self.refused('too long', 'action: "a" limit: 3 window_seconds: 18446744073709551615')
        self.refused('capacity: only token_bucket has one', 'action: "a" limit: 3 window_seconds: 60 capacity: 5')
        self.refused('142 years', 'action: "a" limit: 1 window_seconds: 1 algorithm: TOKEN_BUCKET capacity: 4503599628')
        self.refused('cost: ', 'action: "a" limit: 3 window_seconds: 60 cost: 1125899906842625')
        self.refused("'two words' is not possible", 'action: "two words" limit: 3 window_seconds: 60')

    def test_keys_that_cannot_be(self):
        start = 'action: "a" limit: 3 window_seconds: 60 '
        self.refused("key: 'tem': demo.Q has no field tem", start + 'key: "tem"')
        self.refused("key: 'user.name': demo.User has no field name", start + 'key: "user.name"')
        self.refused("key: 'user' is a message", start + 'key: "user"')
        self.refused("key: 'team.id': team is no message", start + 'key: "team.id"')
        self.refused("key: 'many': many is repeated", start + 'key: "many"')
        self.refused("key: 'map': map is repeated", start + 'key: "map"')
        self.refused("key: 'score' is no key: floating", start + 'key: "score"')
        self.refused("key: '': demo.Q has no field", start + 'key: ""')
        self.refused("key: 'team.': team is no message", start + 'key: "team."')
        self.refused('is no name of metadata', start + 'key: "metadata:X-User"')
        self.refused('is no name of metadata', start + 'key: "metadata:"')
        self.refused("the attribute 'team' is named twice", start + 'key: ["team", "team"]')
        self.refused('are too many', start + ' '.join(f'key: "metadata:m{i}"' for i in range(9)))
        self.refused('of a stream of requests no field is known', start + 'key: "team"', stream='stream')

    def test_one_action_is_one_limit(self):
        option = 'action: "a" limit: 3 window_seconds: 60'
        self.assertEqual(run(option, other=option)[0], 0)
        self.refused("a.proto:9:3: Contest.Other: action: 'a' has another limit or key in Contest.Submit", option,
                     other='action: "a" limit: 4 window_seconds: 60')

    def test_it_takes_no_parameter(self):
        code, said, _ = run(FINE, arguments=['--stint_opt=x'])
        self.assertNotEqual(code, 0)
        self.assertIn('takes no parameter', said)


if __name__ == '__main__':
    unittest.main()
