using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Server;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting.Tests;

/// <summary>Settings that can change while the server runs, according to docs/hosting.md.</summary>
public sealed class ReloadTests
{
    private static readonly Dictionary<string, Func<ServerDescription, string>> Told = new(StringComparer.Ordinal)
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
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();
        Assert.NotEqual(value, Told[key](server.Inspect()));

        host.Change(("Broker:" + key, value));

        await Wait.UntilAsync(() => Told[key](server.Inspect()) == value, () => host.Log.Text);
    }

    [Fact]
    public async Task The_settings_are_read_again_on_request()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), ("Broker:InProcessOnly", "true"));
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();
        await server.RereadConfiguration!();
        host.Change(("Broker:MaxPayload", "-7"));
        string problem = (await Assert.ThrowsAsync<InvalidOperationException>(() => server.RereadConfiguration!())).Message;
        Assert.Contains("MaxPayload", problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("MaxPendingTotal", "100000000")]
    [InlineData("SlowConsumers", "DropOldest")]
    public async Task A_setting_that_the_server_does_not_tell_is_among_the_options_that_it_has_taken(string key, string value)
    {
        BrokerServerOptions? last = null;
        await using TestHost host = await TestHost.StartAsync(
            s => s.AddBroker(settings => settings.Configure((_, options) => Volatile.Write(ref last, options))), ("Broker:InProcessOnly", "true"));

        host.Change(("Broker:" + key, value));

        await Wait.UntilAsync(() => host.Log.Has("The settings were reloaded"), () => host.Log.Text);
        BrokerServerOptions taken = Volatile.Read(ref last)!;
        Assert.Equal(value, key == "SlowConsumers" ? taken.SlowConsumers.ToString() : Text(taken.MaxPendingTotal));
    }

    [Fact]
    public async Task How_many_subscriptions_a_client_may_have_changes_for_those_that_are_connected()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), ("Broker:Listen:0", "127.0.0.1:0"));
        using TcpClient client = await ConnectAsync(host);
        using var reader = new StreamReader(client.GetStream());
        await AskAsync(client, reader, "CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPING\r\n", "PONG");

        host.Change(("Broker:MaxSubscriptions", "1"));
        await Wait.UntilAsync(() => host.Log.Has("The settings were reloaded"), () => host.Log.Text);

        await AskAsync(client, reader, "SUB b 2\r\n", "-ERR 'maximum subscriptions exceeded'");
    }

    [Theory]
    [InlineData("ClientAdvertise", "nats.example:7222", "\"host\":\"nats.example\",\"port\":7222")]
    [InlineData("ConnectUrls:0", "other.example:4222", "\"connect_urls\":[\"other.example:4222\"]")]
    public async Task Where_else_clients_may_go_is_told_to_those_that_are_connected(string key, string value, string told)
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), ("Broker:Listen:0", "127.0.0.1:0"));
        using TcpClient client = await ConnectAsync(host);
        using var reader = new StreamReader(client.GetStream());
        await AskAsync(client, reader, "CONNECT {\"verbose\":false,\"protocol\":1}\r\nPING\r\n", "PONG");

        host.Change(("Broker:" + key, value));

        await AskAsync(client, reader, "", told);
    }

    [Fact]
    public async Task A_certificate_that_is_given_while_the_server_runs_is_for_new_connections()
    {
        using var folder = new TemporaryFolder();
        (string certificate, string key) = TestCertificates.WriteSelfSigned(folder.Path);
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), ("Broker:Listen:0", "127.0.0.1:0"));
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();
        Assert.False(server.Inspect().IsTlsRequired);

        host.Change(("Broker:Tls:CertificateFile", certificate), ("Broker:Tls:KeyFile", key));
        await Wait.UntilAsync(() => server.Inspect().IsTlsRequired, () => host.Log.Text);

        using TcpClient client = await ConnectAsync(host);
        using var reader = new StreamReader(client.GetStream());
        await AskAsync(client, reader, "", "\"tls_required\":true");
    }

    [Fact]
    public async Task Users_change_while_the_server_runs_and_so_does_who_is_let_in_without_a_name()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), ("Broker:InProcessOnly", "true"));
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();

        host.Change(("Broker:Users:0:Name", "ada"), ("Broker:Users:0:Password", "secret"));
        await Wait.UntilAsync(() => server.Inspect().IsAuthRequired, () => host.Log.Text);

        host.Change(("Broker:NoAuthUser", "ada"));
        await Wait.UntilAsync(() => !server.Inspect().IsAuthRequired, () => host.Log.Text);
    }

    private static async Task<TcpClient> ConnectAsync(TestHost host)
    {
        var client = new TcpClient();
        await client.ConnectAsync((IPEndPoint)host.Services.GetRequiredService<BrokerServer>().EndPoints[0], TestContext.Current.CancellationToken);
        return client;
    }

    // Sends a line and reads until a line with the answer.
    private static async Task AskAsync(TcpClient client, StreamReader reader, string text, string answer)
    {
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(text), TestContext.Current.CancellationToken);
        string? line;
        do
        {
            line = await Wait.For(reader.ReadLineAsync(TestContext.Current.CancellationToken).AsTask());
            Assert.NotNull(line);
        }
        while (!line.Contains(answer, StringComparison.OrdinalIgnoreCase));
    }

    private static string Text(IFormattable value) => value.ToString(null, CultureInfo.InvariantCulture);
}
