using Broker.Transport;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>
/// The specific behaviour of inproc endpoints. The suites that run on all transports test the common behaviour.
/// </summary>
public sealed class InprocTests
{
    private const string Somewhere = "inproc://somewhere";

    private static readonly TimeSpan Guard = Wait.Limit;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void A_name_belongs_to_one_socket_until_it_unbinds_or_closes()
    {
        using var context = new ZeroMqContext();
        using var second = new PullSocket(context: context);
        using (var first = new PullSocket(context: context))
        {
            Assert.Equal(Somewhere, first.Bind(Somewhere));
            ZeroMqBindException refused = Assert.Throws<ZeroMqBindException>(() => second.Bind(Somewhere));
            Assert.Contains("in use", refused.Message, StringComparison.Ordinal);
            Assert.True(first.Unbind(Somewhere));
            second.Bind(Somewhere);
            Assert.True(second.Unbind(Somewhere));
            first.Bind(Somewhere);
        }

        second.Bind(Somewhere);
    }

    [Fact]
    public void A_socket_without_a_shared_context_cannot_use_inproc()
    {
        using var push = new PushSocket();

        Assert.Contains("ZeroMqContext", Assert.Throws<InvalidOperationException>(() => push.Connect(Somewhere)).Message, StringComparison.Ordinal);
        Assert.Contains("ZeroMqContext", Assert.Throws<InvalidOperationException>(() => push.Bind(Somewhere)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_same_name_in_two_contexts_is_two_endpoints()
    {
        using var left = new ZeroMqContext();
        using var right = new ZeroMqContext();
        using var ofLeft = new PushPull(context: left, endpoint: Somewhere);
        using var ofRight = new PushPull(context: right, endpoint: Somewhere);

        ofLeft.Push.Send("left");
        ofRight.Push.Send("right");

        Assert.Equal("left", ofLeft.Pull.ReceiveString());
        Assert.Equal("right", ofRight.Pull.ReceiveString());
    }

    [Fact]
    public void Many_sockets_wait_for_one_name_and_all_are_served()
    {
        const int Many = 20;
        using var context = new ZeroMqContext();
        PushSocket[] pushes = Enumerable.Range(0, Many).Select(_ => new PushSocket(context: context)).ToArray();
        for (int i = 0; i < Many; i++)
        {
            pushes[i].Connect(Somewhere);
            pushes[i].Send($"{i}");
        }

        using var pull = new PullSocket(context: context);
        pull.Bind(Somewhere);

        Assert.Equal(
            Enumerable.Range(0, Many).Select(i => $"{i}").Order(StringComparer.Ordinal),
            Enumerable.Range(0, Many).Select(_ => pull.ReceiveString()).Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task A_socket_that_binds_a_name_again_gets_the_waiting_peers_and_their_messages()
    {
        using var context = new ZeroMqContext();
        using var push = new PushSocket(context: context);
        push.Connect(Somewhere);
        var first = new PullSocket(context: context);
        first.Bind(Somewhere);
        push.Send("1");
        Assert.Equal("1", first.ReceiveString());
        await first.CloseAsync();
        await Wait.UntilAsync(() => push.ConnectionCount == 0, "the end of the connection");
        push.Send("2");

        using var second = new PullSocket(context: context);
        second.Bind(Somewhere);
        Assert.Equal("2", second.ReceiveString());
    }

    [Fact]
    public async Task Closing_the_context_ends_the_wait_for_a_name_and_drops_its_messages_whatever_the_linger()
    {
        var context = new ZeroMqContext();
        var push = new PushSocket(new ZeroMqSocketOptions { Linger = TimeSpan.FromHours(1) }, context);
        push.Connect(Somewhere);
        push.Send("for nobody");

        await Task.Run(context.Dispose, Cancellation).WaitAsync(Guard, Cancellation);

        Assert.Equal(1, (await push.CloseAsync()).Undelivered);
        Assert.True(context.Inproc.IsDisposed);
    }

    [Fact]
    public async Task Loop_sockets_of_two_groups_connect_by_given_names_to_each_other_and_to_the_context()
    {
        using var context = new ZeroMqContext();
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var echo = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var options = new LoopMessageOptions { Inproc = context.Inproc };
        await using var pull = new LoopPull(
            loops[0],
            (ZeroMqPeer _, in ZmtpMessage message) => echo.TrySetResult(System.Text.Encoding.UTF8.GetString(message.FirstFrame.Body)),
            options);
        Assert.Equal(Somewhere, pull.Bind(Somewhere).ToString());
        using var push = new PushSocket(context: context);
        push.Connect(Somewhere);

        push.Send("across");

        Assert.Equal("across", await echo.Task.WaitAsync(Guard, Cancellation));
        context.Inproc.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pull.Bind("inproc://another"));
        Assert.Throws<ObjectDisposedException>(() => pull.Connect("inproc://another"));
    }

    [Fact]
    public async Task A_socket_of_a_type_that_does_not_fit_is_refused_with_the_reason()
    {
        using var context = new ZeroMqContext();
        var refused = new Inbox<ZeroMqEvent>();
        using var pull = new PullSocket(new ZeroMqSocketOptions { OnEvent = refused.Add }, context);
        pull.Bind(Somewhere);
        using var other = new PullSocket(context: context);
        other.Connect(Somewhere);

        ZeroMqEvent what = await refused.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused);

        Assert.Equal(Somewhere, what.Endpoint);
        Assert.Contains("socket type", what.Reason, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public void The_marks_of_both_sides_block_a_sender_within_the_process()
    {
        using var context = new ZeroMqContext();
        var options = new ZeroMqSocketOptions { SendHighWaterMark = 10, ReceiveHighWaterMark = 10 };
        using var pair = new PushPull(options, context, Somewhere);
        byte[] body = new byte[1000];

        // A mark before the loop, one after it, what was flushed at once, and the receiver's mark, however slow the
        // loop is with the first.
        const int Least = 20;
        int sent = 0;
        for (int refused = 0; refused == 0 || (sent < Least && refused < 60);)
        {
            bool taken = pair.Push.TrySend(body, TimeSpan.FromSeconds(1));
            sent += taken ? 1 : 0;
            refused = taken ? 0 : refused + 1;
        }

        Assert.InRange(sent, Least, 60);
        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(body.Length, pair.Pull.Receive(body));
        }

        pair.Push.Send("on it goes");
        Assert.Equal("on it goes", pair.Pull.ReceiveString());
    }

    [Fact]
    public void The_security_mechanism_is_not_used_within_the_process()
    {
        using var context = new ZeroMqContext();
        using var pull = new PullSocket(
            new ZeroMqSocketOptions
            {
                Security = ZeroMqSecurity.PlainServer,
                Authenticate = _ => throw new InvalidOperationException("It is not to be asked."),
            },
            context);
        using var push = new PushSocket(context: context);
        push.Connect(pull.Bind(Somewhere));

        push.Send("let in");

        Assert.Equal("let in", pull.ReceiveString());
    }
}
