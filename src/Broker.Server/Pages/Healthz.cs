namespace Broker.Server;

/// <summary>The response of <c>/healthz</c>.</summary>
internal sealed record Healthz(string Status)
{
    public string? Error { get; init; }

    internal static Healthz From(ServerDescription server)
        => server.IsShuttingDown ? new Healthz("unavailable") { Error = "the server is shutting down" } : new Healthz("ok");
}
