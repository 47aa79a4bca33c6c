using Aspire.Hosting;

namespace Broker.Aspire.Tests;

/// <summary>One app host for several tests, because its start takes seconds.</summary>
public sealed class StartedAppHost : IAsyncLifetime
{
    internal DistributedApplication App { get; private set; } = null!;

    public async ValueTask InitializeAsync() => App = await AppHost.StartAsync();

    public ValueTask DisposeAsync() => App.DisposeAsync();
}
