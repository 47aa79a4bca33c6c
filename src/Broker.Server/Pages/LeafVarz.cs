namespace Broker.Server;

/// <summary>The part <c>leaf</c> of <c>/varz</c>: the configured remotes.</summary>
internal sealed record LeafVarz
{
    public IReadOnlyList<RemoteVarz>? Remotes { get; init; }

    internal static LeafVarz From(IReadOnlyList<LeafNodeDescription> nodes) => new()
    {
        Remotes = nodes.All(static node => node.HasJoined)
            ? null
            : [.. nodes.Where(static node => !node.HasJoined).Select(static node => new RemoteVarz(node.Account, node.Addresses))],
    };

    /// <summary>One remote.</summary>
    internal sealed record RemoteVarz(string LocalAccount, IReadOnlyList<string> Urls);
}
