namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>What ours answers where nats-server 2.9.10 answers otherwise, by case; the comments say why.</summary>
internal static class WebSocketDifferences
{
    private const string Refused = "\nSEC-WEBSOCKET-VERSION: 13";
    private const string Key = "101\nSEC-WEBSOCKET-ACCEPT: ICX+YQV66KXGM0FCWALWLFLWTAI=\n";
    private const string Upgraded = Key + "UPGRADE: WEBSOCKET\n";
    private const string Answers = "MSG a 1 5\r\nhello\r\nPONG\r\nopen";

    internal static IReadOnlyDictionary<string, string> All { get; } = new Dictionary<string, string>(StringComparer.Ordinal)
    {
        // RFC 6455, section 4.2.1: a key is 16 bytes as base64; Kestrel looks, it does not.
        ["a key too short"] = "400" + Refused,

        // It answers no protocol whatever is offered, and then browsers give up (section 4.1).
        ["the protocol nats"] = Key + "SEC-WEBSOCKET-PROTOCOL: NATS\nUPGRADE: WEBSOCKET\n" + Answers,
        ["the protocols mqtt and nats"] = Key + "SEC-WEBSOCKET-PROTOCOL: NATS\nUPGRADE: WEBSOCKET\n" + Answers,
        ["a protocol of another kind"] = "400" + Refused,

        // A wish of its own leaf nodes, which it grants to every client; here every frame of a client is masked (section 5.1).
        ["the wish not to mask"] = Upgraded + Answers,

        // It compares host and port only. The scheme is part of an origin (RFC 6454, section 4).
        ["origin https://{host} where it must be the same"] = "403" + Refused,

        // Section 8.1: text that is no UTF-8 ends the connection; it does not look.
        ["text that is no UTF-8"] = Upgraded + "closed",

        // It does not look at these bits either (section 5.2).
        ["the second reserved bit"] = Upgraded + "closed",
        ["the third reserved bit"] = Upgraded + "closed",

        // What is wrong in NATS is said in NATS; the WebSocket ends in order. It also says so in the close frame.
        ["an operation that is none"] = Upgraded + "-ERR 'Unknown Protocol Operation'\r\nclose 1000\nclosed",
        ["a payload too large"] = Upgraded + "-ERR 'Maximum Payload Violation'\r\nclose 1000\nclosed",
        ["a control line too long"] = Upgraded + "-ERR 'maximum control line exceeded'\r\nclose 1000\nclosed",

        // It sends 1005, which stands for "no status" and must not be sent (section 7.4.1).
        ["close with nothing in it"] = Upgraded + "close 1000\nclosed",
    };
}
