namespace Broker.Hosting;

/// <summary>Waits for a start in a factory of a container, which has no other way.</summary>
internal static class Blocking
{
    /// <summary>On a thread of the pool, so that no context of the caller's is waited for that the caller itself would have to run.</summary>
    public static T Run<T>(Func<Task<T>> start)
    {
#pragma warning disable VSTHRD002 // A factory cannot be awaited, and nothing of the start runs on this thread.
        return Task.Run(start).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }
}
