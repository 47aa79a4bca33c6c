using System.Text.Json;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Tests.Configuration;
using Broker.Cryptography;
using Broker.ZeroMq;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Cli.Tests.Serving;

/// <summary>Tests that a reload changes only routes whose settings differ.</summary>
public sealed class RouteReloadTests : IAsyncLifetime
{
    private const string Logs = "{ pattern: pushpull, name: logs, subject: logs, pushers: \"tcp://127.0.0.1:LOGS\", pullers: \"tcp://127.0.0.1:*\" }";

    private readonly ServeHost _host = new();
    private readonly int _logs = FreePort.Next();
    private readonly int _other = FreePort.Next();

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public ValueTask DisposeAsync() => _host.DisposeAsync();

    [Fact]
    public async Task Routes_come_and_go_and_change_while_another_goes_on()
    {
        string pullers = (await StartAsync($"zeromq {{ routes: [ {Logs}, {Worker("a")} ] }}")).ZeroMqRoutes[0].Endpoints[1];
        await using var push = new PushSocket();
        await using var pull = new PullSocket();
        pull.Connect(pullers);
        push.Connect($"tcp://127.0.0.1:{_logs}");
        await push.SendAsync("one", TestContext.Current.CancellationToken);
        Assert.Equal("one", Receive(pull));

        // Comments, order and positions do not change a route; another subject does.
        await ReloadAsync($"zeromq {{\n # now\n routes: [ {Worker("b")}, {Logs}, {{ pattern: request, subject: c, endpoint: \"tcp://127.0.0.1:*\" }} ] }}");
        Assert.Equal((3, 4), (await CountAsync("routes"), await CountAsync("endpoints")));
        await push.SendAsync("two", TestContext.Current.CancellationToken);
        Assert.Equal("two", Receive(pull));

        // The route still has the same two programs, and its counters continue.
        await Wait.UntilAsync(() => _host.ReadCounts().ZeroMqMessagesOut == 2, () => $"{_host.ReadCounts()}");
        await ReloadAsync($"zeromq {{ routes: [ {Logs} ] }}");
        Assert.Equal((1, 2), (await CountAsync("routes"), await CountAsync("endpoints")));
        await push.SendAsync("three", TestContext.Current.CancellationToken);
        Assert.Equal("three", Receive(pull));
        await Wait.UntilAsync(() => _host.ReadCounts() is { ZeroMqPeers: 2, ZeroMqMessagesOut: 3 }, () => $"{_host.ReadCounts()}");
    }

    [Fact]
    public async Task A_route_that_cannot_be_had_as_it_is_wanted_goes_on_as_it_was()
    {
        await StartAsync($"zeromq {{ routes: [ {Worker("a")} ] }}");
        await using var taken = new PullSocket();
        taken.Bind($"tcp://127.0.0.1:{_logs}");

        ServeStartException refused = await Assert.ThrowsAsync<ServeStartException>(() => ReloadAsync(
            $"zeromq {{ routes: [ {{ pattern: worker, name: devices, subject: a, endpoint: \"tcp://127.0.0.1:LOGS\" }} ] }}"));

        Assert.Contains("the route \"devices\" cannot be started: ", refused.Message, StringComparison.Ordinal);
        await using var worker = new ResponseSocket();
        worker.Connect($"tcp://127.0.0.1:{_other}");
        await Wait.UntilAsync(() => _host.ReadCounts().ZeroMqPeers == 1, "the worker at the route as it was");

        // The refused route can be started when its endpoint is free.
        await taken.DisposeAsync();
        await ReloadAsync($"zeromq {{ routes: [ {{ pattern: worker, name: devices, subject: a, endpoint: \"tcp://127.0.0.1:LOGS\" }} ] }}");
        worker.Connect($"tcp://127.0.0.1:{_logs}");
        await Wait.UntilAsync(() => _host.ReadCounts().ZeroMqPeers == 1, "the worker at the new endpoint");
    }

    [Fact]
    public async Task The_bridge_itself_comes_and_goes()
    {
        await StartAsync("");
        await ReloadAsync($"zeromq {{ routes: [ {Worker("a")} ] }}");
        Assert.Equal(1, await CountAsync("routes"));

        await ReloadAsync("zeromq: false");
        Assert.Equal(0, await CountAsync("routes"));

        await ReloadAsync($"zeromq {{ routes: [ {Worker("b")} ] }}");
        Assert.Equal(1, await CountAsync("routes"));
    }

    [Fact]
    public async Task A_route_whose_keys_are_others_is_started_anew_and_one_without_a_key_of_its_own_is_not()
    {
        using var folder = new TemporaryFolder();
        var cryptography = new CurveCryptography();
        var old = CurveKeyPair.Generate(cryptography);
        string secret = folder.Write("bridge.secret", old.ExportSecretKey());
        string other = folder.Write("other.public", CurveKeyPair.Generate(cryptography).PublicKey.ToString());
        string text = $"zeromq {{ security {{ mechanism: curve, role: server, secret_key_file: \"{secret}\" }}\nroutes: [ {Worker("a")}, "
            + $"{{ pattern: worker, subject: b, endpoint: \"tcp://127.0.0.1:*\", security {{ mechanism: curve, role: client, server_key_file: \"{other}\" }} }} ] }}";
        await StartAsync(text);
        string[] before = await EndpointsAsync();
        await using var worker = new ResponseSocket(new ZeroMqSocketOptions { Security = ZeroMqSecurity.CurveClient(CurveKeyPair.Generate(cryptography), old.PublicKey) });
        worker.Connect($"tcp://127.0.0.1:{_other}");
        await Wait.UntilAsync(() => _host.ReadCounts().ZeroMqPeers == 1, "the worker that knows the key");

        // After a new start, the system chooses another port.
        await ReloadAsync(text);
        Assert.Equal(before, await EndpointsAsync());
        Assert.Equal(1, _host.ReadCounts().ZeroMqPeers);

        var now = CurveKeyPair.Generate(cryptography);
        folder.Write("bridge.secret", now.ExportSecretKey());
        await ReloadAsync(text);
        Assert.Equal(before.Order(StringComparer.Ordinal), (await EndpointsAsync()).Order(StringComparer.Ordinal));
        await using var next = new ResponseSocket(new ZeroMqSocketOptions { Security = ZeroMqSecurity.CurveClient(CurveKeyPair.Generate(cryptography), now.PublicKey) });
        next.Connect($"tcp://127.0.0.1:{_other}");
        await Wait.UntilAsync(() => _host.ReadCounts().ZeroMqPeers == 1, "the worker that knows the new key");
        string page = await PageAsync();
        Assert.Contains("\"security\": \"CURVE server\"", page, StringComparison.Ordinal);
        Assert.DoesNotContain(now.ExportSecretKey(), page, StringComparison.Ordinal);
    }

    private async Task<string> PageAsync()
    {
        using var http = new HttpClient();
        return await http.GetStringAsync(_page + "/bridgez", TestContext.Current.CancellationToken);
    }

    private async Task<string[]> EndpointsAsync()
    {
        using var page = System.Text.Json.JsonDocument.Parse(await PageAsync());
        return [.. page.RootElement.GetProperty("routes").EnumerateArray().SelectMany(route => route.GetProperty("endpoints").EnumerateArray()).Select(e => e.GetString()!)];
    }

    private string Worker(string subject) => $"{{ pattern: worker, name: devices, subject: {subject}, endpoint: \"tcp://127.0.0.1:{_other}\" }}";

    private static string Receive(PullSocket pull)
    {
        Assert.True(pull.TryReceiveString(out string? text, Wait.Limit));
        return text;
    }

    // Returns the number of items on the page.
    private async Task<int> CountAsync(string what)
    {
        using var page = System.Text.Json.JsonDocument.Parse(await PageAsync());
        JsonElement.ArrayEnumerator routes = page.RootElement.GetProperty("routes").EnumerateArray();
        return what == "routes" ? routes.Count() : routes.Sum(route => route.GetProperty("endpoints").GetArrayLength());
    }

    private string _page = "";

    private async Task<ServeAddresses> StartAsync(string text)
    {
        ServeAddresses addresses = await _host.StartAsync(Read(text), NullLoggerFactory.Instance, TestContext.Current.CancellationToken);
        _page = addresses.Monitoring.Single();
        return addresses;
    }

    private Task ReloadAsync(string text) => Wait.For(_host.ReloadAsync(Read(text)));

    private ServeSettings Read(string text) => ServeConfig.Bind(
        Parsing.Parse("http: \"127.0.0.1:-1\"\n" + text.Replace("LOGS", _logs.ToString(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal)),
        new ServeSettings { Port = 0 });
}
