namespace Broker.ZeroMq.Tests.Threads;

public sealed class WatchTests
{
    [Fact]
    public async Task A_watch_of_messages_is_called_at_once_and_after_each_arrival_until_it_ends()
    {
        using var sockets = new PushPull();
        int calls = 0;
        IDisposable watch = sockets.Pull.WatchMessages(() => Interlocked.Increment(ref calls));
        Assert.Equal(1, calls);
        Assert.Throws<InvalidOperationException>(() => sockets.Pull.WatchMessages(() => { }));

        sockets.Push.Send("one");
        await Wait.UntilAsync(() => Volatile.Read(ref calls) > 1);
        Assert.Equal("one", sockets.Pull.ReceiveString());

        watch.Dispose();
        watch.Dispose();
        int ended = Volatile.Read(ref calls);
        sockets.Push.Send("two");
        Assert.Equal("two", sockets.Pull.ReceiveString());
        Assert.Equal(ended, Volatile.Read(ref calls));
        sockets.Pull.WatchMessages(() => { }).Dispose();
    }

    [Fact]
    public async Task A_watch_of_room_is_called_when_a_full_socket_has_room()
    {
        using var context = new ZeroMqContext();
        using var push = new PushSocket(new ZeroMqSocketOptions { SendHighWaterMark = 1 }, context);
        int calls = 0;
        using IDisposable watch = push.WatchRoom(() => Interlocked.Increment(ref calls));
        Assert.Throws<InvalidOperationException>(() => push.WatchRoom(() => { }));
        Assert.False(push.TrySend("no peer"));

        using var pull = new PullSocket(context: context);
        push.Connect("inproc://room");
        pull.Bind("inproc://room");
        await Wait.UntilAsync(() => Volatile.Read(ref calls) > 0 && push.HasRoom);
        Assert.True(push.TrySend("a peer"));
        Assert.Equal("a peer", pull.ReceiveString());
    }
}
