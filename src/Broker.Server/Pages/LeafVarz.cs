namespace Broker.Server;

/// <summary>
/// The part <c>leaf</c> of <c>/varz</c>: the address for servers that join, and the configured remotes.
/// </summary>
internal sealed record LeafVarz
{
    public string? Host { get; init; }

    public int? Port { get; init; }

    public double? AuthTimeout { get; init; }

    public double? TlsTimeout { get; init; }

    public bool? TlsRequired { get; init; }

    public bool? TlsVerify { get; init; }

    public IReadOnlyList<RemoteVarz>? Remotes { get; init; }

    internal static LeafVarz From(LeafListenerDescription? listener, IReadOnlyList<LeafNodeDescription> nodes) => new()
    {
        Host = listener?.Host,
        Port = listener?.Port,
        AuthTimeout = listener?.AuthTimeout.TotalSeconds,
        TlsTimeout = listener?.TlsTimeout?.TotalSeconds,
        TlsRequired = listener is { TlsTimeout: not null } ? true : null,
        TlsVerify = listener is { IsTlsVerified: true } ? true : null,
        Remotes = nodes.All(static node => node.HasJoined)
            ? null
            : [.. nodes.Where(static node => !node.HasJoined).Select(static node => new RemoteVarz(node.Account, node.Addresses))],
    };

    /// <summary>One remote.</summary>
    internal sealed record RemoteVarz(string LocalAccount, IReadOnlyList<string> Urls);
}
