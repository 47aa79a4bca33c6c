using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.Hosting.Tests.WindowsServices;

/// <summary>
/// <c>AddBrokerWindowsService</c> beside <c>AddWindowsService</c> of Microsoft.Extensions.Hosting.WindowsServices, in a
/// program that Windows has not started as a service. <c>Broker.Windows.Tests</c> has the same for a service.
/// </summary>
public sealed class BothLifetimesTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Outside_of_a_service_both_keep_the_ordinary_lifetime_of_the_host(bool oursLast)
    {
        var before = new RecordedLifetime();
        await using var host = TestHost.Build(
            services =>
            {
                services.AddSingleton<IHostLifetime>(before);
                if (oursLast)
                {
                    services.AddWindowsService(static options => options.ServiceName = "Both");
                    services.AddBrokerWindowsService("Both");
                }
                else
                {
                    services.AddBrokerWindowsService("Both");
                    services.AddWindowsService(static options => options.ServiceName = "Both");
                }

                services.AddBroker();
            },
            ("Broker:Listen:0", "127.0.0.1:0"));

        await host.StartAsync();
        await host.StopAsync(TestContext.Current.CancellationToken);

        Assert.Equal((1, 1), (before.Starts, before.Stops));
        Assert.True(host.Log.Has("Broker.Hosting[4] Information: The server has stopped and has delivered all messages"), host.Log.Text);
    }

    private sealed class RecordedLifetime : IHostLifetime
    {
        public int Starts { get; private set; }

        public int Stops { get; private set; }

        public Task WaitForStartAsync(CancellationToken cancellationToken)
        {
            Starts++;
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken)
        {
            Stops++;
            return Task.CompletedTask;
        }
    }
}
