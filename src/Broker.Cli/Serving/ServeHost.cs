using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>The server and the bridge in this process.</summary>
internal sealed class ServeHost : IServeHost
{
    public Task<ServeAddresses> StartAsync(ServeSettings settings, ILoggerFactory loggers, CancellationToken cancellationToken) =>
        throw new ServeStartException("this build of the command holds no server");

    public ServeCounts ReadCounts() => default;

    public Task<long> StopAsync(CancellationToken deadline) => Task.FromResult(0L);

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
