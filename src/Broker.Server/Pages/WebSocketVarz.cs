using System.Net;

namespace Broker.Server;

/// <summary>
/// The WebSocket part of <see cref="Varz"/>. The object is empty if the server has no address for WebSockets.
/// </summary>
internal sealed record WebSocketVarz
{
    public string? Host { get; init; }

    public int? Port { get; init; }

    public string? Advertise { get; init; }

    public long? HandshakeTimeout { get; init; }

    public bool? NoTls { get; init; }

    public bool? SameOrigin { get; init; }

    public IReadOnlyList<string>? AllowedOrigins { get; init; }

    public bool? Compression { get; init; }

    // As in nats-server, false and empty values are omitted.
    internal static WebSocketVarz From(WebSocketDescription? facts)
    {
        if (facts is null)
        {
            return new WebSocketVarz();
        }

        var address = facts.EndPoint as IPEndPoint;
        return new WebSocketVarz
        {
            Host = address?.Address.ToString(),
            Port = address?.Port,
            Advertise = string.IsNullOrEmpty(facts.Advertise) ? null : facts.Advertise,
            HandshakeTimeout = Varz.Nanoseconds(facts.HandshakeTimeout),
            NoTls = TrueOrNull(facts.NoTls),
            SameOrigin = TrueOrNull(facts.SameOrigin),
            AllowedOrigins = facts.AllowedOrigins.Count == 0 ? null : facts.AllowedOrigins,
            Compression = TrueOrNull(facts.Compression),
        };
    }

    private static bool? TrueOrNull(bool value) => value ? true : null;
}
