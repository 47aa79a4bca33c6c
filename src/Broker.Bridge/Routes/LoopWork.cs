using Broker.Transport;

namespace Broker.Bridge.Routes;

/// <summary>Work on an event loop that its owner may end at any time.</summary>
internal static class LoopWork
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(500);

    /// <summary>Does something on the loop, at once where the caller is on it.</summary>
    /// <returns>Whether it was done: false when the loop has ended.</returns>
    internal static async Task<bool> DoAsync(this EventLoop loop, Action action)
    {
        if (loop.IsCurrent)
        {
            action();
            return true;
        }

        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool posted = loop.TryPost(() =>
        {
            try
            {
                action();
                done.SetResult();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                done.SetException(e);
            }
        });
        if (posted)
        {
            await done.Task.ConfigureAwait(false);
        }

        return posted;
    }

    /// <summary>Does what may have to wait for the loop, which its owner may end: what is waited for does not come then.</summary>
    /// <returns>What came of it; the default when the loop was faster.</returns>
    internal static async Task<T?> OutliveAsync<T>(this EventLoop loop, Func<Task<T>> work)
    {
        Task<T> done = work();
        while (await Task.WhenAny(done, Task.Delay(Look)).ConfigureAwait(false) != done)
        {
            if (!loop.TryPost(static () => { }))
            {
                return default;
            }
        }

        return await done.ConfigureAwait(false);
    }

    /// <inheritdoc cref="OutliveAsync{T}"/>
    internal static Task OutliveAsync(this EventLoop loop, Func<Task> work) => loop.OutliveAsync(async () =>
    {
        await work().ConfigureAwait(false);
        return true;
    });
}
