using System.Text.Json;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

/// <summary>The server with open live pages and sampled subjects.</summary>
public class WatchedServerTests
{
    [Fact]
    public async Task The_watched_server_samples_and_has_the_open_pages()
    {
        ServerCommand command = KnownServers.With([], [], pages: 3).Single(static command => command.Name == KnownServers.Watched);
        using var resources = new DriverResources();
        using var server = ServerProcess.Start(command, resources);
        using var http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{server.MonitoringPort}/"), Timeout = Wait.Limit };
        Assert.Equal(1000, (await GetAsync(http, "subjectz")).GetProperty("sample_subjects").GetInt32());
        Assert.Equal(3, (await GetAsync(http, "varz")).GetProperty("http_req_stats").GetProperty("/live").GetInt32());
        // A row that needs monitoring pages takes the same process.
        Assert.Equal(command.Line, command.WithMonitoring().Line);
    }

    [Fact]
    public void Without_the_option_no_server_is_watched()
        => Assert.DoesNotContain(KnownServers.With([], []), static command => command.Name == KnownServers.Watched || command.OpenPages > 0);

    [Fact]
    public async Task A_started_server_serves_its_pages_even_if_it_opens_them_long_after_the_port_of_its_clients()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the late pages need a shell");
        ServerCommand ours = KnownServers.With([], []).Single(static command => command.Name == KnownServers.Ours);
        string broker = $"'{ours.FileName}' '{ours.Arguments[0]}' serve -q -a 127.0.0.1";
        string late = $"{broker} -p {ServerCommand.PortPlaceholder} & sleep 1; exec {broker} -p -1 $0 $1";
        ServerCommand command = new ServerCommand("late", "sh", ["-c", late]).WithMonitoring();
        using var resources = new DriverResources();
        using var server = ServerProcess.Start(command, resources);
        using var http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{server.MonitoringPort}/"), Timeout = Wait.Limit };
        Assert.Equal(0, (await GetAsync(http, "varz")).GetProperty("in_msgs").GetInt64());
    }

    private static async Task<JsonElement> GetAsync(HttpClient http, string page)
    {
        using var json = JsonDocument.Parse(await http.GetStringAsync(page, TestContext.Current.CancellationToken));
        return json.RootElement.Clone();
    }
}
