using Broker.Client;

namespace Broker.Testing.Tests;

/// <summary>A program that connects on its own, with a timeout that is long enough for a busy machine.</summary>
internal static class Outside
{
    public static Task<BrokerConnection> ConnectAsync(string server)
        => BrokerConnection.ConnectAsync(new ClientOptions { Servers = [server], ConnectTimeout = Wait.Limit }, TestContext.Current.CancellationToken);
}
