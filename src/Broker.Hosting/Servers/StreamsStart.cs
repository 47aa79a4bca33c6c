using Broker.Server;
using Broker.Streams;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>Converts the settings of streams, and validates them before anything starts.</summary>
internal static class StreamsStart
{
    /// <summary>Returns the callback that starts the streams; null without streams.</summary>
    /// <exception cref="ArgumentException">A setting is wrong; the message begins with its key.</exception>
    public static Func<BrokerServer, CancellationToken, Task<IServerStreams>>? Of(
        IServiceProvider services, BrokerSettings settings, BrokerServerOptions options, ILogger logger)
    {
        if (settings.Streams is not { } streams)
        {
            return null;
        }

        string? unknown = streams.Accounts.FirstOrDefault(name =>
            !string.Equals(name, AccountDescription.GlobalName, StringComparison.Ordinal) && options.Accounts.All(a => !string.Equals(a.Name, name, StringComparison.Ordinal)));
        if (unknown is not null)
        {
            throw new ArgumentException($"{nameof(BrokerSettings.Streams)}:Accounts: there is no account '{unknown}'.");
        }

        try
        {
            return ServerStreams.With(streams.ToOptions(directory => ContentRoot.Resolve(services, directory), logger));
        }
        catch (ArgumentException e)
        {
            throw new ArgumentException($"{nameof(BrokerSettings.Streams)}:{e.Message}", e);
        }
    }
}
