namespace Broker.Client.Streams.Tests.Support;

/// <summary>The servers that a test runs with.</summary>
public static class EachServer
{
    public static TheoryData<string> All => [.. StreamServer.Names, StreamServer.Ours];

    /// <summary>
    /// The servers of others: for what the server of this project does not have, and for counts of allocations.
    /// </summary>
    public static TheoryData<string> OfOthers => [.. StreamServer.Names];

    /// <summary>Those that have what came with nats-server 2.10.</summary>
    public static TheoryData<string> Since210 => [.. StreamServer.Names.Where(static name => name != StreamServer.Installed), StreamServer.Ours];

    /// <summary>The same without the server of this project.</summary>
    public static TheoryData<string> NewerOfOthers => [.. StreamServer.Names.Where(static name => name != StreamServer.Installed)];

    /// <summary>Those that have what came with nats-server 2.11 and later.</summary>
    public static TheoryData<string> Newest => [NewerNatsServers.Sid];

    /// <summary>Those whose messages can have a time to live.</summary>
    public static TheoryData<string> WithTimesToLive => [NewerNatsServers.Sid, StreamServer.Ours];

    /// <summary>Those whose consumers can pause.</summary>
    public static TheoryData<string> WithPauses => [NewerNatsServers.Sid, StreamServer.Ours];
}
