using System.Globalization;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting.Tests;

/// <summary>Tests the examples and tables of docs/hosting.md.</summary>
public sealed partial class DocumentationTests
{
    private static readonly string Page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "hosting.md"));

    [Theory]
    [InlineData(typeof(BrokerSettings), "| key of `Broker` |")]
    [InlineData(typeof(BrokerClientSettings), "| key of `BrokerClient`, `BrokerClients:NAME` |")]
    [InlineData(typeof(BrokerStreamsSettings), "| key of `BrokerStreams`, `BrokerStreamsByClient:NAME` |")]
    [InlineData(typeof(BrokerConsumerSettings), "| key of `BrokerConsumers:NAME` |")]
    public void Each_setting_is_documented_and_each_documented_one_is_there(Type settings, string title)
    {
        IEnumerable<string> rows = Page.Split('\n').SkipWhile(l => !l.StartsWith(title, StringComparison.Ordinal)).Skip(2)
            .TakeWhile(l => l.StartsWith('|'));
        IEnumerable<string> documented = rows.SelectMany(r => Code().Matches(r.Split('|')[1]).Select(m => m.Groups[1].Value));

        Assert.Equal(
            settings.GetProperties(BindingFlags.Public | BindingFlags.Instance).Select(p => p.Name).Order(StringComparer.Ordinal),
            documented.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task The_settings_as_they_are_printed_start_a_host()
    {
        using var folder = new TemporaryFolder();
        (string certificate, string key) = TestCertificates.WriteSelfSigned(folder.Path);
        string json = Json().Match(Page).Groups[1].Value
            .Replace("0.0.0.0:4222", "127.0.0.1:0", StringComparison.Ordinal)
            .Replace("/run/app", folder.Path, StringComparison.Ordinal)
            .Replace("server.pem", certificate, StringComparison.Ordinal)
            .Replace("server.key", key, StringComparison.Ordinal)
            .Replace("nats://orders.example:4222", $"nats://127.0.0.1:{FreePort.Next()}", StringComparison.Ordinal);
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths of Unix");
        using var stream = new MemoryStream(Encoding.UTF8.GetBytes(json));
        (string, string)[] settings =
        [
            .. new ConfigurationBuilder().AddJsonStream(stream).Build().AsEnumerable().Where(s => s.Value is not null).Select(s => (s.Key, s.Value!)),
        ];

        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker().AddBrokerClient().AddBrokerClient("orders"), settings);

        Assert.Equal(2, host.Services.GetRequiredService<BrokerServer>().EndPoints.Count);
        Assert.Equal(ConnectionState.Connected, host.Services.GetRequiredService<BrokerConnection>().State);
        Assert.NotEqual(ConnectionState.Closed, host.Services.GetRequiredKeyedService<BrokerConnection>("orders").State);
    }

    [Fact]
    public void Each_event_of_the_log_is_on_the_page_with_its_level_and_no_number_is_used_twice()
    {
        (int EventId, string Level)[] events = typeof(HostingLog).GetMethods(BindingFlags.Instance | BindingFlags.NonPublic)
            .Select(m => m.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>()
            .Select(a => (a.EventId, Level: a.Level.ToString().ToLowerInvariant())).Order().ToArray();

        Assert.Equal(Events("| event | level |"), events);
    }

    [Theory]
    [InlineData(typeof(BrokerServer), "| event of `Broker.Server` | level |")]
    [InlineData(typeof(ZeroMqBridge), "| event of `Broker.Bridge` | level |")]
    public void Each_event_of_what_it_hosts_is_on_the_page_too_and_no_number_is_used_twice(Type part, string title)
    {
        (int EventId, string Level)[] events = part.Assembly.GetTypes().SelectMany(t => t.GetMethods(BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            .Select(m => m.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>()
            .Select(a => (a.EventId, Level: a.Level.ToString().ToLowerInvariant())).Order().ToArray();

        Assert.Equal(Events(title), events);
        Assert.Equal(events.Length, events.DistinctBy(e => e.EventId).Count());
    }

    private static (int Id, string Level)[] Events(string title) =>
    [
        .. Page.Split('\n').SkipWhile(l => !l.StartsWith(title, StringComparison.Ordinal)).Skip(2).TakeWhile(l => l.StartsWith('|'))
            .Select(l => l.Split('|', StringSplitOptions.TrimEntries))
            .SelectMany(r => r[1].Split(", ").Zip(r[2].Split(", "), (id, level) => (int.Parse(id, CultureInfo.InvariantCulture), level))),
    ];

    [GeneratedRegex("`([^`]+)`", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Code();

    [GeneratedRegex("```json\n(.*?)```", RegexOptions.CultureInvariant | RegexOptions.Singleline, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Json();
}
