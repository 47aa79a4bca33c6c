using System.Globalization;
using Broker.Server;
using Broker.Server.Monitoring;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting.Tests;

/// <summary>Settings that the page says change while the server runs, as far as the server tells what it goes by.</summary>
public sealed class ReloadTests
{
    private static readonly Dictionary<string, Func<ServerFacts, string>> Told = new(StringComparer.Ordinal)
    {
        ["MaxPayload"] = static facts => Text(facts.MaxPayload),
        ["MaxControlLine"] = static facts => Text(facts.MaxControlLine),
        ["MaxConnections"] = static facts => Text(facts.MaxConnections),
        ["MaxPending"] = static facts => Text(facts.MaxPending),
        ["PingMax"] = static facts => Text(facts.PingMax),
        ["PingInterval"] = static facts => Text(facts.PingInterval),
        ["WriteDeadline"] = static facts => Text(facts.WriteDeadline),
        ["AuthTimeout"] = static facts => Text(facts.AuthTimeout),
        ["ServerTags:0"] = static facts => string.Join(',', facts.Tags),
        ["Token"] = static facts => facts.IsAuthRequired ? "secret" : "",
    };

    [Theory]
    [InlineData("MaxPayload", "2000")]
    [InlineData("MaxControlLine", "2000")]
    [InlineData("MaxConnections", "7")]
    [InlineData("MaxPending", "20000000")]
    [InlineData("PingMax", "5")]
    [InlineData("PingInterval", "00:00:07")]
    [InlineData("WriteDeadline", "00:00:07")]
    [InlineData("AuthTimeout", "00:00:07")]
    [InlineData("ServerTags:0", "plant")]
    [InlineData("Token", "secret")]
    public async Task A_setting_changes_while_the_server_runs(string key, string value)
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), ("Broker:InProcessOnly", "true"));
        var server = host.Services.GetRequiredService<BrokerServer>();
        Assert.NotEqual(value, Told[key](server.Inspect()));

        host.Change(("Broker:" + key, value));

        await Wait.UntilAsync(() => Told[key](server.Inspect()) == value, () => host.Log.Text);
    }

    [Fact]
    public async Task Users_change_while_the_server_runs_and_so_does_who_is_let_in_without_a_name()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), ("Broker:InProcessOnly", "true"));
        var server = host.Services.GetRequiredService<BrokerServer>();

        host.Change(("Broker:Users:0:Name", "ada"), ("Broker:Users:0:Password", "secret"));
        await Wait.UntilAsync(() => server.Inspect().IsAuthRequired, () => host.Log.Text);

        host.Change(("Broker:NoAuthUser", "ada"));
        await Wait.UntilAsync(() => !server.Inspect().IsAuthRequired, () => host.Log.Text);
    }

    private static string Text(IFormattable value) => value.ToString(null, CultureInfo.InvariantCulture);
}
