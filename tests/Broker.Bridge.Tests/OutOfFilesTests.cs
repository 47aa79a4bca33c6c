using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using Broker.Client;
using Broker.Server;
using Broker.Transport;

namespace Broker.Bridge.Tests;

/// <summary>A bridge in a process that cannot open more files.</summary>
public sealed class OutOfFilesTests
{
    private const int Newcomers = 5;

    private readonly LogLines _log = new();

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_bridge_alone_logs_refused_connections_once_and_counts_them()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static o => o.Listen(0), Ct);
        using EventLoopGroup loops = NothingLeft();
        await using ZeroMqBridge bridge = await BridgeAsync(new ClientOptions
        {
            Loops = loops,
            Servers = [$"nats://127.0.0.1:{((IPEndPoint)server.EndPoints[0]).Port}"],
        });
        using var metrics = new BridgeMetrics(bridge);
        int port = new Uri(((PubSubRoute)bridge.Find("pubsub")!).SubscriberEndpoints[0]).Port;

        for (int i = 0; i < Newcomers; i++)
        {
            await TurnedAwayAsync(port);
        }

        Assert.Single(OutOfFiles());
        Assert.Equal(Newcomers, bridge.Snapshot().RefusedConnections);
        Assert.Equal(Newcomers, Measure());
    }

    [Fact]
    public async Task A_server_and_a_bridge_on_the_same_loops_log_it_once()
    {
        using EventLoopGroup loops = NothingLeft();
        await using BrokerServer server = await BrokerServer.StartAsync(
            o =>
            {
                o.Loops = loops;
                o.Logger = _log;
                o.Listen(0);
            },
            Ct);
        await using ZeroMqBridge bridge = await BridgeAsync(new ClientOptions { Loops = loops, Servers = ["nats://127.0.0.1"], Dialer = server.CreateDialer() });

        await TurnedAwayAsync(new Uri(((PubSubRoute)bridge.Find("pubsub")!).SubscriberEndpoints[0]).Port);
        await TurnedAwayAsync(((IPEndPoint)server.EndPoints[0]).Port);

        Assert.Single(OutOfFiles());
        Assert.Equal(2, server.Inspect().RefusedConnections);
    }

    // A reserve that is larger than the limit.
    private static EventLoopGroup NothingLeft()
        => new(new EventLoopOptions { Loops = 1, ConnectionBudget = new ConnectionBudget(reserve: int.MaxValue) });

    private Task<ZeroMqBridge> BridgeAsync(ClientOptions client) => ZeroMqBridge.StartAsync(
        new ZeroMqBridgeOptions
        {
            Logger = _log,
            Client = client,
            Routes =
            [
                new PubSubRouteOptions
                {
                    Publishers = [new BridgeEndpoint(true, "tcp://127.0.0.1:0")], Subscribers = [new BridgeEndpoint(true, "tcp://127.0.0.1:0")],
                },
            ],
        },
        Ct);

    private string[] OutOfFiles() => [.. _log.Warnings.Where(static line => line.Contains("file descriptors", StringComparison.Ordinal))];

    private static async Task TurnedAwayAsync(int port)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(IPAddress.Loopback, port, Ct);
            Assert.Equal(0, await Wait.For(socket.ReceiveAsync(new byte[1], Ct).AsTask()));
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionReset)
        {
            // The connection was reset before the test learned that it was connected.
        }
    }

    private static long Measure()
    {
        long measured = -1;
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument is { Meter.Name: BridgeMetrics.MeterName, Name: "broker.bridge.connections.refused" })
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, _, _) => measured = Math.Max(measured, value));
        listener.Start();
        listener.RecordObservableInstruments();
        return measured;
    }
}
