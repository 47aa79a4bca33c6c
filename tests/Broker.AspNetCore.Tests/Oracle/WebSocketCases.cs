using static Broker.AspNetCore.Tests.Oracle.Frame;

namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>The test cases, grouped by subject.</summary>
internal static class WebSocketCases
{
    private const string Connect = "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n";
    private const string Talk = Connect + "SUB a 1\r\nPUB a 5\r\nhello\r\nPING\r\n";
    private const string Deflating = "permessage-deflate";

    internal static IReadOnlyList<WebSocketCase> All { get; } =
        [.. Asking(), .. Origins(), .. Framing(), .. Controlling(), .. Closings(), .. Violations(), .. Compressing(), .. Cutting()];

    private static IEnumerable<WebSocketCase> Asking()
    {
        yield return new WebSocketCase("as a client should");
        yield return With("no Upgrade", "Upgrade", "");
        yield return With("an Upgrade to something else", "Upgrade", "h2c");
        yield return With("an Upgrade in capitals", "Upgrade", "WebSocket");
        yield return With("no Connection", "Connection", "");
        yield return With("a Connection of several words", "Connection", "keep-alive, Upgrade");
        yield return With("a Connection of other words", "Connection", "keep-alive");
        yield return With("no version", "Sec-WebSocket-Version", "");
        yield return With("version 12", "Sec-WebSocket-Version", "12");
        yield return With("version 8, 13", "Sec-WebSocket-Version", "8, 13");
        yield return With("no key", "Sec-WebSocket-Key", "");
        yield return With("a key too short", "Sec-WebSocket-Key", "abc");
        yield return With("no host", "Host", "");
        yield return With("the protocol nats", "Sec-WebSocket-Protocol", "nats");
        yield return With("the protocols mqtt and nats", "Sec-WebSocket-Protocol", "mqtt, nats");
        yield return With("a protocol of another kind", "Sec-WebSocket-Protocol", "chat");
        yield return With("the wish not to mask", "Nats-No-Masking", "true");
        yield return new WebSocketCase("POST") { Line = "POST / HTTP/1.1" };
        yield return new WebSocketCase("HEAD") { Line = "HEAD / HTTP/1.1" };
        yield return new WebSocketCase("HTTP/1.0") { Line = "GET / HTTP/1.0" };
        yield return new WebSocketCase("any path") { Line = "GET /a/b?c=d HTTP/1.1" };
    }

    private static IEnumerable<WebSocketCase> Origins()
    {
        string[] origins =
        [
            WebSocketServers.Allowed, WebSocketServers.AlsoAllowed, "https://app.example:443", "https://APP.example", "http://app.example",
            "https://app.example:8443", "https://app.example.evil", "https://evil.app.example", "http://other.example", "null", "file://", "nonsense",
            "https://app.example/path",
        ];
        foreach (string origin in origins)
        {
            yield return With($"origin {origin} beside a list", "Origin", origin);
        }

        foreach (string origin in (string[])["http://{host}", "https://{host}", "http://127.0.0.1", "http://localhost", "null", "http://evil.example"])
        {
            yield return With($"origin {origin} where it must be the same", "Origin", origin) with { SameOrigin = true };
        }

        foreach (string origin in (string[])["https://app.example", "http://app.example", "https://app.example:8443", "https://other.example"])
        {
            yield return new WebSocketCase($"origin {origin} behind a proxy")
            {
                Headers = new Dictionary<string, string>(StringComparer.Ordinal) { ["Origin"] = origin, ["Host"] = "app.example" },
                Writes = [Of(Binary, Talk)],
                SameOrigin = true,
            };
        }

        yield return new WebSocketCase("no origin where it must be the same") { SameOrigin = true };
    }

    private static IEnumerable<WebSocketCase> Framing()
    {
        yield return Sending("operations in one frame", Of(Binary, Talk));
        yield return Sending("a frame for each byte", [.. Talk.Select(c => Of(Binary, c.ToString()))]);
        yield return Sending("a fragment for each byte", [.. Talk.Select((c, i) => Of(i == 0 ? Binary : Continuation, c.ToString(), last: i == Talk.Length - 1))]);
        yield return Sending("text", Of(Text, Talk));
        yield return Sending("text in fragments", Of(Text, Talk[..20], last: false), Of(Continuation, Talk[20..]));
        yield return Sending("text that is no UTF-8", Of(Text, Connect + "SUB a 1\r\nPUB a 1\r\n\xFF\r\n")) with { IsViolation = true };
        yield return Sending("empty frames", Of(Binary, ""), Of(Binary, Talk), Of(Binary, "", last: false), Of(Continuation, ""));
        yield return Sending("a length of 16 bits", Of(Binary, Connect + $"SUB a 1\r\nPUB a 60000\r\n{new string('x', 60_000)}\r\n"));
        yield return Sending("a length of 64 bits", Of(Binary, Connect + $"SUB a 1\r\nPUB a 500000\r\n{new string('x', 500_000)}\r\n"));
        byte[] longer = Of(Binary, Talk);
        yield return Sending("a length longer than it need be", [longer[0], 0xFE, 0, (byte)(longer[1] & 0x7F), .. longer[2..]]);
        yield return Sending("an operation that is none", Of(Binary, Connect + "NONSENSE\r\n"));
        yield return Sending("a payload too large", Of(Binary, Connect + "PUB a 2000000\r\n"));
        yield return Sending("a control line too long", Of(Binary, Connect + "PUB " + new string('a', 5000)));
    }

    private static IEnumerable<WebSocketCase> Controlling()
    {
        yield return Sending("a ping", Of(Ping, "hello"));
        yield return Sending("a ping with nothing in it", Of(Ping, ""));
        yield return Sending("a ping as long as can be", Of(Ping, new string('p', 125)));
        yield return Sending("a pong that nobody asked for", Of(Pong, "hello"), Of(Binary, Talk));
        yield return Sending("pings between fragments", Of(Binary, Talk[..20], last: false), Of(Ping, "1"), Of(Continuation, Talk[20..40], last: false), Of(Ping, "2"), Of(Continuation, Talk[40..]));
    }

    private static IEnumerable<WebSocketCase> Closings()
    {
        foreach (int status in (int[])[1000, 1001, 1002, 1003, 1007, 1011, 3000, 4000, 4999])
        {
            yield return Sending($"close {status}", Closing(status));
        }

        yield return Sending("close with a reason", Closing(1000, "bye"));
        yield return Sending("close with nothing in it", Of(Close, ""));
        yield return Sending("publish and close", Of(Binary, Connect + "SUB a 1\r\nPUB a 2\r\nhi\r\n"), Closing(1000));
        yield return Sending("close and publish", Closing(1000), Of(Binary, Talk));
        foreach (int status in (int[])[0, 999, 1004, 1005, 1006, 1015, 2000, 5000])
        {
            yield return Sending($"close {status}, which must not be sent", Closing(status)) with { IsViolation = true };
        }

        yield return Sending("close with half a status", Of(Close, "\x03")) with { IsViolation = true };
        yield return Sending("close with a reason that is no UTF-8", Closing(1000, "\xFF\xFE")) with { IsViolation = true };
    }

    private static IEnumerable<WebSocketCase> Violations()
    {
        yield return Wrong("a frame that is not masked", Of(Binary, Talk, masked: false));
        yield return Wrong("a ping that is not masked", Of(Ping, "x", masked: false));
        yield return Wrong("a ping too long", Of(Ping, new string('p', 126)));
        yield return Wrong("a ping in parts", Of(Ping, "x", last: false));
        yield return Wrong("a close too long", Closing(1000, new string('c', 124)));
        yield return Wrong("operation 3", Of(3, "x"));
        yield return Wrong("operation 7", Of(7, "x"));
        yield return Wrong("operation 11", Of(11, "x"));
        yield return Wrong("operation 15", Of(15, "x"));
        yield return Wrong("the first reserved bit", Of(Binary, Talk, reserved: 4));
        yield return Wrong("the second reserved bit", Of(Binary, Talk, reserved: 2));
        yield return Wrong("the third reserved bit", Of(Binary, Talk, reserved: 1));
        yield return Wrong("the continuation of nothing", Of(Continuation, Talk));
        yield return Wrong("a message within a message", Of(Binary, Talk[..20], last: false), Of(Binary, Talk[20..]));
    }

    private static IEnumerable<WebSocketCase> Compressing()
    {
        yield return Deflated("compression offered and not used", Of(Binary, Talk));
        yield return Deflated("a message compressed", Of(Binary, Deflate(Talk), reserved: Compressed));
        byte[] half = Deflate(Talk);
        yield return Deflated("a compressed message in fragments", Of(Binary, half[..10], last: false, reserved: Compressed), Of(Continuation, half[10..]));
        yield return Deflated("compressed and not, by turns", Of(Binary, Deflate(Connect), reserved: Compressed), Of(Binary, "SUB a 1\r\n"), Of(Binary, Deflate("PUB a 1\r\nx\r\n"), reserved: Compressed));
        string large = string.Concat(Enumerable.Range(0, 20_000).Select(i => (char)('a' + (i % 26))));
        yield return Deflated("an answer worth compressing", Of(Binary, Connect + $"SUB a 1\r\nPUB a {large.Length}\r\n{large}\r\n"));
        yield return Deflated("nothing, compressed", Of(Binary, [0], reserved: Compressed), Of(Binary, Talk));
        yield return Deflated("compressed bytes that are none", Of(Binary, [0xFF, 0xFF, 0xFF, 0xFF], reserved: Compressed)) with { IsViolation = true };
        yield return Deflated("a compressed ping", Of(Ping, "x", reserved: Compressed)) with { IsViolation = true };
        yield return With("compression with windows", "Sec-WebSocket-Extensions", $"{Deflating}; client_max_window_bits; server_max_window_bits=10");
        yield return With("compression as browsers offer it", "Sec-WebSocket-Extensions", $"{Deflating}; client_max_window_bits");
        yield return With("compression of another kind", "Sec-WebSocket-Extensions", "x-webkit-deflate-frame");
        yield return With("compression without context", "Sec-WebSocket-Extensions", $"{Deflating}; server_no_context_takeover; client_no_context_takeover");
    }

    // The whole dialogue in two writes, split at every position.
    private static IEnumerable<WebSocketCase> Cutting()
    {
        byte[] stream = [.. Of(Binary, Talk[..30], last: false), .. Of(Ping, "p"), .. Of(Continuation, Talk[30..]), .. Of(Text, "PING\r\n")];
        for (int at = 1; at < stream.Length; at++)
        {
            yield return Sending($"cut at byte {at}", stream[..at], stream[at..]);
        }

        yield return Sending("every byte for itself", [.. stream.Select(b => (byte[])[b])]);
    }

    private static WebSocketCase With(string name, string header, string value)
        => new(name) { Headers = new Dictionary<string, string>(StringComparer.Ordinal) { [header] = value }, Writes = [Of(Binary, Talk)] };

    private static WebSocketCase Sending(string name, params byte[][] writes) => new(name) { Writes = writes };

    private static WebSocketCase Wrong(string name, params byte[][] writes) => Sending(name, writes) with { IsViolation = true };

    private static WebSocketCase Deflated(string name, params byte[][] writes) => With(name, "Sec-WebSocket-Extensions", Deflating) with { Writes = writes };
}
