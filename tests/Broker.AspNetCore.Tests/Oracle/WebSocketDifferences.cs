namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>What each answers where ours answers otherwise than nats-server 2.9.10, by case; the comments say why.</summary>
internal static class WebSocketDifferences
{
    private const string Refused = "\nSEC-WEBSOCKET-VERSION: 13";
    private const string Key = "101\nSEC-WEBSOCKET-ACCEPT: ICX+YQV66KXGM0FCWALWLFLWTAI=\n";
    private const string Upgraded = Key + "UPGRADE: WEBSOCKET\n";
    private const string Answers = "MSG a 1 5\r\nhello\r\nPONG\r\nopen";

    internal static IReadOnlyDictionary<string, (string Theirs, string Ours)> All { get; } = new Dictionary<string, (string, string)>(StringComparer.Ordinal)
    {
        // RFC 6455, section 4.2.1: a key is 16 bytes as base64; Kestrel looks, it does not.
        ["a key too short"] = ("101\nSEC-WEBSOCKET-ACCEPT: ZWKD5BNOWXQ6GXTXXSMBSHGHX9M=\nUPGRADE: WEBSOCKET\n" + Answers, "400" + Refused),

        // It answers no protocol whatever is offered, and then browsers give up (section 4.1).
        ["the protocol nats"] = (Upgraded + Answers, Key + "SEC-WEBSOCKET-PROTOCOL: NATS\nUPGRADE: WEBSOCKET\n" + Answers),
        ["the protocols mqtt and nats"] = (Upgraded + Answers, Key + "SEC-WEBSOCKET-PROTOCOL: NATS\nUPGRADE: WEBSOCKET\n" + Answers),

        // A wish of its own leaf nodes, which it grants to every client, and reads a frame with a mask as if it had none; here every frame
        // of a client is masked (section 5.1).
        ["the wish not to mask"] = (
            Upgraded + "-ERR 'Unknown Protocol Operation'\r\nclose 1002 control frame does not have final bit set\nclosed",
            Upgraded + Answers),

        // A Host without a port: it takes that for the port of its own scheme, and so refuses every page behind a proxy for TLS.
        ["origin https://app.example behind a proxy"] = ("403\nSEC-WEBSOCKET-VERSION: 13", Upgraded + Answers),

        // Section 8.1: text that is no UTF-8 ends the connection; it does not look.
        ["text that is no UTF-8"] = (Upgraded + "MSG a 1 1\r\n\u00FF\r\nopen", Upgraded + "closed"),

        // It does not look at these bits either (section 5.2).
        ["the second reserved bit"] = (Upgraded + Answers, Upgraded + "closed"),
        ["the third reserved bit"] = (Upgraded + Answers, Upgraded + "closed"),

        // It sends 1005, which stands for "no status" and must not be sent (section 7.4.1).
        ["close with nothing in it"] = (Upgraded + "close 1005\nclosed", Upgraded + "close 1000\nclosed"),
    };
}
