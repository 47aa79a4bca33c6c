using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Tests what an operator asks of a running broker, and the effects on official clients.</summary>
public sealed class OperationTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("operation-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("nats.js")]
    [InlineData("nats.c")]
    public async Task Lame_duck_sends_a_client_to_the_other_server_that_it_was_told_of(string client)
    {
        await using BrokerProcess other = await BrokerProcess.StartAsync(-1);
        string file = Write("b.conf", $"""
            connect_urls: ["127.0.0.1:{other.Port}"]
            lame_duck_duration: "200ms"
            lame_duck_grace_period: "100ms"
            """);
        await using BrokerProcess leaving = await BrokerProcess.StartAsync(-1, "-c", file);
        await using Subscriber sub = await Peers.Nats(client).SubscribeAsync(leaving.Url, "a");
        await using Publisher here = await Peers.Nats(client).PublishAsync(leaving.Url);
        await here.SendAsync("a", "here");
        Assert.Equal("here", (await sub.ReadAsync()).PayloadText);

        Assert.Equal(0, await leaving.StopAsync("USR2"));

        await leaving.Process.ReadLineWithAsync("everything was delivered");
        await using Publisher there = await Peers.Nats(client).PublishAsync(other.Url);
        await there.SendUntilReceivedAsync("a", sub);
        await there.SendAsync("a", "there");
        Assert.Equal("there", (await sub.ReadAsync()).PayloadText);
    }

    [Theory]
    [InlineData("nats.js")]
    [InlineData("nats.c")]
    public async Task A_reload_changes_limits_and_no_client_notices(string client)
    {
        string file = Write("b.conf", "max_payload: 1MB\n");
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1, "-c", file);
        await using Subscriber sub = await Peers.Nats(client).SubscribeAsync(broker.Url, "a");
        await using Publisher pub = await Peers.Nats(client).PublishAsync(broker.Url);

        Write("b.conf", "max_payload: 1000\n");
        await broker.Process.SignalAsync("HUP");
        await broker.Process.ReadLineWithAsync("the configuration was reloaded");

        await pub.SendAsync("a", new string('x', 2000));
        Assert.Equal(2000, (await sub.ReadAsync()).PayloadText.Length);
        using RawConnection newcomer = await broker.ConnectRawAsync();
        Assert.Contains("\"max_payload\":1000,", await newcomer.ReadToAsync("\r\n"), StringComparison.Ordinal);
        Assert.Equal(0, await broker.StopAsync());
    }

    [Fact]
    public async Task A_wrong_file_is_refused_on_reload_and_the_old_settings_stay()
    {
        string file = Write("b.conf", "max_payload: 1000\n");
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1, "-c", file);
        Write("b.conf", "max_payload: 2000\nmax_paylod: 1\n");
        await broker.Process.SignalAsync("HUP");
        await ErrorAsync(broker, "cannot reload: unknown key \"max_paylod\"");
        Write("b.conf", "max_payload: 2000\nserver_name: other\n");
        await broker.Process.SignalAsync("HUP");
        await ErrorAsync(broker, "cannot reload: server_name cannot change without a restart");

        using RawConnection client = await broker.ConnectRawAsync();
        Assert.Contains("\"max_payload\":1000,", await client.ReadToAsync("\r\n"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_broker_is_controlled_through_its_pid_file()
    {
        string log = Path.Combine(_folder.FullName, "log");
        string pid = Path.Combine(_folder.FullName, "pid");
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1, "-l", log, "-P", pid);
        Assert.Equal(broker.Process.Id.ToString(CultureInfo.InvariantCulture), await File.ReadAllTextAsync(pid, Ct));

        File.Move(log, log + ".1");
        Assert.Equal((0, ""), await ControlAsync("--signal", $"reopen={pid}"));
        await Wait.UntilAsync(() => File.Exists(log));
        Assert.Equal((0, ""), await ControlAsync("-sl", $"reload={broker.Process.Id}"));
        await broker.Process.ReadLineWithAsync("the configuration was reloaded");
        Assert.Equal((0, ""), await ControlAsync("-P", pid, "--signal", "stop"));

        Assert.Equal(0, await broker.Process.WaitForExitAsync());
        (int exitCode, string? text) = await ControlAsync("--signal", $"stop={broker.Process.Id}");
        Assert.Equal(1, exitCode);
        Assert.StartsWith($"broker: cannot signal process {broker.Process.Id}: ", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Users_come_and_go_by_reload_and_the_bridge_stays()
    {
        string file = Write("b.conf", "authorization { users = [ { user: a, password: old }, { user: b, password: pw } ] }\n");
        await using BrokerProcess broker = await BrokerProcess.StartAsync(
            -1, "-c", file, "--zeromq-publishers", "bind tcp://127.0.0.1:*", "--zeromq-subscribers", "bind tcp://127.0.0.1:*");
        using RawConnection gone = await ConnectAsync(broker, "a", "old");
        using RawConnection stays = await ConnectAsync(broker, "b", "pw");
        await stays.SendAsync("SUB zmq.> 1\r\nPING\r\n");
        await stays.ReadToAsync("PONG\r\n");

        Write("b.conf", "authorization { users = [ { user: c, password: new }, { user: b, password: pw } ] }\n");
        await broker.Process.SignalAsync("HUP");
        await broker.Process.ReadLineWithAsync("the configuration was reloaded");

        Assert.Contains("-ERR 'User Authentication Revoked'", await gone.ReadToCloseAsync(), StringComparison.Ordinal);
        using RawConnection newcomer = await ConnectAsync(broker, "c", "new");
        await newcomer.SendAsync("PUB zmq.a 1\r\nx\r\n");
        await stays.ReadToAsync("MSG zmq.a 1 1\r\nx\r\n");
        await using Subscriber sub = await Peers.Python.SubscribeAsync(broker.Subscribers, "b");
        await Wait.UntilAsync(
            async () =>
            {
                await newcomer.SendAsync("PUB zmq.b 1\r\ny\r\n");
                return await sub.Process.TryReadLineAsync(TimeSpan.FromMilliseconds(100)) is not null;
            },
            "the message at the ZeroMQ subscriber");
    }

    [Fact]
    public async Task The_monitoring_pages_answer_where_the_ports_file_says()
    {
        await using var broker = PeerProcess.Start(
            "broker", BrokerProgram.Command[0], [.. BrokerProgram.Command[1..], "-p", "-1", "-m", "-1", "--ports_file_dir", _folder.FullName]);
        await broker.ReadLineWithAsync("is ready");
        string line = await broker.ReadLineWithAsync("Monitoring:");
        using var http = new HttpClient();
        string address = line[line.IndexOf("http", StringComparison.Ordinal)..];

        Assert.Contains("\"status\"", await http.GetStringAsync(new Uri(address + "/healthz"), Ct), StringComparison.Ordinal);
        string ports = await File.ReadAllTextAsync(Path.Combine(_folder.FullName, $"broker_{broker.Id}.ports"), Ct);
        Assert.Contains($"\"monitoring\":[\"{address}\"]", ports, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Flags_without_a_command_serve_as_those_of_nats_server_do()
    {
        await using var broker = PeerProcess.Start(
            "broker", BrokerProgram.Command[0], [.. BrokerProgram.Command[1..], "-p", "-1", "-a", "127.0.0.1", "-DV"]);
        await broker.ReadLineWithAsync("is ready");
        await broker.SignalAsync("TERM");

        Assert.Equal(0, await broker.WaitForExitAsync());
    }

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private static async Task<(int ExitCode, string Errors)> ControlAsync(params string[] arguments)
    {
        await using PeerProcess process = BrokerProcess.Run(arguments);
        int exitCode = await process.WaitForExitAsync();
        return (exitCode, process.Errors);
    }

    private static async Task<RawConnection> ConnectAsync(BrokerProcess broker, string user, string password)
    {
        RawConnection connection = await broker.ConnectRawAsync();
        await connection.SendAsync($"CONNECT {{\"verbose\":false,\"pedantic\":false,\"user\":\"{user}\",\"pass\":\"{password}\"}}\r\nPING\r\n");
        await connection.ReadToAsync("PONG\r\n");
        return connection;
    }

    private static Task ErrorAsync(BrokerProcess broker, string text)
        => Wait.UntilAsync(() => broker.Process.Errors.Contains(text, StringComparison.Ordinal));

    private string Write(string name, string text)
    {
        string path = Path.Combine(_folder.FullName, name);
        File.WriteAllText(path, text);
        return path;
    }
}
