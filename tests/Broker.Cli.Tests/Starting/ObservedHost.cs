using Broker.Cli.Serving;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Tests.Starting;

/// <summary>A host that reports its start to the test.</summary>
internal sealed class ObservedHost(IServeHost host, Func<ServeAddresses, Task> onStarted) : IServeHost
{
    public ServeAddresses? Addresses { get; private set; }

    public async Task<ServeAddresses> StartAsync(ServeSettings settings, ILoggerFactory loggers, CancellationToken cancellationToken)
    {
        Addresses = await host.StartAsync(settings, loggers, cancellationToken);
        await onStarted(Addresses);
        return Addresses;
    }

    public ServeCounts ReadCounts() => host.ReadCounts();

    public Task<bool> AnswerAsync() => host.AnswerAsync();

    public ServeBacklog ReadBacklog() => host.ReadBacklog();

    public Task ReloadAsync(ServeSettings settings) => host.ReloadAsync(settings);

    public void ReloadOnRequest(Func<Task> reload) => host.ReloadOnRequest(reload);

    public void LameDuckOnRequest(Action begin) => host.LameDuckOnRequest(begin);

    public Task EnterLameDuckAsync(CancellationToken cancellationToken) => host.EnterLameDuckAsync(cancellationToken);

    public Task<long> StopAsync(CancellationToken deadline) => host.StopAsync(deadline);

    public ValueTask DisposeAsync() => host.DisposeAsync();
}
