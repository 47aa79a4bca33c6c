using Broker.Client;
using Broker.Client.Streams;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Creates and finds the streams of the clients of a host.</summary>
internal static class HostedStreams
{
    /// <summary>Creates the streams of a client.</summary>
    /// <exception cref="InvalidOperationException">The host has no such client.</exception>
    /// <exception cref="OptionsValidationException">A setting is wrong. The message contains its section.</exception>
    internal static StreamsClient Create(IServiceProvider services, string? client)
    {
        string name = client ?? Microsoft.Extensions.Options.Options.DefaultName;
        BrokerConnection connection = HostedClient.Of(services, client, "AddBrokerStreams");
        BrokerStreamsSettings settings = services.GetRequiredService<IOptionsMonitor<BrokerStreamsSettings>>().Get(name);
        try
        {
            StreamsClient streams = connection.Streams(StreamSettingsReader.ToOptions(settings));
            services.GetRequiredService<HostedMetrics>().Add(streams, client ?? "default");
            return streams;
        }
        catch (ArgumentException e)
        {
            throw new OptionsValidationException(name, typeof(BrokerStreamsSettings), [$"{StreamSettingsReader.SectionOf(name)}:{e.ParamName}: {e.Message}"]);
        }
    }

    /// <exception cref="InvalidOperationException">The host has no streams of this client.</exception>
    internal static StreamsClient Of(IServiceProvider services, string? client, string consumer)
        => (client is null ? services.GetService<StreamsClient>() : services.GetKeyedService<StreamsClient>(client))
            ?? throw new InvalidOperationException(
                client is null
                    ? $"The hosted consumer '{consumer}' needs streams, and the host has none: call AddBrokerStreams()."
                    : $"The hosted consumer '{consumer}' needs the streams of the client '{client}', and the host has none: call AddBrokerStreams(\"{client}\").");
}
