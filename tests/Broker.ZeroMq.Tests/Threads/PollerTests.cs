namespace Broker.ZeroMq.Tests.Threads;

public sealed class PollerTests
{
    private static readonly TimeSpan Guard = Wait.Limit;

    [Fact]
    public void Sockets_timers_and_actions_are_served_on_the_thread_that_runs_it()
    {
        using var first = new PushPull();
        using var second = new PushPull();
        using var poller = new ZeroMqPoller();
        var seen = new List<string>();
        var threads = new HashSet<int>();
        int ticks = 0;
        PollerTimer? timer = null;
        void Check()
        {
            threads.Add(Environment.CurrentManagedThreadId);
            if (seen.Count == 3 && ticks == 3)
            {
                poller.Stop();
            }
        }

        poller.Add(first.Pull, pull =>
        {
            seen.Add("first " + pull.ReceiveString());
            Check();
        });
        timer = poller.AddTimer(TimeSpan.FromMilliseconds(5), () =>
        {
            if (++ticks == 3)
            {
                timer!.Cancel();
            }

            Check();
        });
        poller.Post(() =>
        {
            // While the poller runs.
            poller.Add(second.Pull, pull =>
            {
                seen.Add("second " + pull.ReceiveString());
                Check();
            });
            second.Push.Send("c");
        });
        first.Push.Send("a");
        first.Push.Send("b");

        poller.Run(TestContext.Current.CancellationToken);

        Assert.Equal(["first a", "first b", "second c"], seen.Order(StringComparer.Ordinal));
        Assert.Equal(3, ticks);
        Assert.Equal([Environment.CurrentManagedThreadId], threads);
    }

    [Fact]
    public void A_removed_socket_is_no_longer_served_and_may_be_added_to_another_poller()
    {
        using var pair = new PushPull();
        using var poller = new ZeroMqPoller();
        using var other = new ZeroMqPoller();
        poller.Add(pair.Pull, _ => Assert.Fail("It was removed."));
        Assert.Throws<InvalidOperationException>(() => other.Add(pair.Pull, _ => { }));

        Assert.True(poller.Remove(pair.Pull));
        Assert.False(poller.Remove(pair.Pull));
        pair.Push.Send("for the other");
        other.Add(pair.Pull, pull =>
        {
            Assert.Equal("for the other", pull.ReceiveString());
            other.Stop();
        });
        poller.Post(poller.Stop);
        poller.Run(TestContext.Current.CancellationToken);
        other.Run(TestContext.Current.CancellationToken);
    }

    [Fact]
    public void A_flooded_socket_does_not_keep_another_one_waiting()
    {
        using var flood = new PushPull();
        using var quiet = new PushPull();
        using var poller = new ZeroMqPoller();
        for (int i = 0; i < 500; i++)
        {
            flood.Push.Send("x"u8);
        }

        quiet.Push.Send("y"u8);
        Wait.Until(() => flood.Pull.HasMessages && quiet.Pull.HasMessages);
        int before = 0;
        poller.Add(flood.Pull, pull =>
        {
            pull.ReceiveBytes();
            before++;
        });
        poller.Add(quiet.Pull, pull =>
        {
            pull.ReceiveBytes();
            poller.Stop();
        });
        poller.Run(TestContext.Current.CancellationToken);

        Assert.InRange(before, 0, 2);
    }

    [Fact]
    public void A_handler_that_threw_is_called_again_for_remaining_messages_in_the_next_run()
    {
        using var pair = new PushPull();
        using var poller = new ZeroMqPoller();
        pair.Push.Send("first");
        pair.Push.Send("second");
        var seen = new List<string>();
        poller.Add(pair.Pull, pull =>
        {
            seen.Add(pull.ReceiveString());
            if (seen.Count == 2)
            {
                poller.Stop();
            }
            else
            {
                Wait.Until(() => pull.HasMessages);
                throw new InvalidDataException();
            }
        });
        Assert.Throws<InvalidDataException>(() => poller.Run(TestContext.Current.CancellationToken));

        using var limited = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limited.CancelAfter(Guard);
        poller.Run(limited.Token);
        Assert.Equal(["first", "second"], seen);
    }

    [Fact]
    public async Task A_cancellation_ends_the_run_and_a_handlers_exception_is_rethrown()
    {
        using var poller = new ZeroMqPoller();
        using var cancellation = new CancellationTokenSource();
        var run = Task.Run(() => poller.Run(cancellation.Token), TestContext.Current.CancellationToken);
        await cancellation.CancelAsync();
        await run.WaitAsync(Guard, TestContext.Current.CancellationToken);

        poller.Post(() => throw new InvalidDataException());
        Assert.Throws<InvalidDataException>(() => poller.Run(TestContext.Current.CancellationToken));
    }
}
