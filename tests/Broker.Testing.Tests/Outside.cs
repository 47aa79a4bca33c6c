using Broker.Client;

namespace Broker.Testing.Tests;

/// <summary>A program that connects by its own means, with more time than a busy machine takes.</summary>
internal static class Outside
{
    public static Task<BrokerConnection> ConnectAsync(string server)
        => BrokerConnection.ConnectAsync(new ClientOptions { Servers = [server], ConnectTimeout = Wait.Limit }, TestContext.Current.CancellationToken);
}
