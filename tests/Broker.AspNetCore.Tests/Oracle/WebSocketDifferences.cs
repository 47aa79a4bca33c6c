namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>
/// The intended differences: for each case the answer of nats-server 2.9.10 and ours. The comments give the reasons.
/// </summary>
internal static class WebSocketDifferences
{
    private const string Refused = "\nSEC-WEBSOCKET-VERSION: 13";
    private const string Key = "101\nSEC-WEBSOCKET-ACCEPT: ICX+YQV66KXGM0FCWALWLFLWTAI=\n";
    private const string Upgraded = Key + "UPGRADE: WEBSOCKET\n";
    private const string Answers = "MSG a 1 5\r\nhello\r\nPONG\r\nopen";

    internal static IReadOnlyDictionary<string, (string Theirs, string Ours)> All { get; } = new Dictionary<string, (string, string)>(StringComparer.Ordinal)
    {
        // RFC 6455, section 4.2.1: a key is 16 bytes in base64. Kestrel checks this, and nats-server does not.
        ["a key too short"] = ("101\nSEC-WEBSOCKET-ACCEPT: ZWKD5BNOWXQ6GXTXXSMBSHGHX9M=\nUPGRADE: WEBSOCKET\n" + Answers, "400" + Refused),

        // nats-server never answers with a subprotocol. Then browsers that offered one fail the connection (section
        // 4.1).
        ["the protocol nats"] = (Upgraded + Answers, Key + "SEC-WEBSOCKET-PROTOCOL: NATS\nUPGRADE: WEBSOCKET\n" + Answers),
        ["the protocols mqtt and nats"] = (Upgraded + Answers, Key + "SEC-WEBSOCKET-PROTOCOL: NATS\nUPGRADE: WEBSOCKET\n" + Answers),

        // An option for nats-server's leaf nodes. nats-server grants it to every client and then reads a masked frame
        // as an unmasked one. Here every frame of a client is masked (section 5.1).
        ["the wish not to mask"] = (
            Upgraded + "-ERR 'Unknown Protocol Operation'\r\nclose 1002 control frame does not have final bit set\nclosed",
            Upgraded + Answers),

        // A Host header without a port: nats-server assumes the port of its own scheme, so it refuses every page behind
        // a TLS proxy.
        ["origin https://app.example behind a proxy"] = ("403\nSEC-WEBSOCKET-VERSION: 13", Upgraded + Answers),

        // Section 8.1: text that is not UTF-8 ends the connection. nats-server does not check this.
        ["text that is no UTF-8"] = (Upgraded + "MSG a 1 1\r\n\u00FF\r\nopen", Upgraded + "closed"),

        // nats-server does not check these bits (section 5.2).
        ["the second reserved bit"] = (Upgraded + Answers, Upgraded + "closed"),
        ["the third reserved bit"] = (Upgraded + Answers, Upgraded + "closed"),

        // nats-server sends 1005, which means "no status" and must not be sent (section 7.4.1).
        ["close with nothing in it"] = (Upgraded + "close 1005\nclosed", Upgraded + "close 1000\nclosed"),
    };
}
