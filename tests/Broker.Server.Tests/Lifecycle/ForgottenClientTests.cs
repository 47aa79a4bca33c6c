using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>A closed client can be garbage collected, even if a publisher still has a route to it.</summary>
public sealed class ForgottenClientTests
{
    // The kinds of routes: an expired route that its publisher has not looked up since, a large route with few closed
    // subscribers, and the same with a queue group.
    [Theory]
    [InlineData(1, "SUB a 1\r\n")]
    [InlineData(1, "SUB a q 1\r\n")]
    [InlineData(2 * LargeRoutes.MinSubscriptions, "SUB a 1\r\n")]
    [InlineData(2 * LargeRoutes.MinSubscriptions, "SUB a q 1\r\n")]
    public async Task Routes_do_not_keep_a_closed_client_in_memory(int clients, string subscribe)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 1 });
        using var publisher = RawClient.Open(server);
        EventLoop loop = server.Loops[0];
        for (int i = 0; i < clients; i++)
        {
            Connect(server, loop, subscribe);
        }

        WeakReference client = Connect(server, loop, subscribe, out WeakReference<Connection> end);
        await Servers.UntilAsync(() => server.Snapshot().Subscriptions == clients + 1, "the subscriptions");
        publisher.Send("PUB a 0\r\n\r\n");
        publisher.Sync();
        Route route = server.GlobalRouter.Find("a"u8);
        // Another subscriber is added when the route exists already.
        WeakReference late = Connect(server, loop, subscribe, out WeakReference<Connection> lateEnd);
        await Servers.UntilAsync(() => server.Snapshot().Subscriptions == clients + 2, "the subscription");
        Assert.Equal(clients > 1, route.IsCurrent);
        Close(loop, end);
        Close(loop, lateEnd);
        await Servers.UntilAsync(() => server.Snapshot().Connections == clients + 1, "its end");
        await Servers.UntilAsync(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return !client.IsAlive && !late.IsAlive;
            },
            "nobody to know it");
        Assert.Equal(clients > 1, route.IsCurrent);
        GC.KeepAlive(route);
        publisher.Send(string.Create(CultureInfo.InvariantCulture, $"PUB a 0\r\n\r\n"));
        publisher.Sync();
    }

    private static void Connect(BrokerServer server, EventLoop loop, string subscribe) => Connect(server, loop, subscribe, out _);

    // This is a separate method, so that its locals do not keep objects alive after the return.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Connect(BrokerServer server, EventLoop loop, string subscribe, out WeakReference<Connection> end)
    {
        Connection made = server.ConnectInProcess(loop, new InProcessClient());
        end = new WeakReference<Connection>(made);
        string name = Guid.NewGuid().ToString("N");
        var connected = new TaskCompletionSource<WeakReference>();
        loop.Post(() => made.GetWriteBuffer(loop).Write(
            Encoding.ASCII.GetBytes($$"""CONNECT {"verbose":false,"pedantic":false}""" + "\r\n" + $"SUB {name} 9\r\nUNSUB 9 1\r\n" + subscribe)));
        Wait.Until(() => server.GlobalRouter.Match(Encoding.ASCII.GetBytes(name)).Length == 1, "its subscription");
        var target = (ConnectionTarget)server.GlobalRouter.Match(Encoding.ASCII.GetBytes(name))[0].Subscriber!;
        // The message is the last one of that subscription.
        loop.Post(() => made.GetWriteBuffer(loop).Write(Encoding.ASCII.GetBytes($"PUB {name} 0\r\n\r\n")));
        Wait.Until(() => server.GlobalRouter.Match(Encoding.ASCII.GetBytes(name)).Length == 0, "the end of its subscription");
        return new WeakReference(target.Owner);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Close(EventLoop loop, WeakReference<Connection> end)
    {
        Assert.True(end.TryGetTarget(out Connection? connection));
        loop.Post(() => connection.Close());
    }
}
