namespace Broker.Server.Tests.Oracle;

/// <summary>The cases in which this server replies differently than nats-server 2.9.10, with the reason.</summary>
internal static class OracleDifferences
{
    /// <summary>
    /// nats-server closes without an error message. This server sends this error first, in a text that clients know.
    /// </summary>
    internal static IReadOnlyDictionary<string, string> SaidBeforeClosing { get; } = new Dictionary<string, string>(StringComparer.Ordinal)
    {
        ["CONNECT {\"protocol\":1.0}"] = "Parser Error",
        ["CONNECT {\"protocol\":1.5}"] = "Parser Error",
        ["CONNECT {\"protocol\":\"1\"}"] = "Parser Error",
        ["CONNECT {\"name\":5}"] = "Parser Error",
        ["CONNECT {\"verbose\":\"true\"}"] = "Parser Error",
        ["CONNECT {\"verbose\":1}"] = "Parser Error",
        ["CONNECT {\"verbose\":false,}"] = "Parser Error",
        ["CONNECT {\"verbose\"}"] = "Parser Error",
        ["CONNECT {\"verbose\":false \"pedantic\":true}"] = "Parser Error",
        ["CONNECT {\"lang\":7}"] = "Parser Error",
        ["CONNECT {\"version\":[]}"] = "Parser Error",
        ["CONNECT {\u00e9}"] = "Parser Error",
        ["CONNECT with the body <>"] = "Parser Error",
        ["CONNECT with the body <{>"] = "Parser Error",
        ["CONNECT with the body <}>"] = "Parser Error",
        ["CONNECT with the body <[]>"] = "Parser Error",
        ["CONNECT with the body <5>"] = "Parser Error",
        ["CONNECT with the body <\"x\">"] = "Parser Error",
        ["CONNECT with the body <{} {}>"] = "Parser Error",
        ["CONNECT with the body <{}x>"] = "Parser Error",
        ["CONNECT with the body <{'verbose':false}>"] = "Parser Error",
        ["CONNECT with the body <{verbose:false}>"] = "Parser Error",
        ["CONNECT with the body <true>"] = "Parser Error",
        ["SUB without a sid"] = "Parser Error",
        ["SUB without anything"] = "Parser Error",
        ["SUB with four words"] = "Parser Error",
        ["UNSUB without anything"] = "Parser Error",
        ["UNSUB with three words"] = "Parser Error",
        ["PUB of size <-1>"] = "Parser Error",
        ["HPUB of size <-1>"] = "Parser Error",
        ["HPUB of header size <-1>"] = "Parser Error",
        ["PUB of size <x>"] = "Parser Error",
        ["HPUB of size <x>"] = "Parser Error",
        ["HPUB of header size <x>"] = "Parser Error",
        ["PUB of size <>"] = "Parser Error",
        ["HPUB of size <>"] = "Parser Error",
        ["HPUB of header size <>"] = "Parser Error",
        ["PUB of size <1x>"] = "Parser Error",
        ["HPUB of size <1x>"] = "Parser Error",
        ["HPUB of header size <1x>"] = "Parser Error",
        ["PUB of size <0x10>"] = "Parser Error",
        ["HPUB of size <0x10>"] = "Parser Error",
        ["HPUB of header size <0x10>"] = "Parser Error",
        ["PUB of size <+1>"] = "Parser Error",
        ["HPUB of size <+1>"] = "Parser Error",
        ["HPUB of header size <+1>"] = "Parser Error",
        ["PUB of size <1.5>"] = "Parser Error",
        ["HPUB of size <1.5>"] = "Parser Error",
        ["HPUB of header size <1.5>"] = "Parser Error",
        ["HPUB of header size <1048577>"] = "Parser Error",
        ["HPUB of header size <2147483647>"] = "Parser Error",
        ["HPUB of header size <2147483648>"] = "Parser Error",
        ["HPUB of header size <4294967297>"] = "Parser Error",
        ["HPUB of header size <9223372036854775807>"] = "Parser Error",
        ["HPUB of header size <9223372036854775808>"] = "Parser Error",
        ["PUB with four words"] = "Parser Error",
        ["HPUB with two words"] = "Parser Error",
        ["HPUB with five words"] = "Parser Error",
        ["a header size above the total"] = "Parser Error",
        ["CONNECT {\"user\":5}"] = "Parser Error",
        ["CONNECT {\"pass\":true}"] = "Parser Error",
        ["CONNECT {\"auth_token\":{}}"] = "Parser Error",
        ["HPUB of header size <123456789012345678901234567890>"] = "Parser Error",

        ["verb CONNECT"] = "Unknown Protocol Operation",
        ["verb CONNECTX {}"] = "Unknown Protocol Operation",

        ["PUB of size <2147483647>"] = "Maximum Payload Violation",
        ["HPUB of size <2147483647>"] = "Maximum Payload Violation",
        ["PUB of size <2147483648>"] = "Maximum Payload Violation",
        ["HPUB of size <2147483648>"] = "Maximum Payload Violation",
        ["PUB of size <4294967297>"] = "Maximum Payload Violation",
        ["HPUB of size <4294967297>"] = "Maximum Payload Violation",
        ["PUB of size <9223372036854775807>"] = "Maximum Payload Violation",
        ["HPUB of size <9223372036854775807>"] = "Maximum Payload Violation",
        ["PUB of size <9223372036854775808>"] = "Maximum Payload Violation",
        ["HPUB of size <9223372036854775808>"] = "Maximum Payload Violation",
        ["PUB of size <123456789012345678901234567890>"] = "Maximum Payload Violation",
        ["HPUB of size <123456789012345678901234567890>"] = "Maximum Payload Violation",

        ["HPUB without headers declared"] = "message headers not supported",
        ["HPUB before CONNECT"] = "message headers not supported",
    };

    /// <summary>The replies of both servers by case. The comment gives the reason.</summary>
    internal static IReadOnlyDictionary<string, (string Theirs, string Ours)> Others { get; } = new Dictionary<string, (string, string)>(StringComparer.Ordinal)
    {

        // nats-server 2.9.10 keeps the subscriptions. Later versions remove them, and this server does too.
        ["a repeated CONNECT"] = ("A: MSG foo 1 1\r\n1\r\nMSG foo 1 1\r\n2\r\nMSG foo 1 1\r\n3\r\n<open>\n", "A: MSG foo 1 1\r\n1\r\nMSG foo 1 1\r\n3\r\n<open>\n"),
        ["a repeated CONNECT with less in it"] = ("A: MSG foo 1 1\r\n2\r\nMSG bar 2 1\r\n3\r\n<open>\n", "A: MSG bar 2 1\r\n3\r\n<open>\n"),
        ["a repeated CONNECT changes the mode"] = ("A: +OK\r\n+OK\r\nMSG foo 1 1\r\nx\r\n<open>\n", "A: +OK\r\n+OK\r\n<open>\n"),

        // nats-server treats a number that overflows as an immediate UNSUB.
        ["UNSUB max of 99999999999"] = ("A: <open>\n", "A: MSG foo 1 1\r\na\r\n<open>\n"),
        ["UNSUB max of 2147483648"] = ("A: <open>\n", "A: MSG foo 1 1\r\na\r\n<open>\n"),

        // nats-server forwards sizes unchanged. This server writes sizes with leading zeros in their shortest form.
        ["a size with zeros before it"] = ("A: MSG foo 1 0002\r\nhi\r\nMSG foo 1 r 00\r\n\r\n<open>\n", "A: MSG foo 1 2\r\nhi\r\nMSG foo 1 r 0\r\n\r\n<open>\n"),
        ["zeros before header sizes"] = ("A: HMSG foo 1 0018 00020\r\nNATS/1.0\r\nA: b\r\n\r\nhi\r\n<open>\n", "A: HMSG foo 1 18 20\r\nNATS/1.0\r\nA: b\r\n\r\nhi\r\n<open>\n"),

        // nats-server evaluates the content of an INFO.
        ["a server's word <INFO {\"server_id\":5}> and LF"] = ("A: <closed>\n", "A: MSG foo 1 1\r\nx\r\n<open>\n"),
        ["a server's word <INFO {\"server_id\":5}>"] = ("A: <closed>\n", "A: MSG foo 1 1\r\nx\r\n<open>\n"),

        // If a line that ends with LF contains a CR, nats-server removes a byte at the end.
        ["a server's word <INFO {\\r}> and LF"] = ("A: <closed>\n", "A: MSG foo 1 1\r\nx\r\n<open>\n"),

        // nats-server reads lines of any length. In this server a line has a limit.
        ["a server's word of 5,000 bytes, +OK"] = ("A: <open>\n", "A: -ERR 'maximum control line exceeded'\r\n<closed>\n"),

        // nats-server also accepts a message between servers from a client, and does not deliver it.
        ["verb HMSG a 1 0 0~"] = ("A: <open>\n", "A: -ERR 'Unknown Protocol Operation'\r\n<closed>\n"),
    };
}
