namespace Broker.Protocol.Tests.Support;

/// <summary>Valid and invalid streams of each side, for parsers with <see cref="Limits"/>.</summary>
internal static class Streams
{
    /// <summary>
    /// Small limits, so that lines of the maximum length can be split at every byte in reasonable time.
    /// </summary>
    internal static ParserLimits Limits { get; } = new(100, 300);

    /// <summary>A line limit below the number of bytes that are scanned at once.</summary>
    internal static ParserLimits ShortLimits { get; } = new(20, 300);

    private static readonly string Long = Text.Letters(64);

    internal static readonly string[] Client =
    [
        "CONNECT {\"verbose\":false}\r\nPING\r\nPONG\r\nSUB foo 1\r\nPUB foo 2\r\nhi\r\nUNSUB 1\r\n",
        "connect {}\r\nping\r\npong\r\nsub foo q 1\r\npub foo 2\r\nhi\r\nunsub 1 5\r\nhpub a 12 12\r\nNATS/1.0\r\n\r\n\r\n",
        "Connect\t{ }\r\nPiNg \t extra\r\nPONG x\nSuB\tfoo\t1\r\nPuB\tfoo\t2\r\nhi\r\nUnSub\t1\t5\nHpUb\ta\t12\t12\r\nNATS/1.0\r\n\r\n\r\n",
        "CONNECT   {\"a\": 1}  \nPING\nPONG\nSUB foo 1\nPUB foo 2\nhi\r\nUNSUB 1\nPING\r\r\n",
        "PUB  foo  2\r\nhi\r\nPUB foo 2 \r\nhi\r\nPUB   foo \t bar  2  \r\nhi\r\nSUB  foo  1 \r\nUNSUB   1   2  \r\nHPUB  a  1  2 \r\nxy\r\n",
        "PUB foo 0\r\n\r\nPUB foo bar 0\r\n\r\nHPUB foo 0 0\r\n\r\nHPUB foo r 0 2\r\nhi\r\nHPUB foo 00 02\r\nhi\r\n",
        "PUB foo 23\r\nPUB bar 2\r\nhi\r\nPING\r\n\r\n\r\nPUB foo 4\r\n\r\n\r\n\r\nPUB foo 2\r\n\r\n\r\nPING\r\n",
        "PUB foo 002\r\nhi\r\nPUB foo 2\r\nhi\r\nPUB foo bar 000000002\r\nhi\r\n",
        "PUB foo 2\r\nab\r\nPUB foo 2\r\ncd\r\nPUB foo 2\r\nef\r\nPUB foo 2\r\ngh\r\nPUB foo 2\r\nij\r\nPUB foo 2\r\nkl\r\n",
        "PUB foo 2\r\nab\r\nPING\r\nPUB foo 2\r\ncd\r\nSUB a 1\r\nPUB foo 2\r\nef\r\nUNSUB 1\r\nPUB foo 3\r\nghi\r\nPUB bar 3\r\nabc\r\nPUB foo 3\r\ndef\r\n",
        "PUB foo 9\r\n123456789\r\nPUB foo 10\r\n1234567890\r\nPUB foo 9\r\n123456789\r\nPUB fop 9\r\n123456789\r\nPUB fo 9\r\n123456789\r\n",
        "PUB foo 2\r\nab\r\npub foo 2\r\ncd\r\nPUB foo r 2\r\nef\r\nPUB foo s 2\r\ngh\r\nHPUB foo 1 2\r\nij\r\nHPUB foo 1 2\r\nkl\r\nHPUB foo 2 2\r\nkl\r\n",
        $"PUB foo 9\r\n123456789\r\nPUB {Long} 1\r\nx\r\nPUB foo 9\r\n123456789\r\nPUB {Long} 1\r\nx\r\nPUB {Long} 1\r\nx\r\n",
        "PUB foo _INBOX.abcdefghijklmnopqrstuvwxyz.1 2\r\nab\r\nPUB foo _INBOX.abcdefghijklmnopqrstuvwxyz.2 2\r\nab\r\nPUB fop _INBOX.abcdefghijklmnopqrstuvwxyz.3 2\r\nab\r\nPUB foo 30\r\n123456789012345678901234567890\r\n",
        "PUB foo 2\r\nab\r\nPUB  barbar 3 \r\ncde\r\nPUB foo 2\r\nef\r\nHPUB foo 0 2\r\ngh\r\nPUB foo 2\r\nij\r\nPUB foo 02\r\nkl\r\nPUB foo 2\r\nmn\r\n",
        "PUB abcdefghijklmnopqrstuvwxyz123456 2\r\nab\r\nPUB abcdefghijklmnopqrstuvwxyz123457 2\r\nab\r\nPUB abcdefghijklmnopqrstuvwxyz123457 40\r\n1234567890123456789012345678901234567890\r\n",
        "SUB foo abc\r\nSUB foo queue sid-of-letters\r\nUNSUB abc\r\nUNSUB abc 0\r\nUNSUB abc -1\r\nUNSUB abc x\r\nUNSUB abc 99999999999999999999\r\n",
        "SUB \u0080\u00ff.\u00fe 1\r\nPUB \u0080\u00ff.\u00fe 3\r\n\0\u00ff\u0080\r\nPUB a\0\u0001b\f 1\r\nx\r\n",
        "INFO {\"a\":1} \r\ninfo{}\nINFO\t null \r\r\nINFO\r\nINFO \n-ERR 'x'\r\n-err\tx\n-ERR \r\n-ERR \n+OK\r\n+ok and more\n+Ok\r\nPING\r\n",
        $"+OK{Text.Letters(100)}\r\nINFO{Text.Letters(100)}\r\n-ERR {Text.Letters(99)}\nPING\r\n",
        "PUB foo 2\r\nhi\r\nPUB",
        "PUB foo 20\r\nhi\r\nPUB",
        "CONNE",
        "INFO {",
        "-ER",
        "+O",
        "UNSUB",
        "HPUB",
        "P",
        "",
        .. Lengths(),
    ];

    internal static readonly string[] BadClient =
    [
        "\r\n",
        "X",
        " PING\r\n",
        "PING\r\n\r\nPING\r\n",
        "PIN\r\n",
        "PUB\r\n",
        "PUBX a 1\r\n",
        "HPUBX a 1 1\r\n",
        "SUBX a 1\r\n",
        "UNSUX 1\r\n",
        "UNSUBX 1\r\n",
        "UNSUB\r\n",
        "CONNX\r\n",
        "CONNECT\r\n",
        "CONNECT{}\r\n",
        "INF\r\n",
        "+O\r\n",
        "+\r\n",
        "\vOK\r\n",
        "-ERR\r\n",
        "-ERRx\r\n",
        "-ER x\r\n",
        "\rERR 'x'\r\n",
        $"+OK{Text.Letters(101)}\r\n",
        $"INFO{Text.Letters(101)}\n",
        $"-ERR {Text.Letters(101)}\n",
        $"+OK {Text.Letters(500)}",
        "MSG a 1 1\r\nx\r\n",
        "GET / HTTP/1.1\r\n",
        "\0\0\0\0\0",
        "PUB \r\n",
        "PUB a\r\n",
        "PUB a b c 1\r\nx\r\n",
        "PUB a b c d e f g 1\r\nx\r\n",
        "HPUB a 1\r\nx\r\n",
        "HPUB a b c 1 1\r\nx\r\n",
        "SUB \r\n",
        "SUB a\r\n",
        "SUB a b c d\r\n",
        "UNSUB \r\n",
        "UNSUB a 1 2\r\n",
        "PUB a -1\r\nx\r\n",
        "PUB a +1\r\nx\r\n",
        "PUB a 0x1\r\nx\r\n",
        "PUB a 1.0\r\nx\r\n",
        "PUB a 1\r\r\nx\r\n",
        "PUB a\rb 1\r\nx\r\n",
        "SUB a\rb 1\r\n",
        "UNSUB 1\r2\r\n",
        "PUB a 301\r\n",
        "PUB a 999999999\r\n",
        "PUB a 1000000000\r\n",
        "PUB a 2147483648\r\n",
        "PUB a 4294967297\r\n",
        "PUB a 9223372036854775808\r\n",
        "PUB a 18446744073709551617\r\n",
        "PUB a 999999999999999999999999999999\r\n",
        "HPUB a 2 1\r\nx\r\n",
        "HPUB a -1 1\r\nx\r\n",
        "HPUB a x 1\r\nx\r\n",
        "HPUB a 4294967297 1\r\nx\r\n",
        "HPUB a 1 301\r\n",
        "PUB foo 2\r\nabX\r\nPING\r\n",
        "PUB foo 2\r\nabc\r\nPING\r\n",
        "PUB foo 2\r\nab\nPING\r\n",
        "PUB foo 2\r\nab\r\rPING\r\n",
        "PUB foo 2\r\nab\r\nPUB foo 2\r\nabcd\r\nPUB foo 2\r\nab\r\n",
        "PUB foo 2\r\nab\r\nPUB foo 2\r\ncd\r\nPUB foo x\r\nPUB foo 2\r\nab\r\nPUB foo 2\r\nab\r\n",
        $"PING{Text.Letters(101)}\r\n",
        $"PONG{Text.Letters(101)}\n",
        $"CONNECT {Text.Letters(101)}\n",
        $"CONNECT {Text.Letters(500)}",
        $"SUB {Text.Letters(99)} 1\r\n",
        $"SUB {Text.Letters(99)} 1\n",
        $"UNSUB {Text.Letters(101)}\r\n",
        $"PUB {Text.Letters(99)} 1\r\nx\r\n",
        $"PUB {Text.Letters(99)} 1\nx\r\n",
        $"HPUB {Text.Letters(97)} 1 1\r\nx\r\n",
        $"PUB {new string(' ', 101)}a 1\r\nx\r\n",
        $"PUB {Text.Letters(500)}",
    ];

    internal static readonly string[] Server =
    [
        "INFO {\"a\":1} \r\nPING\r\nPONG\r\n+OK\r\n-ERR 'Stale Connection'\r\nMSG foo 1 2\r\nhi\r\nHMSG foo 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n",
        "info {}\r\nping\r\npong\r\n+ok\r\n-err 'x'\r\nmsg foo 1 r 2\r\nhi\r\nhmsg foo 1 r 12 12\r\nNATS/1.0\r\n\r\n\r\n",
        "INFO\t{}\nPING\nPONG\n+OK\n-ERR x\nMSG\tfoo\t1\t2\nhi\r\nHMSG\tfoo\t1\t1\t2\nhi\r\n-ERR\r\nINFO\r\n",
        "MSG  foo  1  2 \r\nhi\r\nMSG foo 01 02\r\nhi\r\nMSG foo 9999999999999999999 2\r\nhi\r\nMSG a\rb 1 1\r\nx\r\n",
        "MSG foo 1 0\r\n\r\nMSG foo 1 17\r\nMSG bar 1 2\r\nhi\r\n\r\nHMSG foo 1 0 0\r\n\r\nHMSG foo 1 0 2\r\nhi\r\n",
        "MSG foo 1 2\r\nab\r\nMSG foo 1 2\r\ncd\r\nMSG foo 1 2\r\nef\r\nMSG foo 2 2\r\ngh\r\nMSG foo 2 2\r\nij\r\nMSG foo 2 r 2\r\nkl\r\nMSG foo 2 s 2\r\nkl\r\n",
        "MSG foo 1 2\r\nab\r\nPING\r\nMSG foo 1 2\r\ncd\r\n+OK\r\nMSG foo 1 3\r\nabc\r\nHMSG foo 1 1 3\r\nabc\r\nHMSG foo 1 1 3\r\ndef\r\nMSG foo 1 3\r\nabc\r\n",
        $"MSG foo 1 2\r\nab\r\nMSG {Long} 1 2\r\ncd\r\nMSG foo 1 2\r\nab\r\nMSG {Long} 1 2\r\ncd\r\nMSG {Long} 1 2\r\ncd\r\n",
        $"+OK{Text.Letters(100)}\r\nPING{Text.Letters(100)}\nINFO{Text.Letters(100)}\r\n-ERR{Text.Letters(100)}\r\n",
        "MSG foo 1 20\r\nhi",
        "HMSG",
        "+O",
        "",
    ];

    internal static readonly string[] BadServer =
    [
        "\r\n",
        "X",
        "\rERR 'x'\r\n",
        "\vOK\r\n",
        "PUB a 1\r\nx\r\n",
        "MSGX 1\r\n",
        "MSG\r\n",
        "HMSG\r\n",
        "MSG a 1\r\n",
        "MSG a 1 b c 1\r\nx\r\n",
        "MSG a x 1\r\nx\r\n",
        "MSG a -1 1\r\nx\r\n",
        "MSG a 99999999999999999999 1\r\nx\r\n",
        "MSG a 1 -1\r\nx\r\n",
        "MSG a 1 301\r\n",
        "MSG a 1 4294967297\r\n",
        "HMSG a 1 2 1\r\nx\r\n",
        "HMSG a 1 1\r\nx\r\n",
        "HMSG a 1 r s 1 1\r\nx\r\n",
        "HMSG a 1 -1 1\r\nx\r\n",
        "MSG foo 1 2\r\nab\r\nMSG foo 1 2\r\nabcd\r\nMSG foo 1 2\r\nab\r\n",
        $"MSG {Text.Letters(97)} 1 1\r\nx\r\n",
        $"+OK{Text.Letters(101)}\r\n",
        $"PING{Text.Letters(101)}\n",
        $"INFO{Text.Letters(101)}\n",
        $"INFO {Text.Letters(500)}",
        $"-ERR{Text.Letters(101)}\r\n",
        $"MSG {Text.Letters(500)}",
    ];

    // Lines with lengths around the widths of the comparison and the scan, and around the limit; each twice, with and
    // without more bytes after it.
    private static IEnumerable<string> Lengths()
    {
        foreach (int length in (int[])[31, 32, 33, 63, 64, 65, 66, 67, 68, 69, 98, 99, 100])
        {
            string pub = $"PUB {Text.Letters(length - 8)} 1\r\n";
            yield return $"{pub}a\r\n{pub}b\r\n{pub}c\r\n";
            string reply = $"PUB foo {Text.Letters(length - 12)} 1\r\n";
            yield return $"{reply}a\r\n{reply}b\r\nPUB foo 60\r\n{Text.Letters(60)}\r\n{reply}c\r\n";
            string hpub = $"HPUB {Text.Letters(length - 11)} 1 1\r\n";
            yield return $"{hpub}a\r\n{hpub}b\r\n{hpub}c\r\n";
            yield return $"SUB {Text.Letters(length - 8)} 1\r\nSUB a {Text.Letters(length - 10)} 1\r\nUNSUB {Text.Letters(length - 8)}\r\nPING\r\n";
        }

        yield return $"PUB {Text.Letters(98)} 1\r\nx\r\nPUB {Text.Letters(98)} 1\nx\r\nHPUB {Text.Letters(96)} 1 1\r\nx\r\n";
        yield return $"SUB {Text.Letters(98)} 1\r\nUNSUB {Text.Letters(100)}\nPING{Text.Letters(100)}\r\nPONG{Text.Letters(100)}\nCONNECT {Text.Letters(100)}\r\n";
        yield return $"PUB foo 300\r\n{Text.Letters(300)}\r\nPUB foo 300\r\n{Text.Letters(300)}\r\n";
    }
}
