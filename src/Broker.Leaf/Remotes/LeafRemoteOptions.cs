using System.Text;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// A remote server, or the servers of one cluster, that the broker joins as a leaf node. The broker is connected to one
/// of them at a time.
/// </summary>
public sealed record LeafRemoteOptions
{
    /// <summary>
    /// The addresses of the remote's leaf node ports, of the form <c>nats-leaf://[user:password@|token@]host[:port]</c>
    /// with the scheme <c>nats-leaf</c>, <c>nats</c> or <c>tls</c>. With <c>ws</c> and <c>wss</c>, which may have a
    /// path, the link uses a WebSocket; then all addresses must have one of these schemes. The default port is 7422.
    /// </summary>
    public IReadOnlyList<string> Urls { get; init; } = [];

    /// <summary>The account of this server that takes part; null, the default, for the global account.</summary>
    public string? Account { get; init; }

    /// <summary>
    /// The source of a user's key pair. It is read before each attempt to connect. Null, the default: the user,
    /// password and token of the address are used.
    /// </summary>
    public ILeafCredentialSource? Credentials { get; init; }

    /// <summary>
    /// The TLS options. Null, the default: TLS with the authorities of the system is used if the remote or its address
    /// requires TLS. The files are read before each attempt to connect.
    /// </summary>
    public ClientTlsOptions? Tls { get; init; }

    /// <summary>The time limit of a TLS handshake, two seconds by default.</summary>
    public TimeSpan TlsTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// Filters of subjects that the remote must not send: interest in them is not announced, and such messages are
    /// dropped.
    /// </summary>
    public IReadOnlyList<string> DenyImports { get; init; } = [];

    /// <summary>Filters of subjects that are not sent to the remote.</summary>
    public IReadOnlyList<string> DenyExports { get; init; } = [];

    /// <summary>
    /// Whether the addresses are tried in their order. Default: false, so that many brokers spread over the servers of
    /// a cluster.
    /// </summary>
    public bool NoRandomize { get; init; }

    /// <summary>
    /// Whether only <see cref="Urls"/> are used. Default: false, so the addresses that the connected server lists are
    /// used too.
    /// </summary>
    public bool IgnoreDiscoveredServers { get; init; }

    /// <summary>
    /// The JetStream domain of the remote, which then has the streams, key-value buckets and object stores of the
    /// account: clients of this server use them without a domain. Null, the default: the domain that the remote names,
    /// if the account has no other remote. Empty: the names of JetStream's subjects are never changed.
    /// </summary>
    public string? JetStreamDomain { get; init; }

    /// <summary>Whether the remote is not used. Default: false.</summary>
    public bool IsDisabled { get; init; }

    /// <summary>The time limit for a connect, one second by default.</summary>
    public TimeSpan DialTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The time that the link waits for the remote's INFO, one second by default.</summary>
    public TimeSpan FirstInfoTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The largest number of bytes that wait for the link, 64 MiB by default. Further messages for the remote are lost
    /// and counted. Publishers never wait for a link.
    /// </summary>
    public long MaxPendingBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>
    /// The largest number of subscriptions that the remote may announce, one million by default. A remote with more
    /// subscriptions is disconnected.
    /// </summary>
    public int MaxInterest { get; init; } = 1_000_000;

    /// <summary>Whether a text is a value that <see cref="JetStreamDomain"/> may have.</summary>
    public static bool IsValidDomain(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.Length == 0 || (!text.Contains('.', StringComparison.Ordinal) && Subject.IsValidLiteral(Encoding.UTF8.GetBytes(text)));
    }

    /// <summary>Whether a text is an address that <see cref="Urls"/> may contain.</summary>
    public static bool IsValidUrl(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        try
        {
            LeafAddress.Parse(text);
            return true;
        }
        catch (FormatException)
        {
            return false;
        }
    }

    /// <summary>Whether all options are equal. Lists are compared by their contents.</summary>
    public bool Equals(LeafRemoteOptions? other)
        => other is not null
            && Urls.SequenceEqual(other.Urls, StringComparer.Ordinal)
            && DenyImports.SequenceEqual(other.DenyImports, StringComparer.Ordinal)
            && DenyExports.SequenceEqual(other.DenyExports, StringComparer.Ordinal)
            && string.Equals(Account, other.Account, StringComparison.Ordinal)
            && string.Equals(JetStreamDomain, other.JetStreamDomain, StringComparison.Ordinal)
            && Equals(Credentials, other.Credentials)
            && Equals(Tls, other.Tls)
            && (TlsTimeout, DialTimeout, FirstInfoTimeout) == (other.TlsTimeout, other.DialTimeout, other.FirstInfoTimeout)
            && (NoRandomize, IgnoreDiscoveredServers, IsDisabled) == (other.NoRandomize, other.IgnoreDiscoveredServers, other.IsDisabled)
            && (MaxPendingBytes, MaxInterest) == (other.MaxPendingBytes, other.MaxInterest);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Urls.Count, Account, MaxPendingBytes, IsDisabled);

    /// <summary>
    /// Returns the addresses without user, password and token, because a record prints all its properties.
    /// </summary>
    public override string ToString() => string.Join(", ", Urls.Select(LeafAddress.Describe));
}
