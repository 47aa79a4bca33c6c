namespace Broker.Client.Streams.Tests.Support;

/// <summary>The servers that a test runs with.</summary>
public static class EachServer
{
    public static TheoryData<string> All => [.. StreamServer.Names];

    /// <summary>All servers of others, and the server of this project: for tests without consumers.</summary>
    public static TheoryData<string> WithoutConsumers => [.. StreamServer.Names, StreamServer.Ours];

    /// <summary>Those that have what came with nats-server 2.10.</summary>
    public static TheoryData<string> Since210 => [.. StreamServer.Names.Where(static name => name != StreamServer.Installed)];

    /// <summary>Those that have what came with nats-server 2.11 and later.</summary>
    public static TheoryData<string> Newest => [NewerNatsServers.Sid];
}
