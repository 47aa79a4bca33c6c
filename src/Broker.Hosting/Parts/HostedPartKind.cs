namespace Broker.Hosting;

/// <summary>The kinds of parts, in the order of their start.</summary>
internal enum HostedPartKind
{
    Server,
    LeafNodes,
    Client,
    Bridge,
}
