namespace Broker.Server.Tests.Oracle;

// PUB, HPUB, replies, and operations with wrong spelling or sizes.
internal static partial class OracleCases
{
    private const string Block = "NATS/1.0\r\nA: b\r\n\r\n";

    private static IEnumerable<OracleCase> Publishing()
    {
        yield return new OracleCase("nothing as payload", QuietA, "A SUB foo 1", "A PUB foo 0\r\n");
        yield return new OracleCase("a payload that looks like the protocol", QuietA, "A SUB foo 1", "A PUB foo 21\r\nPUB foo 2\r\nhi\r\nPING\r\n");
        yield return new OracleCase("a reply", QuietA, "A SUB foo 1", "A PUB foo bar 1\r\nx");
        yield return new OracleCase("a reply with wildcards", QuietA, "A SUB foo 1", "A PUB foo bar.* 1\r\nx", "A PUB foo > 1\r\nx", "A PUB foo a..b 1\r\nx");
        yield return new OracleCase("a size with zeros before it", QuietA, "A SUB foo 1", "A PUB foo 0002\r\nhi", "A PUB foo r 00\r\n");
        yield return new OracleCase("nobody listens", QuietA, "A PUB nobody 1\r\nx", "A PUB nobody reply 1\r\nx");
        yield return new OracleCase("a payload in pieces", QuietA, "A SUB foo 1", "A~PUB foo 10\r\n12345", "A 67890");
        yield return new OracleCase("a line in pieces", QuietA, "A SUB foo 1", "A~PU", "A~B fo", "A~o 1", "A~\r", "A~\n", "A x");
        yield return new OracleCase("to itself and another", QuietA, QuietB, "A SUB foo 1", "B SUB foo 1", "B SUB * 2", "A PUB foo 1\r\nx");
        foreach (int size in new[] { 1, 31, 32, 33, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 65535, 65536, 65537, 300_000, 1024 * 1024 })
        {
            yield return new OracleCase($"a payload of {size} bytes", QuietA, "A SUB foo 1", $"A PUB foo {size}\r\n{new string('x', size)}");
        }

        foreach (int length in new[] { 30, 100, 500, 2000, 4000 })
        {
            string subject = new('s', length);
            yield return new OracleCase($"a subject of {length} bytes", QuietA, $"A SUB {subject} 1", $"A PUB {subject} 1\r\nx");
            string many = string.Join('.', Enumerable.Repeat("t", length / 2));
            yield return new OracleCase($"a subject of {length / 2} tokens", QuietA, $"A SUB {many} 1", "A SUB t.> 2", $"A PUB {many} 1\r\nx");
        }

        yield return new OracleCase("bytes above ASCII in a subject", QuietA, "A SUB caf\u00e9 1", "A PUB caf\u00e9 1\r\nx", "A SUB \u00ff.* 2", "A PUB \u00ff.\u00fe 1\r\nx");
    }

    private static IEnumerable<OracleCase> Heading()
    {
        string hpub = $"HPUB foo {Block.Length} {Block.Length + 2}\r\n{Block}hi";
        string reply = $"HPUB foo bar {Block.Length} {Block.Length + 2}\r\n{Block}hi";
        yield return new OracleCase("headers to one who declared them", HeadersA, "A SUB foo 1", "A " + hpub, "A " + reply);
        yield return new OracleCase("headers to one who did not", HeadersA, QuietB, "B SUB foo 1", "A " + hpub, "A " + reply);
        yield return new OracleCase("headers to both", HeadersA, QuietB, "A SUB foo 1", "B SUB foo 1", "A " + hpub, "A PUB foo 1\r\nx", "A " + reply);
        yield return new OracleCase("headers in a queue", HeadersA, "A SUB foo q 1", "A " + hpub);
        yield return new OracleCase("PUB to one who declared headers", HeadersA, QuietB, "A SUB foo 1", "B PUB foo 1\r\nx", "B PUB foo bar 1\r\nx");
        yield return new OracleCase("headers and no body", HeadersA, QuietB, "A SUB foo 1", "B SUB foo 2", $"A HPUB foo {Block.Length} {Block.Length}\r\n{Block}");
        yield return new OracleCase("zeros before header sizes", HeadersA, "A SUB foo 1", $"A HPUB foo 00{Block.Length} 000{Block.Length + 2}\r\n{Block}hi");
        yield return new OracleCase("a header size of 0", HeadersA, QuietB, "A SUB foo 1", "B SUB foo 2", "A HPUB foo 0 2\r\nhi");
        yield return new OracleCase("headers that are none", HeadersA, "A SUB foo 1", "A HPUB foo 4 6\r\nabcdhi");
        yield return new OracleCase("both sizes 0", HeadersA, "A SUB foo 1", "A HPUB foo 0 0\r\n");
        yield return new OracleCase("HPUB before anything stays subscribed for others", HeadersA, HeadersB, "B SUB > 9", "A " + hpub);
        yield return new OracleCase("HPUB and PUB in turn", HeadersA, "A SUB foo 1", "A PUB foo 1\r\nx", "A " + hpub, "A PUB foo 1\r\nx", "A " + hpub, "A " + hpub);
    }

    private static IEnumerable<OracleCase> Responding()
    {
        const string Asking = """A CONNECT {"verbose":false,"headers":true,"no_responders":true}""";
        yield return new OracleCase("no responders", Asking, "A SUB inbox.* 1", "A PUB nr.a inbox.x 1\r\nx");
        yield return new OracleCase("no responders, exact inbox", Asking, "A SUB inbox.x 1", "A PUB nr.a inbox.x 1\r\nx");
        yield return new OracleCase("no responders, tail inbox", Asking, "A SUB inbox.> 1", "A PUB nr.a inbox.x.y 1\r\nx");
        yield return new OracleCase("no responders, inbox in a queue", Asking, "A SUB inbox.* q 1", "A PUB nr.a inbox.x 1\r\nx");
        yield return new OracleCase("no responders without an inbox", Asking, "A PUB nr.a inbox.x 1\r\nx");
        yield return new OracleCase("no responders, another's inbox", Asking, HeadersB, "B SUB inbox.* 1", "A PUB nr.a inbox.x 1\r\nx");
        yield return new OracleCase("no responders, verbose", """A CONNECT {"headers":true,"no_responders":true}""", "A SUB inbox.* 1", "A PUB nr.a inbox.x 1\r\nx");
        yield return new OracleCase("no responders with headers", Asking, "A SUB inbox.* 1", $"A HPUB nr.a inbox.x {Block.Length} {Block.Length}\r\n{Block}");
        yield return new OracleCase("no responders, empty token", Asking, "A SUB inbox.* 1", "A PUB nr..a inbox.x 1\r\nx");
        yield return new OracleCase("no responders, empty token in the reply", Asking, "A SUB inbox.> 1", "A PUB nr.a inbox..x 1\r\nx");
        yield return new OracleCase("no responders, wildcard in the reply", Asking, "A SUB inbox.> 1", "A PUB nr.a inbox.* 1\r\nx", "A PUB nr.a inbox.> 1\r\nx");
        yield return new OracleCase("no responders after the last has left", Asking, QuietB, "A SUB inbox.* 1", "B SUB nr.b 1", "A PUB nr.b inbox.x 1\r\nx", "B UNSUB 1", "A PUB nr.b inbox.y 1\r\nx");
        yield return new OracleCase("no responders, echo off and only oneself", """A CONNECT {"verbose":false,"headers":true,"no_responders":true,"echo":false}""",
            "A SUB inbox.* 1", "A SUB nr.c 2", "A PUB nr.c inbox.x 1\r\nx");
        yield return new OracleCase("no responders do not count for max", Asking, "A SUB inbox.* 1", "A UNSUB 1 1", "A PUB nr.a inbox.x 1\r\nx", "A PUB nr.a inbox.y 1\r\nx", "A PUB inbox.z 1\r\nz");
        yield return new OracleCase("no responders of 2,000 bytes", Asking, "A SUB > 1", "A UNSUB 1 1", "A PUB nr.z 0\r\n", "A SUB i.* 2", $"A PUB nr.a i.{new string('r', 2000)} 1\r\nx");
        yield return new OracleCase("a request answered", Asking, QuietB, "A SUB inbox.* 1", "B SUB svc q 1", "A PUB svc inbox.7 2\r\nhi", "B PUB inbox.7 2\r\nyo");
    }

    private static IEnumerable<OracleCase> Spelling()
    {
        string[] lines =
        [
            "sub foo 1", "Sub foo 1", "sUB foo 1", "SUB\tfoo\t1", "SUB  foo   1", "SUB foo 1 ", "SUB foo 1\t", "SUB \t foo \t q \t 1", "sub foo q 1",
            "ping", "PING ", "PING extra", "pInG", "PONG", "pong x",
            "PUB foo 2\r\nhi", "pub foo 2\r\nhi", "Pub\tfoo\t2\r\nhi", "PUB  foo  2\r\nhi", "PUB foo 2 \r\nhi", "pUb foo\tbar 2\r\nhi",
        ];
        foreach (string line in lines)
        {
            // Another client subscribes to everything, because nats-server has no fixed order for several subscriptions
            // of one client.
            yield return new OracleCase($"spelled {line.Replace("\r\n", "~", StringComparison.Ordinal)}", QuietA, QuietB, "B SUB * 9", "A " + line, "A PUB foo 2\r\nok");
        }

        yield return new OracleCase("LF alone ends SUB", QuietA, "A~SUB foo 1\n", "A PUB foo 1\r\nx");
        yield return new OracleCase("LF alone ends PUB's line", QuietA, "A SUB foo 1", "A~PUB foo 1\nx\r\n", "A~PUB foo r 1\nx\r\n", "A PUB foo 1\r\ny");
        yield return new OracleCase("LF alone ends CONNECT", "A~CONNECT {\"verbose\":false}\n", "A SUB foo 1");
        yield return new OracleCase("LF alone ends PING", QuietA, "A~PING\n", "A PUB foo 1\r\nx");
        yield return new OracleCase("LF alone ends UNSUB", QuietA, "A SUB foo 1", "A~UNSUB 1\n", "A PUB foo 1\r\nx");
        yield return new OracleCase("connect in small letters", "A connect {\"verbose\":false}", "A SUB foo 1", "A unsub 1", "A PUB foo 1\r\nx");
        yield return new OracleCase("CONNECT after a tab", "A CONNECT\t{\"verbose\":false}", "A SUB foo 1");
        yield return new OracleCase("+OK from a client", QuietA, "A +OK", "A SUB foo 1", "A PUB foo 1\r\nx");
        yield return new OracleCase("PING many times in one piece", "A PING\r\nPING\r\nPONG\r\nPING");
    }

    private static IEnumerable<OracleCase> HearingServers()
    {
        string[] lines =
        [
            "+ok", "+Ok", "+OKxyz", "+OK xyz", "+O", "+", "+OX", "\vOK",
            "info {}", "INFO\t{}", "INFO   {}  ", "INFO null", "INFO ", "INFO", "INFO  \t ", "INFO{}", "INFO x", "INFO []", "INFO 5", "INFO \"x\"", "INFO true",
            "INFO {\"server_id\":\"x\",\"a\":[1,2]}", "INFO {\"server_id\":5}", "INFO {} {}", "INFO {\"a\":1,}", "INFO {}\r", "INFO {\r}", "INFOX {}", "INF", "I",
            "-ERR x", "-err 'x'", "-ERR\tx", "-ERR", "-ERR ", "-ERR  ", "-ERRx", "-ER", "-", "-E x", "\rERR x",
        ];
        foreach (string line in lines)
        {
            string shown = line.Replace("\t", "\\t", StringComparison.Ordinal).Replace("\r", "\\r", StringComparison.Ordinal).Replace("\v", "\\v", StringComparison.Ordinal);
            yield return new OracleCase($"a server's word <{shown}>", QuietA, "A " + line, "A SUB foo 1", "A PUB foo 1\r\nx");
            yield return new OracleCase($"a server's word <{shown}> and LF", QuietA, $"A~{line}\n", "A SUB foo 1", "A PUB foo 1\r\nx");
        }

        foreach (int length in (int[])[4_000, 5_000])
        {
            yield return new OracleCase($"a server's word of {length:N0} bytes, +OK", QuietA, "A +OK" + new string('x', length));
            yield return new OracleCase($"a server's word of {length:N0} bytes, INFO", QuietA, $"A INFO {{\"a\":\"{new string('x', length)}\"}}");
            yield return new OracleCase($"a server's word of {length:N0} bytes, -ERR", QuietA, "A -ERR " + new string('x', length));
        }

        yield return new OracleCase("servers' words in pieces", QuietA, "A~+", "A~OK", "A~\r", "A~\nIN", "A~FO {", "A~}", "A~\r\n", "A SUB foo 1", "A PUB foo 1\r\nx", "A~-E", "A~RR ", "A x");
        yield return new OracleCase("servers' words between others", QuietA, "A +OK\r\nSUB foo 1\r\nINFO {}\r\nPUB foo 1\r\nx\r\n-ERR x\r\nPUB foo 1\r\ny");
        yield return new OracleCase("servers' words before CONNECT", "A +OK\r\nINFO {}", "A PING", "A -ERR x");
    }

    private static IEnumerable<OracleCase> Failing()
    {
        string[] verbs =
        [
            "GET / HTTP/1.1", "FOO", "PUBX foo 1", "SUBS foo 1", "PI", "PINGX", "P", "X", "UNSU 1", "UNSUBX 1", "CONNEC {}", "CONNECTX {}", "MSG foo 1 0\r\n",
            "INFO {}", "-ERR 'x'", "HMSG a 1 0 0\r\n", "LS+ foo", "RS+ foo", "\0\0\0\0", "\u0001\u0002", "PUB", "SUB", "UNSUB", "HPUB", "CONNECT",
        ];
        foreach (string verb in verbs)
        {
            yield return new OracleCase($"verb {verb.Replace("\r\n", "~", StringComparison.Ordinal).Replace("\0", "0", StringComparison.Ordinal)}", QuietA, "A " + verb);
        }

        string[] sizes = ["-1", "x", "", "1x", "0x10", "+1", "1.5", "1048577", "2147483647", "2147483648", "4294967297", "9223372036854775807", "9223372036854775808", "123456789012345678901234567890"];
        foreach (string size in sizes)
        {
            yield return new OracleCase($"PUB of size <{size}>", QuietA, "A SUB foo 1", $"A PUB foo {size}\r\nhi");
            yield return new OracleCase($"HPUB of size <{size}>", HeadersA, "A SUB foo 1", $"A HPUB foo 12 {size}\r\nNATS/1.0\r\n\r\n");
            yield return new OracleCase($"HPUB of header size <{size}>", HeadersA, "A SUB foo 1", $"A HPUB foo {size} 14\r\nNATS/1.0\r\n\r\nhi");
        }

        yield return new OracleCase("PUB with four words", QuietA, "A PUB a b c 1\r\nx");
        yield return new OracleCase("HPUB with two words", HeadersA, "A HPUB a 12\r\nNATS/1.0\r\n\r\n");
        yield return new OracleCase("HPUB with five words", HeadersA, "A HPUB a b c 12 12\r\nNATS/1.0\r\n\r\n");
        yield return new OracleCase("a header size above the total", HeadersA, "A HPUB foo 14 12\r\nNATS/1.0\r\n\r\n");
        yield return new OracleCase("HPUB without headers declared", QuietA, "A HPUB foo 12 14\r\nNATS/1.0\r\n\r\nhi");
        yield return new OracleCase("HPUB before CONNECT", "A HPUB foo 12 14\r\nNATS/1.0\r\n\r\nhi");
        yield return new OracleCase("a payload longer than it says", QuietA, "A SUB foo 1", "A PUB foo 2\r\nhixx");
        yield return new OracleCase("a payload shorter than it says", QuietA, "A SUB foo 1", "A PUB foo 5\r\nhi\r\nPUB foo 1\r\nx");
        yield return new OracleCase("a payload ended by LF", QuietA, "A SUB foo 1", "A~PUB foo 2\r\nhi\n", "A~PING\r\n");
        foreach (int length in new[] { 4000, 4080, 4090, 4094, 4095, 4096, 4097, 4098, 4100, 4200, 5000, 70_000 })
        {
            yield return new OracleCase($"a SUB line of {length} bytes", QuietA, $"A SUB {new string('s', length - 2)} 1");
            yield return new OracleCase($"a CONNECT line of {length} bytes", $$"""A CONNECT {"verbose":false,"name":"{{new string('n', length - 27)}}"}""");
        }
    }
}
