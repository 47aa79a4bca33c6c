using System.Net;
using System.Net.Sockets;
using Broker.Client;

namespace Broker.Windows.Tests;

/// <summary>
/// A service whose host has our lifetime and that of Microsoft.Extensions.Hosting.WindowsServices
/// (docs/decisions/028-windows-service.md).
/// </summary>
public sealed class LifetimeTests(WindowsMachine windows) : IClassFixture<WindowsMachine>
{
    private const string Name = "Lifetimes";

    [Theory]
    [InlineData("ours-last")]
    [InlineData("theirs-last")]
    public Task A_service_with_both_lifetimes_serves_and_stops_in_order(string order) => windows.TestAsync(async () =>
    {
        int port = FreePort.Next();
        await CreateAsync(order, port);
        try
        {
            await windows.RunAsync("net.exe", "start", Name);
            await using (BrokerConnection client = await BrokerConnection.ConnectAsync(
                new ClientOptions
                {
                    Servers = [$"nats://127.0.0.1:{port}"],
                    ConnectTimeout = Wait.Limit,
                    FirstConnect = FirstConnect.Background,
                    MaxReconnectAttempts = -1,
                },
                TestContext.Current.CancellationToken))
            {
                await Wait.UntilAsync(() => client.State == ConnectionState.Connected, "the service");
                await client.PingAsync(TestContext.Current.CancellationToken);
            }

            await windows.RunAsync("net.exe", "stop", Name);

            Assert.Contains("WIN32_EXIT_CODE    : 0", await StoppedAsync(), StringComparison.Ordinal);
        }
        finally
        {
            await windows.RunAsync("sc.exe", "delete", Name);
        }
    });

    [Fact]
    public Task A_start_that_fails_has_an_exit_code_if_our_lifetime_is_the_last() => windows.TestAsync(async () =>
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        await CreateAsync("ours-last", ((IPEndPoint)taken.LocalEndpoint).Port);
        try
        {
            await windows.RunAsync("net.exe", "start", Name);

            Assert.Matches(@"WIN32_EXIT_CODE\s+: 1066", await StoppedAsync());
        }
        finally
        {
            await windows.RunAsync("sc.exe", "delete", Name);
        }
    });

    private Task CreateAsync(string order, int port) => windows.SucceedAsync(
        "sc.exe", "create", Name, "binPath=", $"\"Z:{windows.Lifetimes.Replace('/', '\\')}\" {order} --Broker:Listen:0=127.0.0.1:{port}", "start=", "demand");

    private async Task<string> StoppedAsync()
    {
        string text = "";
        await Wait.UntilAsync(
            async () => (text = (await windows.RunAsync("sc.exe", "query", Name)).Text).Contains("STOPPED", StringComparison.Ordinal), () => text);
        return text;
    }
}
