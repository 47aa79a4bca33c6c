using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Hosting.Tests;

/// <summary>
/// Runs the built samples of workers and of an embedded server. The samples of telemetry and of a service have other
/// tests.
/// </summary>
public sealed class SampleTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_worker_with_a_bridge_takes_readings_from_ZeroMQ_tells_of_the_highest_and_answers_both_kinds_of_program()
    {
        (int nats, string publishers, string subscribers, string questions) =
            (FreePort.Next(), FreePort.NextAddress(), FreePort.NextAddress(), FreePort.NextAddress());
        await using var sample = PeerProcess.Start(
            "sample", "dotnet", Repository.Sample("WorkerWithBridge"), $"--Broker:Listen:0=127.0.0.1:{nats}",
            "--Broker:AuthTimeout=00:02:00", "--BrokerClient:ConnectTimeout=00:02:00", $"--ZeroMqBridge:Routes:readings:Publishers={publishers}",
            $"--ZeroMqBridge:Routes:readings:Subscribers={subscribers}", $"--ZeroMqBridge:Routes:questions:Endpoint={questions}",
            "--ZeroMqBridge:Routes:questions:TimeToLive=00:02:00");
        await sample.ReadLineWithAsync("Takes readings");
        await using var thermometer = new PublisherSocket();
        await using var display = new SubscriberSocket();
        await using var asking = new RequestSocket();
        thermometer.Connect(publishers);
        display.Subscribe("highest.");
        display.Connect(subscribers);
        asking.Connect(questions);

        // Each number is higher than the previous one. Which number arrives first is unknown.
        int degrees = 0;
        string[]? told = null;
        await Wait.UntilAsync(
            () =>
            {
                thermometer.Send("room.attic", (++degrees).ToString(CultureInfo.InvariantCulture));
                using var message = new ZeroMqMessage();
                if (display.TryReceive(message))
                {
                    told = [message.GetString(0), message.GetString(1)];
                }

                return told is not null;
            },
            "a reading that has come back");

        Assert.Equal("highest.attic", told![0]);
        await asking.SendAsync("attic", Cancellation);
        string answer = await asking.ReceiveStringAsync(Cancellation).AsTask().WaitAsync(Wait.Limit, Cancellation);
        Assert.InRange(int.Parse(answer, CultureInfo.InvariantCulture), int.Parse(told[1], CultureInfo.InvariantCulture), degrees);
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(TestHost.Patient($"nats://127.0.0.1:{nats}"), Cancellation);
        Assert.Equal("nothing yet", Encoding.UTF8.GetString((await client.RequestAsync("rooms.highest", "cellar"u8.ToArray(), Wait.Limit, cancellationToken: Cancellation)).Body.Span));
        if (!OperatingSystem.IsWindows())
        {
            await sample.SignalAsync("TERM");
            Assert.True(await sample.WaitForExitAsync() == 0, sample.Errors);
        }
    }

    [Theory]
    [InlineData("--Broker:Listen:0=127.0.0.1:{taken}", "cannot listen on 127.0.0.1:{taken}: ")]
    [InlineData("--ZeroMqBridge:Routes:readings:Publishers=tcp://127.0.0.1:{taken}", "Cannot bind to tcp://127.0.0.1:{taken}: ")]
    [InlineData("--ZeroMqBridge:Routes:readings:Publishers=nonsense", "ZeroMqBridge:Routes:readings: 'nonsense' is not an endpoint")]
    [InlineData("--Broker:Listen:0=a:b:c", "Broker:Listen: ")]
    public async Task A_setting_that_cannot_be_used_is_one_line(string setting, string problem)
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        string taken = ((IPEndPoint)other.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture);
        // The last of several values for one setting counts.
        string[] settings =
        [
            "--Broker:Listen:0=127.0.0.1:0",
            "--ZeroMqBridge:Routes:readings:Publishers=tcp://127.0.0.1:*", "--ZeroMqBridge:Routes:readings:Subscribers=tcp://127.0.0.1:*",
            "--ZeroMqBridge:Routes:questions:Endpoint=tcp://127.0.0.1:*",
            setting.Replace("{taken}", taken, StringComparison.Ordinal),
        ];
        await using var sample = PeerProcess.Start("sample", "dotnet", [Repository.Sample("WorkerWithBridge"), .. settings]);

        Assert.Equal(1, await sample.WaitForExitAsync());
        Assert.StartsWith(
            "WorkerWithBridge: " + problem.Replace("{taken}", taken, StringComparison.Ordinal), sample.Errors, StringComparison.Ordinal);
        Assert.Single(sample.Errors.TrimEnd().Split('\n'));
    }

    [Theory]
    [InlineData("WorkerWithBridge", "ZeroMqBridge:Routes:readings:Publishers", "ZeroMqBridge:Routes:readings:Subscribers", "ZeroMqBridge:Routes:questions:Endpoint")]
    [InlineData("Telemetry", "ZeroMqBridge:Routes:events:Publishers", "ZeroMqBridge:Routes:events:Subscribers")]
    [InlineData("WindowsService", "ZeroMqBridge:Routes:sensors:Publishers", "ZeroMqBridge:Routes:sensors:Subscribers")]
    public async Task A_signal_during_the_start_stops_a_sample_in_order(string sample, params string[] endpoints)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals are Unix's");
        await using ActivatedProgram program = await ActivatedProgram.OpenAsync(
            ["tcp=127.0.0.1"],
            ["dotnet", Repository.Sample(sample), "--Broker:Listen:0=systemd/port0", "--BrokerClient:ConnectTimeout=00:02:00", .. endpoints.Select(e => $"--{e}=tcp://127.0.0.1:*")]);
        await program.StartAsync();
        using var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(program.Addresses[0]), Cancellation);
        using var reader = new StreamReader(client.GetStream());

        // The server sends INFO before the bridge has started.
        await Wait.For(reader.ReadLineAsync(Cancellation).AsTask());
        await program.SignalAsync("TERM");

        Assert.Equal(0, await program.WaitForExitAsync());
    }

    [Theory]
    [InlineData("Telemetry", "ZeroMqBridge:Routes:events:Publishers", "ZeroMqBridge:Routes:events:Subscribers")]
    [InlineData("WindowsService", "ZeroMqBridge:Routes:sensors:Publishers", "ZeroMqBridge:Routes:sensors:Subscribers")]
    public async Task A_taken_port_is_one_line(string sample, params string[] endpoints)
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        string taken = other.LocalEndpoint.ToString()!;
        await using var process = PeerProcess.Start(
            "sample", "dotnet", [Repository.Sample(sample), $"--Broker:Listen:0={taken}", .. endpoints.Select(e => $"--{e}=tcp://127.0.0.1:*")]);

        Assert.Equal(1, await process.WaitForExitAsync());
        Assert.StartsWith($"{sample}: cannot listen on {taken}: ", process.Errors, StringComparison.Ordinal);
        Assert.Single(process.Errors.TrimEnd().Split('\n'));
    }

    [Fact]
    public async Task The_embedded_server_says_its_addresses_and_shows_its_message()
    {
        await using var sample = PeerProcess.Start("sample", "dotnet", Repository.Sample("EmbeddedServer"));

        await sample.ReadLineWithAsync("NATS clients connect to nats://127.0.0.1:");
        await sample.ReadLineWithAsync("ZeroMQ publishers connect to tcp://127.0.0.1:");
        await sample.ReadLineWithAsync("ZeroMQ subscribers connect to tcp://127.0.0.1:");
        await sample.ReadLineWithAsync("zmq.weather.oslo: 4 degrees");
        Assert.True(await sample.WaitForExitAsync() == 0, sample.Errors);
    }
}
