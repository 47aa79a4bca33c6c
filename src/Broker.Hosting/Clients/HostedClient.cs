using Broker.Client;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting;

/// <summary>Finds the client of a hosted service or consumer.</summary>
internal static class HostedClient
{
    /// <param name="provider">The services of the host.</param>
    /// <param name="name">The name of the client. Null for the client without a name.</param>
    /// <param name="user">The part that needs the client, for the error.</param>
    /// <exception cref="InvalidOperationException">The host has no such client.</exception>
    internal static BrokerConnection Of(IServiceProvider provider, string? name, string user)
    {
        BrokerConnection? connection = name is null ? provider.GetService<BrokerConnection>() : provider.GetKeyedService<BrokerConnection>(name);
        return connection
            ?? throw new InvalidOperationException(
                name is null
                    ? $"{user} needs a client, and the host has none: call AddBrokerClient()."
                    : $"{user} needs the client '{name}', and the host has none of this name: call AddBrokerClient(\"{name}\").");
    }
}
