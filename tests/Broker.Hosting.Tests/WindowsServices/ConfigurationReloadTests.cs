using Broker.Server;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting.Tests.WindowsServices;

/// <summary>The effect of PARAMCHANGE on a host.</summary>
public sealed class ConfigurationReloadTests
{
    [Fact]
    public async Task A_file_that_cannot_be_read_is_logged_and_the_host_goes_on_until_it_can()
    {
        using var folder = new TemporaryFolder();
        string file = Path.Combine(folder.Path, "appsettings.json");
        await File.WriteAllTextAsync(file, """{ "Broker": { "Listen": [ "127.0.0.1:0" ] } }""", TestContext.Current.CancellationToken);
        await using var host = TestHost.BuildFrom(file, static s => s.AddBroker());
        await host.StartAsync();
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();
        var reload = new ConfigurationReload(host.Services);

        await File.WriteAllTextAsync(file, "{", TestContext.Current.CancellationToken);
        reload.Reload();

        Assert.True(host.Log.Has("Broker.Hosting[3] Error: The settings were not reloaded, and the old settings still apply: "), host.Log.Text);
        Assert.True(host.Log.Has("appsettings.json"), host.Log.Text);
        Assert.Equal(65_536, server.MaxConnections);

        await File.WriteAllTextAsync(
            file, """{ "Broker": { "Listen": [ "127.0.0.1:0" ], "MaxConnections": 7 } }""", TestContext.Current.CancellationToken);
        reload.Reload();

        await Wait.UntilAsync(() => server.MaxConnections == 7, () => host.Log.Text);
    }
}
