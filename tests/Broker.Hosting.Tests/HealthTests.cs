using Broker.Client;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Broker.Hosting.Tests;

/// <summary>The results of the health checks for a host with a problem.</summary>
public sealed class HealthTests
{
    private static readonly (string, string) Free = ("Broker:Listen:0", "127.0.0.1:0");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_loop_that_does_not_answer_is_unhealthy()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddHealthChecks().AddBroker().Services.Configure<HealthCheckServiceOptions>(
                static checks => checks.Registrations.Single(c => c.Name == "broker-loops").Timeout = TimeSpan.FromMilliseconds(50)),
            Free,
            ("Broker:Loops", "1"));
        using var held = new ManualResetEventSlim();
        host.Services.GetRequiredService<EventLoopGroup>()[0].Post(() => held.Wait(Wait.Limit));

        HealthReportEntry loops = (await CheckAsync(host, "broker-loops")).Entries["broker-loops"];

        held.Set();
        Assert.Equal(HealthStatus.Unhealthy, loops.Status);
    }

    [Fact]
    public void The_check_of_the_loops_has_a_time_by_itself()
    {
        using ServiceProvider services = new ServiceCollection().AddHealthChecks().AddBroker().Services.BuildServiceProvider();

        HealthCheckServiceOptions checks = services.GetRequiredService<Microsoft.Extensions.Options.IOptions<HealthCheckServiceOptions>>().Value;

        Assert.NotEqual(Timeout.InfiniteTimeSpan, checks.Registrations.Single(static c => c.Name == "broker-loops").Timeout);
    }

    [Fact]
    public async Task Asking_for_health_starts_nothing()
    {
        await using var host = TestHost.Build(static s => s.AddBroker().AddBrokerClient().AddHealthChecks().AddBroker(), Free);

        HealthReport report = await CheckAsync(host, "");

        Assert.Equal("starting", report.Entries["broker-client"].Description);
        Assert.Equal((HealthStatus.Unhealthy, HealthStatus.Healthy), (report.Entries["broker"].Status, report.Entries["broker-loops"].Status));
        Assert.DoesNotContain("Broker.Hosting[1]", host.Log.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_that_looks_for_a_server_is_degraded_and_a_closed_one_unhealthy()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBrokerClient().AddHealthChecks().AddBroker(),
            ("BrokerClient:Servers:0", $"nats://127.0.0.1:{FreePort.Next()}"), ("BrokerClient:FirstConnect", "Background"));
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(host, "broker-client")).Status);

        await host.Services.GetRequiredService<BrokerConnection>().DisposeAsync();

        HealthReportEntry client = (await CheckAsync(host, "broker-client")).Entries["broker-client"];
        Assert.Equal((HealthStatus.Unhealthy, "closed"), (client.Status, client.Description));
    }

    [Fact]
    public async Task A_server_that_somebody_has_ended_is_not_ready()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker().AddHealthChecks().AddBroker(), Free);
        await host.Services.GetRequiredService<BrokerServer>().DisposeAsync();

        HealthReportEntry broker = (await CheckAsync(host, "broker")).Entries["broker"];

        Assert.Equal((HealthStatus.Unhealthy, "leaving"), (broker.Status, broker.Description));
    }

    private static Task<HealthReport> CheckAsync(TestHost host, string name) => host.Services.GetRequiredService<HealthCheckService>()
        .CheckHealthAsync(check => name.Length == 0 || check.Name == name, Cancellation).WaitAsync(Wait.Limit, Cancellation);
}
