using System.Globalization;
using System.Net;
using System.Text.Json;
using Broker.Client;
using Broker.Server;
using Broker.Streams.Tests.Api;

namespace Broker.Streams.Tests.Kills;

/// <summary>
/// Kills a server with streams under load. All acknowledged messages must be there, and consumers must continue.
/// </summary>
public sealed class BrokerKillTests(ITestOutputHelper output)
{
    private const string DirectoryVariable = "BROKER_STREAMS_CHILD";
    private const int AcksBeforeKill = 300;
    private const int Duplicates = 20;
    private const int MostJobs = 1000;

    private readonly KilledStream _orders = new("ORDERS");
    private readonly KilledStream _jobs = new("JOBS");

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    // BROKER_STORE_KILLS=200 for the long form.
    private static int Kills => int.Parse(Environment.GetEnvironmentVariable("BROKER_STORE_KILLS") ?? "3", CultureInfo.InvariantCulture);

    [Fact]
    public async Task After_each_kill_acknowledged_messages_are_there_once_and_those_that_were_not_handled_come_again()
    {
        string directory = Directory.CreateTempSubdirectory("broker-streams-").FullName;
        try
        {
            for (int i = 0; i < Kills && !Ended.IsCancellationRequested; i++)
            {
                await RunAndKillAsync(directory);
                (Dictionary<ulong, string> orders, Dictionary<ulong, string> jobs) = CheckStore(directory);
                await CheckServerAsync(directory, orders, jobs);
            }

            output.WriteLine($"{Kills} kills, {_orders.Acknowledged + _jobs.Acknowledged} messages acknowledged, {_orders.Confirmed + _jobs.Confirmed} handled");
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    // The child. It ends with the test that has started it.
    [Fact(Explicit = true)]
    public async Task Serves_until_it_is_killed()
    {
        string directory = Environment.GetEnvironmentVariable(DirectoryVariable) ?? "";
        Assert.SkipWhen(directory.Length == 0, $"{DirectoryVariable} names no directory.");
        await using BrokerServer server = await BrokerServer.StartAsync(options => options.Listen(new IPEndPoint(IPAddress.Loopback, 0)), Ended);
        await using AccountStreams streams = await AccountStreams.StartAsync(server, new AccountStreamsOptions { Directory = directory, Store = Options() });
        await File.WriteAllTextAsync(PortFile(directory) + ".new", $"{((IPEndPoint)server.EndPoints[0]).Port}", Ended);
        File.Move(PortFile(directory) + ".new", PortFile(directory));
        await Console.In.ReadToEndAsync(Ended);
    }

    private static string PortFile(string directory) => directory + ".port";

    private static StoreOptions Options() => new() { SegmentBytes = 512 * 1024, MaxPendingBytes = 128 * 1024 };

    private async Task RunAndKillAsync(string directory)
    {
        await using var child = PeerProcess.Start(
            "broker", "dotnet", (DirectoryVariable, directory),
            [typeof(BrokerKillTests).Assembly.Location, "-explicit", "only", "-method", $"{typeof(BrokerKillTests).FullName}.{nameof(Serves_until_it_is_killed)}"]);
        await Wait.UntilAsync(() => child.HasExited || File.Exists(PortFile(directory)), "the server");
        Assert.False(child.HasExited, "The server has ended.");
        string port = await File.ReadAllTextAsync(PortFile(directory), Ended);
        File.Delete(PortFile(directory));
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [$"nats://127.0.0.1:{port}"], ConnectTimeout = Wait.Limit }, Ended);
        await CreateAsync(connection);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        StreamLoad[] loads = [new(connection, _orders, canDelete: true, stop.Token), new(connection, _jobs, canDelete: false, stop.Token)];
        var load = Task.WhenAll(loads.Select(static each => each.RunAsync()));
        int enough = _orders.Acknowledged + _jobs.Acknowledged + AcksBeforeKill + Random.Shared.Next(500);
        await Wait.UntilAsync(() => load.IsCompleted || _orders.Acknowledged + _jobs.Acknowledged >= enough, "acknowledgements");
        Assert.False(load.IsCompleted, load.Exception?.ToString());
        Array.ForEach(loads, static each => each.ExpectsKill = true);
        await child.SignalAsync("KILL");
        await stop.CancelAsync();
        await child.WaitForExitAsync();
        await Wait.For(load);
    }

    private static async Task CreateAsync(BrokerConnection connection)
    {
        foreach ((string name, string more) in ((string, string)[])[("ORDERS", ""), ("JOBS", ",\"retention\":\"workqueue\"")])
        {
            await CallAsync(connection, $"STREAM.CREATE.{name}", $$"""{"name":"{{name}}"{{more}}}""");
            const string Consumer = """{"durable_name":"worker","ack_policy":"explicit","ack_wait":500000000,"max_ack_pending":5000}""";
            await CallAsync(connection, $"CONSUMER.CREATE.{name}.worker", $$"""{"stream_name":"{{name}}","config":{{Consumer}} }""");
        }
    }

    private static async Task<JsonElement> CallAsync(BrokerConnection connection, string operation, string body)
    {
        Message answer = await connection.RequestAsync("$JS.API." + operation, System.Text.Encoding.UTF8.GetBytes(body), Wait.Limit, cancellationToken: Ended);
        using var json = JsonDocument.Parse(answer.Body);
        Assert.False(json.RootElement.TryGetProperty("error", out JsonElement error), error.ToString());
        return json.RootElement.Clone();
    }

    private (Dictionary<ulong, string> Orders, Dictionary<ulong, string> Jobs) CheckStore(string directory)
    {
        using var store = StreamStore.Open(new DiskFiles(directory), Options());
        Assert.Empty(store.Recovery.Damage);
        Assert.Empty(store.Recovery.Notices);
        return (_orders.Check(store, keepsHandled: true), _jobs.Check(store, keepsHandled: false));
    }

    private async Task CheckServerAsync(string directory, Dictionary<ulong, string> orders, Dictionary<ulong, string> jobs)
    {
        await using ApiSite site = await ApiSite.StartAsync(new DiskFiles(directory), Options());
        await CheckDuplicatesAsync(site, _orders, orders);
        await CheckDuplicatesAsync(site, _jobs, jobs);
        await CheckDeliveriesAsync(site, _orders, orders);
        await CheckDeliveriesAsync(site, _jobs, jobs);
        if (jobs.Count > MostJobs)
        {
            ulong first = _jobs.BeginPurge(keep: 0);
            await site.CallAsync("STREAM.PURGE.JOBS", $$"""{"seq":{{first}}}""");
            _jobs.EndPurge(first);
        }
    }

    // The ids of all stored messages of the last two minutes are known.
    private static async Task CheckDuplicatesAsync(ApiSite site, KilledStream stream, Dictionary<ulong, string> stored)
    {
        foreach ((ulong sequence, string id) in stored.OrderByDescending(static pair => pair.Key).Take(Duplicates))
        {
            using var ack = JsonDocument.Parse((await site.RequestAsync(stream.Name, "again", $"Nats-Msg-Id: {id}")).Body);
            Assert.True(ack.RootElement.TryGetProperty("duplicate", out JsonElement isDuplicate) && isDuplicate.GetBoolean(), $"{stream.Name}: '{id}' was stored again.");
            Assert.Equal(sequence, ack.RootElement.GetProperty("seq").GetUInt64());
        }
    }

    private static async Task CheckDeliveriesAsync(ApiSite site, KilledStream stream, Dictionary<ulong, string> stored)
    {
        HashSet<ulong> wanted = stream.Unhandled(stored.Keys);
        await Wait.UntilAsync(
            async () =>
            {
                await StreamLoad.PullAsync(
                    site.Connection, stream.Name, 10_000, (sequence, message) =>
                    {
                        Assert.False(stream.IsHandled(sequence), $"{stream.Name}: {sequence} was handled, and came again.");
                        Assert.True(!stored.TryGetValue(sequence, out string? id) || KilledStream.IdOf(message.Body.Span) == id, $"{stream.Name}: {sequence} is another message.");
                        wanted.Remove(sequence);
                    },
                    Ended);
                return wanted.Count == 0;
            },
            () => $"{stream.Name}: {wanted.Count} messages did not come again, for example {wanted.FirstOrDefault()}.");
    }
}
