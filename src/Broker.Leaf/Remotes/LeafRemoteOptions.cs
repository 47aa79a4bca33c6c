namespace Broker.Leaf;

/// <summary>
/// A remote server, or the servers of one cluster, that the broker joins as a leaf node. The broker is connected to one
/// of them at a time.
/// </summary>
public sealed record LeafRemoteOptions
{
    /// <summary>
    /// The addresses of the remote's leaf node ports, of the form <c>nats-leaf://[user:password@|token@]host[:port]</c>
    /// with the scheme <c>nats-leaf</c> or <c>nats</c>. The default port is 7422.
    /// </summary>
    public IReadOnlyList<string> Urls { get; init; } = [];

    /// <summary>The account of this server that takes part; null, the default, for the global account.</summary>
    public string? Account { get; init; }

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

    /// <summary>
    /// Returns the addresses without user, password and token, because a record prints all its properties.
    /// </summary>
    public override string ToString() => string.Join(", ", Urls.Select(LeafAddress.Describe));
}
