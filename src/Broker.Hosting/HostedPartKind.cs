namespace Broker.Hosting;

/// <summary>What starts before what.</summary>
internal enum HostedPartKind
{
    Server,
    Client,
    Bridge,
}
