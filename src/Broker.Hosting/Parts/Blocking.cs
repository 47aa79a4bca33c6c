namespace Broker.Hosting;

/// <summary>Blocks until an asynchronous start has ended. Factories of a container must be synchronous.</summary>
internal static class Blocking
{
    /// <summary>
    /// Runs on a pool thread. On the caller's synchronization context the blocked caller could deadlock.
    /// </summary>
    public static T Run<T>(Func<Task<T>> start)
    {
#pragma warning disable VSTHRD002 // A factory cannot be awaited, and nothing of the start runs on this thread.
        return Task.Run(start).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }
}
