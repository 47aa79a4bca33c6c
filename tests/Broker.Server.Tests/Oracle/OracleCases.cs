namespace Broker.Server.Tests.Oracle;

/// <summary>The cases, grouped by topic.</summary>
internal static partial class OracleCases
{
    private const string QuietA = """A CONNECT {"verbose":false,"pedantic":false}""";
    private const string QuietB = """B CONNECT {"verbose":false,"pedantic":false}""";
    private const string HeadersA = """A CONNECT {"verbose":false,"pedantic":false,"headers":true}""";
    private const string HeadersB = """B CONNECT {"verbose":false,"pedantic":false,"headers":true}""";

    internal static IReadOnlyList<OracleCase> All { get; } =
        [.. Matching(), .. Connecting(), .. Acknowledging(), .. Subscribing(), .. Publishing(), .. Heading(), .. Responding(), .. Spelling(), .. HearingServers(), .. Failing()];

    // Every filter with every subject: the received messages and the refused operations.
    private static IEnumerable<OracleCase> Matching()
    {
        string[] filters =
        [
            "a", "a.b", "a.b.c", "*", "*.*", "*.b", "a.*", "a.*.c", ">", "a.>", "a.b.>", "*.>", "*.*.>", "a*", "*a", "a>", ">a", "a.b*.c",
            "**", ">>", "a.**", "a.>>", "*.b.*", "a.*.>", "A.b",
        ];
        string[] subjects = ["a", "a.b", "a.b.c", "b", "a.*", "a.>", "*", ">", "a*", "a..b", ".a", "a.", "a.b*.c", "a.**", "A.b"];
        foreach (string filter in filters)
        {
            yield return new OracleCase($"SUB {filter} against all subjects",
                [QuietA, QuietB, $"A SUB {filter} 1", .. subjects.Select(s => $"B PUB {s} {s.Length}\r\n{s}")]);
        }

        string[] invalid =
            [".", "..", ".a", "a.", "a..b", "..a", "a..", "a.>.b", ">.a", ">.>", "a.>.", "*.", ".*", ".>", ">.", "a.*.", "a..*", "*..>"];
        foreach (string filter in invalid)
        {
            yield return new OracleCase($"SUB {filter} is refused in every mode",
                $"A SUB {filter} 1", """A CONNECT {"verbose":true,"pedantic":true}""", $"A SUB {filter} 2",
                """A CONNECT {"verbose":false,"pedantic":false}""", $"A SUB {filter} 3", "A PUB a.b 1\r\nx", "A PUB a 1\r\nx");
            yield return new OracleCase($"SUB {filter} q is refused too", QuietA, $"A SUB {filter} q 1", "A PUB a.b 1\r\nx");
            yield return new OracleCase($"PUB {filter} goes where it did",
                QuietA, "A SUB > 1", "A SUB *.* 2", "A SUB *.*.* 3", $"A PUB {filter} 1\r\nx");
            yield return new OracleCase($"PUB {filter} in pedantic mode",
                """A CONNECT {"verbose":false,"pedantic":true}""", "A SUB > 1", "A SUB *.* 2", $"A PUB {filter} 1\r\nx", $"A PUB a {filter} 1\r\nx");
        }
    }

    private static IEnumerable<OracleCase> Connecting()
    {
        string[] fields =
        [
            "", "\"verbose\":true", "\"verbose\":false", "\"pedantic\":false", "\"verbose\":false,\"pedantic\":true", "\"verbose\":null",
            "\"VERBOSE\":false", "\"Verbose\":false,\"verbose\":true", "\"verbose\":false,\"verbose\":true", "\"echo\":false",
            "\"echo\":false,\"verbose\":false", "\"protocol\":0", "\"protocol\":1", "\"protocol\":2", "\"protocol\":-1", "\"protocol\":null",
            "\"protocol\":1.0", "\"protocol\":1.5", "\"protocol\":\"1\"", "\"name\":\"x\"", "\"name\":null", "\"name\":5", "\"lang\":\"c\",\"version\":\"1\"",
            "\"verbose\":\"true\"", "\"verbose\":1", "\"unknown\":{\"a\":[1,2,{}]},\"verbose\":false", "\"headers\":true", "\"headers\":true,\"no_responders\":true",
            "\"no_responders\":true", "\"user\":\"u\",\"pass\":\"p\"", "\"auth_token\":\"t\"", "\"tls_required\":false", "\"tls_required\":true",
            "\"jwt\":\"\",\"sig\":\"\",\"nkey\":\"\"", "\"name\":\"\\u00e9\\n\"", "\"verbose\":false,", "\"verbose\"", "\"verbose\":false \"pedantic\":true",
            // The text is sent as Latin-1, so these are not UTF-8.
            "\"name\":\"caf\u00e9\",\"verbose\":false", "\"name\":\"\u00ff\u00fe\"", "\"lang\":\"\u00e2\u0082\",\"version\":\"\u00e9\"",
            "\"user\":\"\u00e9\",\"pass\":\"\u00e9\"", "\"n\u00e9\":1", "\u00e9", "\"name\":\"\\ud800\"", "\"name\":\"\\udc00x\\ud83d\\ude00\\n\"",
            "\"user\":5", "\"pass\":true", "\"auth_token\":{}", "\"lang\":7", "\"version\":[]",
        ];
        foreach (string field in fields)
        {
            yield return new OracleCase($"CONNECT {{{field}}}", $"A CONNECT {{{field}}}", "A SUB foo 1", "A PUB foo 2\r\nhi", "A PUB a..b 1\r\nx");
        }

        string[] bodies = ["", "{", "}", "[]", "null", "5", "\"x\"", "{} {}", "{}x", "{'verbose':false}", "{verbose:false}", "true", "  {}  ", "\t{}"];
        foreach (string body in bodies)
        {
            yield return new OracleCase($"CONNECT with the body <{body}>", $"A CONNECT {body}", "A SUB foo 1", "A PUB foo 2\r\nhi");
        }

        yield return new OracleCase("no CONNECT at all is verbose", "A SUB foo 1", "A PUB foo 2\r\nhi", "A UNSUB 1", "A PUB foo 2\r\nhi");
        yield return new OracleCase("no CONNECT at all is not pedantic", "A PUB foo..bar 2\r\nhi", "A PUB foo.* 2\r\nhi");
        yield return new OracleCase("a repeated CONNECT", QuietA, "A SUB foo 1", "A PUB foo 1\r\n1", QuietA, "A PUB foo 1\r\n2", "A SUB foo 1", "A PUB foo 1\r\n3");
        yield return new OracleCase("a repeated CONNECT with less in it", QuietA, "A SUB foo 1", "A CONNECT {}", "A SUB bar 2", "A PUB foo 1\r\n2", "A PUB bar 1\r\n3");
        yield return new OracleCase("a repeated CONNECT keeps echo off or not",
            """A CONNECT {"verbose":false,"echo":false}""", "A CONNECT {\"verbose\":false}", "A SUB foo 2", "A PUB foo 1\r\n2");
        yield return new OracleCase("a repeated CONNECT changes the mode", QuietA, """A CONNECT {"verbose":true}""", "A SUB foo 1", QuietA, "A PUB foo 1\r\nx");
        yield return new OracleCase("a repeated CONNECT keeps others subscribed", QuietA, QuietB, "B SUB foo 1", QuietA, "A PUB foo 1\r\nx");
        yield return new OracleCase("CONNECT after subscriptions", "A SUB foo 1", QuietA, "A PUB foo 1\r\nx");
        yield return new OracleCase("echo off", """A CONNECT {"verbose":false,"echo":false}""", QuietB, "A SUB foo 1", "B SUB foo 2", "A PUB foo 1\r\na", "B PUB foo 1\r\nb");
        yield return new OracleCase("echo off in a queue group", """A CONNECT {"verbose":false,"echo":false}""", QuietB,
            "A SUB foo q 1", "B SUB foo q 2", "A PUB foo 1\r\na", "A PUB foo 1\r\nb", "A PUB foo 1\r\nc");
    }

    private static IEnumerable<OracleCase> Acknowledging()
    {
        yield return new OracleCase("+OK to each but PING", "A CONNECT {}", "A PING", "A SUB foo 1", "A PUB foo 1\r\nx", "A UNSUB 1", "A PONG");
        yield return new OracleCase("+OK to UNSUB of nobody", "A UNSUB 77");
        yield return new OracleCase("+OK to a SUB that is a duplicate", "A SUB foo 1", "A SUB bar 1", "A PUB foo 1\r\na", "A PUB bar 1\r\nb");
        yield return new OracleCase("verbose and pedantic, valid", """A CONNECT {"verbose":true,"pedantic":true}""", "A SUB foo 1", "A PUB foo 1\r\nx");
        yield return new OracleCase("verbose and pedantic, invalid", """A CONNECT {"verbose":true,"pedantic":true}""", "A SUB a.* 1", "A PUB a.* 1\r\nx", "A PUB a..b 1\r\nx");
        yield return new OracleCase("verbose and not pedantic, empty token", """A CONNECT {"verbose":true,"pedantic":false}""", "A SUB a.> 1", "A PUB a..b 1\r\nx");
        yield return new OracleCase("verbose HPUB", """A CONNECT {"verbose":true,"headers":true}""", "A SUB foo 1", "A HPUB foo 12 14\r\nNATS/1.0\r\n\r\nhi");
        yield return new OracleCase("verbose with several in one piece", "A SUB foo 1\r\nPUB foo 1\r\na\r\nPUB foo 1\r\nb\r\nUNSUB 1\r\nPUB foo 1\r\nc");
        yield return new OracleCase("verbose UNSUB with max", "A SUB foo 1", "A UNSUB 1 2", "A PUB foo 1\r\na", "A PUB foo 1\r\nb", "A PUB foo 1\r\nc");
    }

    private static IEnumerable<OracleCase> Subscribing()
    {
        yield return new OracleCase("a duplicate sid keeps the first", QuietA, "A SUB foo 1", "A SUB bar 1", "A PUB foo 1\r\nf", "A PUB bar 1\r\nb");
        yield return new OracleCase("a duplicate sid in a queue", QuietA, "A SUB foo q 1", "A SUB bar 1", "A PUB foo 1\r\nf", "A PUB bar 1\r\nb");
        yield return new OracleCase("a duplicate sid with a filter that is not valid", "A SUB foo 1", "A SUB a. 1", "A SUB .a q 1", "A SUB a. 2", "A PUB foo 1\r\nf");
        yield return new OracleCase("a sid whose SUB was refused", "A SUB a..b 1", "A SUB foo 1", "A PUB foo 1\r\nf");
        yield return new OracleCase("the same filter twice", QuietA, "A SUB foo 1", "A SUB foo 2", "A UNSUB 1", "A PUB foo 1\r\nf");
        yield return new OracleCase("sids of all kinds", QuietA, "A SUB foo x-y_z", "A PUB foo 1\r\nf", "A UNSUB x-y_z", "A SUB foo 0123456789012345678901234567890", "A PUB foo 1\r\ng");
        yield return new OracleCase("UNSUB of another's sid", QuietA, QuietB, "A SUB foo 1", "B UNSUB 1", "B PUB foo 1\r\nx");
        yield return new OracleCase("a sid again after UNSUB", QuietA, "A SUB foo 1", "A UNSUB 1", "A SUB bar 1", "A PUB foo 1\r\nf", "A PUB bar 1\r\nb");
        yield return new OracleCase("a sid again after its max", QuietA, "A SUB foo 1", "A UNSUB 1 1", "A PUB foo 1\r\nf", "A SUB bar 1", "A PUB bar 1\r\nb");
        foreach (int max in new[] { 0, 1, 2, 3, 5 })
        {
            yield return new OracleCase($"UNSUB {max} before", [QuietA, "A SUB foo 1", $"A UNSUB 1 {max}", .. Enumerable.Range(0, 6).Select(i => $"A PUB foo 1\r\n{i}")]);
            yield return new OracleCase($"UNSUB {max} after two", [QuietA, "A SUB foo 1", "A PUB foo 1\r\na", "A PUB foo 1\r\nb", $"A UNSUB 1 {max}", .. Enumerable.Range(0, 6).Select(i => $"A PUB foo 1\r\n{i}")]);
            yield return new OracleCase($"UNSUB {max} in a queue", [QuietA, "A SUB foo q 1", $"A UNSUB 1 {max}", .. Enumerable.Range(0, 6).Select(i => $"A PUB foo 1\r\n{i}")]);
        }

        yield return new OracleCase("UNSUB max twice, more", QuietA, "A SUB foo 1", "A UNSUB 1 1", "A UNSUB 1 3", "A PUB foo 1\r\na", "A PUB foo 1\r\nb", "A PUB foo 1\r\nc", "A PUB foo 1\r\nd");
        yield return new OracleCase("UNSUB max taken back by 0", QuietA, "A SUB foo 1", "A UNSUB 1 5", "A UNSUB 1 0", "A PUB foo 1\r\na");
        foreach (string max in new[] { "-1", "x", "99999999999", "1x", "+1", "2147483648", "0005" })
        {
            yield return new OracleCase($"UNSUB max of {max}", QuietA, "A SUB foo 1", $"A UNSUB 1 {max}", "A PUB foo 1\r\na");
        }

        yield return new OracleCase("one queue over different filters", QuietA, "A SUB a.b q 1", "A SUB a.* q 1", "A SUB a.> q 1", "A PUB a.b 1\r\nx");
        yield return new OracleCase("two queues and a plain one", QuietA, "A SUB a q1 1", "A PUB a 1\r\nx", QuietB, "B SUB a q2 2", "A PUB a 1\r\ny");
        yield return new OracleCase("queue names are told apart by case", QuietA, QuietB, "A SUB a q 1", "B SUB a Q 2", "A PUB a 1\r\nx");
        yield return new OracleCase("queue names may be odd", QuietA, "A SUB a *.> 1", "A PUB a 1\r\nx", "A SUB a a..b 2", "A UNSUB 1", "A PUB a 1\r\ny");
        yield return new OracleCase("a plain and a queue subscription of one client", QuietA, "A SUB a 1", "A PUB a 1\r\nx", "A UNSUB 1", "A SUB a q 2", "A PUB a 1\r\ny");
        yield return new OracleCase("SUB without a sid", QuietA, "A SUB foo");
        yield return new OracleCase("SUB without anything", QuietA, "A SUB ");
        yield return new OracleCase("SUB with four words", QuietA, "A SUB a b c d");
        yield return new OracleCase("UNSUB without anything", QuietA, "A UNSUB ");
        yield return new OracleCase("UNSUB with three words", QuietA, "A UNSUB 1 2 3");
    }
}
