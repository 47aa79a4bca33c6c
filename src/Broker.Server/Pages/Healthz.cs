namespace Broker.Server;

/// <summary>The response of <c>/healthz</c>.</summary>
internal sealed record Healthz(string Status)
{
    private const string Unavailable = "unavailable";

    public string? Error { get; init; }

    /// <summary>Creates the response.</summary>
    /// <param name="server">The server.</param>
    /// <param name="withStreams">Whether damaged streams and stopped stores make the server unavailable.</param>
    internal static Healthz From(ServerDescription server, bool withStreams)
    {
        if (server.IsShuttingDown)
        {
            return new Healthz(Unavailable) { Error = "the server is shutting down" };
        }

        return withStreams && server.Streams is { Problems: [var first, ..] all }
            ? new Healthz(Unavailable) { Error = all.Count == 1 ? first : $"{first} (and {all.Count - 1} more)" }
            : new Healthz("ok");
    }
}
