using System.Net;

namespace Broker.AspNetCore;

/// <summary>
/// The WebSocket part of <see cref="Varz"/>. It is an empty object without an address for WebSockets.
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
    internal static WebSocketVarz From(NatsWebSocketHost? host)
    {
        if (host is null)
        {
            return new WebSocketVarz();
        }

        NatsWebSocketOptions options = host.Options;
        var address = host.EndPoint as IPEndPoint;
        return new WebSocketVarz
        {
            Host = address?.Address.ToString(),
            Port = address?.Port,
            Advertise = string.IsNullOrEmpty(options.Advertise) ? null : options.Advertise,
            HandshakeTimeout = Varz.Nanoseconds(options.HandshakeTimeout),
            NoTls = TrueOrNull(options.NoTls),
            SameOrigin = TrueOrNull(options.SameOrigin),
            AllowedOrigins = options.AllowedOrigins.Count == 0 ? null : options.AllowedOrigins,
            Compression = TrueOrNull(options.Compression),
        };
    }

    private static bool? TrueOrNull(bool value) => value ? true : null;
}
