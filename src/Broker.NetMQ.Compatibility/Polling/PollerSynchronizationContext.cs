namespace NetMQ;

/// <summary>Runs continuations on a poller's thread.</summary>
internal sealed class PollerSynchronizationContext(NetMQPoller poller) : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state)
    {
        var task = new Task(() => d(state));
        task.Start(poller);
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        var task = new Task(() => d(state));
        task.RunSynchronously(poller);
#pragma warning disable VSTHRD002 // The caller of Send waits by contract.
        task.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

    public override SynchronizationContext CreateCopy() => this;
}
