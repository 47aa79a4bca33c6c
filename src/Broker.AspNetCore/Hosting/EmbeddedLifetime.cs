using Microsoft.Extensions.Hosting;

namespace Broker.AspNetCore;

/// <summary>The lifetime of a host that another object starts and stops.</summary>
internal sealed class EmbeddedLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
