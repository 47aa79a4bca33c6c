namespace Broker.Hosting;

/// <summary>
/// Blocks until an asynchronous start has ended, because the factories of a container must be synchronous.
/// </summary>
internal static class Blocking
{
    /// <summary>
    /// Runs <paramref name="start"/> on a pool thread. On the caller's synchronization context, the start could wait
    /// for the blocked caller: a deadlock.
    /// </summary>
    public static T Run<T>(Func<Task<T>> start)
    {
#pragma warning disable VSTHRD002 // A factory cannot be awaited, and nothing of the start runs on this thread.
        return Task.Run(start).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }
}
