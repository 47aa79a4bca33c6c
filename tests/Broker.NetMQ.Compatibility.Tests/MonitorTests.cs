using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using NetMQ;
using NetMQ.Monitoring;
using NetMQ.Sockets;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>
/// A monitor where the cases cannot compare it: values that are random, and orders in which NetMQ fails.
/// </summary>
public sealed class MonitorTests
{
    private const int Limit = 60_000;

    [Fact]
    public async Task A_monitor_is_told_how_long_its_socket_waits()
    {
        // A socket that is bound and does not listen refuses each attempt.
        using var refusing = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        refusing.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var intervals = new BlockingCollection<int>();
        using var push = new PushSocket();
        push.Options.ReconnectInterval = TimeSpan.FromMilliseconds(40);
        push.Options.ReconnectIntervalMax = TimeSpan.FromMilliseconds(160);
        using var monitor = new NetMQMonitor(push, "inproc://own-monitor-waits", SocketEvents.ConnectRetried);
        monitor.ConnectRetried += (_, e) => intervals.Add(e.Interval);
        Task running = monitor.StartAsync();
        push.Connect($"tcp://127.0.0.1:{((IPEndPoint)refusing.LocalEndPoint!).Port}");
        foreach (int longest in new[] { 40, 80, 160 })
        {
            Assert.InRange(Take(intervals), longest / 2, longest);
        }

        monitor.Stop();
        await running;
    }

    [Fact]
    public async Task A_monitor_that_was_stopped_starts_again()
    {
        using var addresses = new BlockingCollection<string>();
        using var pull = new PullSocket();
        using var monitor = new NetMQMonitor(pull, "inproc://own-monitor-again", SocketEvents.Listening);
        monitor.Listening += (_, e) => addresses.Add(e.Address);
        for (int run = 0; run < 50; run++)
        {
            Task running = monitor.StartAsync();
            int port = pull.BindRandomPort("tcp://127.0.0.1");
            Assert.Equal($"tcp://127.0.0.1:{port}", Take(addresses));
            monitor.Stop();
            await running;
            Assert.False(monitor.IsRunning);
        }
    }

    [Fact]
    public void A_monitor_is_disposed_after_its_poller_and_twice()
    {
        using var pull = new PullSocket();
        var poller = new NetMQPoller();
        var monitor = new NetMQMonitor(pull, "inproc://own-monitor-after", SocketEvents.All);
        monitor.AttachToPoller(poller);
        poller.RunAsync();
        poller.Dispose();

        monitor.Dispose();
        monitor.Dispose();

        Assert.False(monitor.IsRunning);
        Assert.False(pull.IsDisposed);
    }

    [Fact]
    public void A_handler_disposes_its_monitor()
    {
        using var disposed = new SemaphoreSlim(0);
        using var pull = new PullSocket();
        var monitor = new NetMQMonitor(pull, "inproc://own-monitor-handler", SocketEvents.Listening);
        monitor.Listening += (_, _) =>
        {
            monitor.Dispose();
            disposed.Release();
        };
        using var poller = new NetMQPoller();
        monitor.AttachToPoller(poller);
        poller.RunAsync();
        pull.BindRandomPort("tcp://127.0.0.1");

        Assert.True(disposed.Wait(Limit, TestContext.Current.CancellationToken));
        Assert.False(monitor.IsRunning);
        Assert.True(poller.IsRunning);
    }

    [Fact]
    public void A_second_monitor_of_a_socket_replaces_the_first()
    {
        using var addresses = new BlockingCollection<string>();
        using var pull = new PullSocket();
        using var other = new PullSocket();
        pull.Monitor("inproc://own-monitor-first");
        using var monitor = new NetMQMonitor(pull, "inproc://own-monitor-second", SocketEvents.Listening);
        using var poller = new NetMQPoller();
        monitor.Listening += (_, e) => addresses.Add(e.Address);
        monitor.AttachToPoller(poller);
        poller.RunAsync();

        other.Monitor("inproc://own-monitor-first");
        int port = pull.BindRandomPort("tcp://127.0.0.1");
        Assert.Equal($"tcp://127.0.0.1:{port}", Take(addresses));
    }

    private static T Take<T>(BlockingCollection<T> items)
        => items.TryTake(out T? item, Limit, TestContext.Current.CancellationToken)
            ? item
            : throw new TimeoutException("The monitor raised no event in time.");
}
