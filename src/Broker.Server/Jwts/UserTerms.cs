using System.Globalization;
using System.Net;

namespace Broker.Server;

/// <summary>
/// The rights of a user, and the places and times of its connections: the claims of a user, or the template of a key.
/// </summary>
internal sealed class UserTerms
{
    private readonly IReadOnlyList<(IPAddress First, int Bits)> _sources;
    private readonly IReadOnlyList<DailyTime> _times;
    private readonly TimeZoneInfo _zone;
    private readonly HashSet<ClientTransport>? _transports;

    /// <param name="claims">The claims.</param>
    /// <param name="isAnswered">Whether a missing limit is no limit, in place of 0.</param>
    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal UserTerms(ClaimObject claims, bool isAnswered = false)
    {
        Permissions = JwtPermissions.Read(claims);
        int? subs = claims.Limit("subs");
        int? payload = claims.Limit("payload");
        Subscriptions = isAnswered && subs == 0 ? null : subs;
        Payload = isAnswered && payload == 0 ? null : payload;
        claims.Limit("data");
        IsBearer = claims.Flag("bearer_token");
        _sources = [.. claims.Texts("src", maySplit: true).Select(text => SourceOf(claims, text))];
        _times = [.. claims.Objects("times").Select(static time => new DailyTime(time))];
        _zone = ZoneOf(claims);
        _transports = TransportsOf(claims);
        AreEmpty = Permissions.AreEmpty && subs == 0 && payload == 0 && claims.Whole("data") == 0 && !IsBearer
            && _sources.Count == 0 && _times.Count == 0 && _transports is null;
        if (claims.Flag("proxy_required"))
        {
            throw claims.Wrong("proxy_required", "is not supported: the server does not know which clients use a proxy");
        }
    }

    internal JwtPermissions Permissions { get; }

    /// <summary>The maximum number of subscriptions; null for no limit.</summary>
    internal int? Subscriptions { get; }

    /// <summary>The maximum payload in bytes; null for no limit.</summary>
    internal int? Payload { get; }

    /// <summary>Whether the user need not prove that it has its key.</summary>
    internal bool IsBearer { get; }

    /// <summary>Whether the claims contain nothing, as those of a user of a scoped signing key must.</summary>
    internal bool AreEmpty { get; }

    /// <summary>Why a client may not connect by this transport from this address; null if it may.</summary>
    internal string? WhyNotFrom(EndPoint? from, ClientTransport transport)
        => _transports is not null && !_transports.Contains(transport) ? $"it may not connect by this transport: {transport}"
            : _sources.Count > 0 && !(from is IPEndPoint { Address: { } address } && _sources.Any(s => Contains(s, address)))
                ? "it may not connect from this address"
                : null;

    /// <summary>
    /// Finds the end of the time of day in which the user may be connected. Returns false if it may not be connected now.
    /// </summary>
    /// <param name="now">The current time.</param>
    /// <param name="end">The end; <see cref="DateTimeOffset.MaxValue"/> without such times.</param>
    internal bool TryFindEnd(DateTimeOffset now, out DateTimeOffset end)
    {
        end = _times.Count == 0 ? DateTimeOffset.MaxValue : DateTimeOffset.MinValue;
        if (_times.Count > 0)
        {
            TimeSpan time = TimeZoneInfo.ConvertTime(now, _zone).TimeOfDay;
            foreach (DailyTime daily in _times)
            {
                if (daily.LeftAt(time) is { Ticks: > 0 } left && now + left > end)
                {
                    end = now + left;
                }
            }
        }

        return end > now;
    }

    private static HashSet<ClientTransport>? TransportsOf(ClaimObject claims)
    {
        IReadOnlyList<string> names = claims.Texts("allowed_connection_types");
        if (names.Count == 0)
        {
            return null;
        }

        // Names that are not known here are skipped. If there are only such names, no client may connect.
        var transports = new HashSet<ClientTransport>();
        foreach (string name in names)
        {
            switch (name.ToUpperInvariant())
            {
                case "STANDARD":
                    transports.Add(ClientTransport.Socket);
                    transports.Add(ClientTransport.Stream);
                    break;
                case "WEBSOCKET":
                    transports.Add(ClientTransport.WebSocket);
                    break;
                case "IN_PROCESS":
                    transports.Add(ClientTransport.InProcess);
                    break;
                case "LEAFNODE":
                    transports.Add(ClientTransport.LeafNode);
                    break;
            }
        }

        return transports;
    }

    private static TimeZoneInfo ZoneOf(ClaimObject claims)
    {
        string? name = claims.Text("times_location");
        return string.IsNullOrEmpty(name) ? TimeZoneInfo.Local
            : TimeZoneInfo.TryFindSystemTimeZoneById(name, out TimeZoneInfo? zone) ? zone
            : throw claims.Wrong("times_location", "is not a time zone of this machine");
    }

    private static (IPAddress First, int Bits) SourceOf(ClaimObject claims, string text)
    {
        int slash = text.IndexOf('/', StringComparison.Ordinal);
        return slash > 0 && IPAddress.TryParse(text.AsSpan(0, slash), out IPAddress? address)
            && int.TryParse(text.AsSpan(slash + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int bits)
            && bits <= address.GetAddressBytes().Length * 8
            ? (address, bits)
            : throw claims.Wrong("src", "contains a text that is not a network such as 192.0.2.0/24");
    }

    private static bool Contains((IPAddress First, int Bits) network, IPAddress address)
    {
        byte[] one = network.First.GetAddressBytes();
        byte[] other = (address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address).GetAddressBytes();
        int whole = network.Bits / 8;
        int mask = 0xFF00 >> (network.Bits % 8);
        return one.Length == other.Length && one.AsSpan(0, whole).SequenceEqual(other.AsSpan(0, whole))
            && (network.Bits % 8 == 0 || ((one[whole] ^ other[whole]) & mask & 0xFF) == 0);
    }
}
