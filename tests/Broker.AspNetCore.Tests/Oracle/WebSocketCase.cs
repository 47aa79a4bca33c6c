namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>One test case: a client's upgrade request and the bytes that it sends afterwards.</summary>
/// <param name="Name">The name of the case.</param>
internal sealed record WebSocketCase(string Name)
{
    private static readonly (string Name, string Value)[] Usual =
    [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ];

    /// <summary>The request line.</summary>
    public string Line { get; init; } = "GET / HTTP/1.1";

    /// <summary>
    /// Headers that replace the default ones. An empty header is omitted; <c>{host}</c> is the server.
    /// </summary>
    public IReadOnlyDictionary<string, string> Headers { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>The blocks that the client writes after the upgrade, one write for each.</summary>
    public IReadOnlyList<byte[]> Writes { get; init; } = [];

    /// <summary>Whether the servers require the same origin. Otherwise they have a list of origins.</summary>
    public bool SameOrigin { get; init; }

    /// <summary>Whether the case is a violation, after which a reset may discard the close frame.</summary>
    public bool IsViolation { get; init; }

    internal string Play(int port)
    {
        using var client = new RawWebSocket();
        string host = $"127.0.0.1:{port}";
        IEnumerable<string> headers = Usual.Select(h => (h.Name, Value: Headers.GetValueOrDefault(h.Name, h.Value))).Append((Name: "Host", Value: Headers.GetValueOrDefault("Host", host)))
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
