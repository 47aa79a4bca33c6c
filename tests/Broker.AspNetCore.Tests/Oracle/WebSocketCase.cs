namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>One client: how it asks, and the bytes that it sends then.</summary>
/// <param name="Name">What the case is about.</param>
internal sealed record WebSocketCase(string Name)
{
    private static readonly (string Name, string Value)[] Usual =
    [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ];

    /// <summary>The line that the request begins with.</summary>
    public string Line { get; init; } = "GET / HTTP/1.1";

    /// <summary>Headers in place of the usual ones; an empty one is left out, and <c>{host}</c> is the server.</summary>
    public IReadOnlyDictionary<string, string> Headers { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>What is written after the upgrade, each at once.</summary>
    public IReadOnlyList<byte[]> Writes { get; init; } = [];

    /// <summary>Whether the servers want the page's own origin; otherwise they have a list.</summary>
    public bool SameOrigin { get; init; }

    /// <summary>Whether it is wrong, so that the close frame may be lost in the reset that follows.</summary>
    public bool IsViolation { get; init; }

    internal string Play(int port)
    {
        using var client = new RawWebSocket();
        string host = $"127.0.0.1:{port}";
        var headers = Usual.Select(h => (h.Name, Value: Headers.GetValueOrDefault(h.Name, h.Value))).Append((Name: "Host", Value: Headers.GetValueOrDefault("Host", host)))
            .Concat(Headers.Where(h => h.Key != "Host" && Usual.All(u => u.Name != h.Key)).Select(h => (Name: h.Key, h.Value)))
            .Where(h => h.Value.Length != 0)
            .Select(h => $"{h.Name}: {h.Value.Replace("{host}", host, StringComparison.Ordinal)}\r\n");
        string answer = client.Upgrade(port, $"{Line}\r\n{string.Concat(headers)}\r\n");
        if (!answer.StartsWith("101", StringComparison.Ordinal))
        {
            return answer;
        }

        foreach (byte[] bytes in Writes)
        {
            client.Write(bytes);
        }

        return $"{answer}\n{client.Hear(!IsViolation)}";
    }
}
