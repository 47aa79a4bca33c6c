using System.Collections.Concurrent;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>Sockets on a thread whose synchronization context runs everything on this thread, as in WPF.</summary>
public sealed class SynchronizationContextTests
{
    [Fact]
    public void Dispose_returns_on_the_only_thread_of_a_context()
    {
        var thread = new Thread(static () =>
        {
            SynchronizationContext.SetSynchronizationContext(new QueueingContext());
            using var pull = new PullSocket();
            pull.Bind("tcp://127.0.0.1:*");
        })
        { IsBackground = true };
        thread.Start();
        Assert.True(thread.Join(TimeSpan.FromSeconds(20)), "Dispose waits for a continuation that only its own thread can run");
    }

    // Its thread never gets to the queue while it waits in Dispose.
    private sealed class QueueingContext : SynchronizationContext
    {
        private readonly ConcurrentQueue<(SendOrPostCallback Callback, object? State)> _queue = new();

        public override void Post(SendOrPostCallback d, object? state) => _queue.Enqueue((d, state));
    }
}
