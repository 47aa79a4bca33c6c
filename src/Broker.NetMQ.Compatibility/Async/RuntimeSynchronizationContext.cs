namespace NetMQ;

/// <summary>Runs continuations on the thread of a runtime.</summary>
internal sealed class RuntimeSynchronizationContext(NetMQRuntime runtime, NetMQPoller poller) : SynchronizationContext
{
    internal NetMQRuntime Runtime { get; } = runtime;

    public override void Post(SendOrPostCallback d, object? state)
    {
        if (!poller.IsDisposed)
        {
            new Task(() => d(state)).Start(poller);
        }
    }

    public override SynchronizationContext CreateCopy() => this;
}
