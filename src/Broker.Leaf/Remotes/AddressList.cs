namespace Broker.Leaf;

/// <summary>
/// The addresses of a remote: the configured ones, and those that the connected server has listed. Used on the loop of
/// the link only, except for <see cref="Discovered"/>.
/// </summary>
internal sealed class AddressList
{
    // Bounds the memory that a remote can use up.
    private const int MaxDiscovered = 64;

    private readonly LeafAddress[] _configured;
    private LeafAddress[] _all;
    private volatile string[] _discovered = [];
    private int _last = -1;

    /// <param name="configured">The configured addresses, at least one.</param>
    /// <param name="keepsOrder">Whether the addresses are used in their order. Otherwise the order is random.</param>
    internal AddressList(LeafAddress[] configured, bool keepsOrder)
    {
        _configured = [.. configured];
        if (!keepsOrder)
        {
            Random.Shared.Shuffle(_configured);
        }

        _all = _configured;
    }

    /// <summary>The listed addresses that are not configured. Any thread may read them.</summary>
    internal IReadOnlyList<string> Discovered => _discovered;

    internal LeafAddress First => _configured[0];

    /// <summary>Returns the address of the next attempt.</summary>
    internal LeafAddress Next()
    {
        _last = (_last + 1) % _all.Length;
        return _all[_last];
    }

    /// <summary>Replaces the listed addresses.</summary>
    /// <param name="source">The address of the server that has sent the list.</param>
    /// <param name="listed">Hosts and ports. Those that cannot be read are left out.</param>
    internal void Discover(LeafAddress source, string[] listed)
    {
        List<LeafAddress> all = [.. _configured];
        foreach (string text in listed.Take(MaxDiscovered))
        {
            if (source.ParseListed(text) is { } found && !all.Exists(found.IsSameServer))
            {
                all.Add(found);
            }
        }

        _all = [.. all];
        _discovered = [.. all.Skip(_configured.Length).Select(static address => address.ToString())];
    }
}
