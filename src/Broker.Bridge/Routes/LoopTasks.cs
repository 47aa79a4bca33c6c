using Broker.Transport;

namespace Broker.Bridge;

/// <summary>Runs work on an event loop that its owner may end at any time.</summary>
internal static class LoopTasks
{
    private static readonly TimeSpan CheckInterval = TimeSpan.FromMilliseconds(500);

    /// <summary>Runs an action on the loop, or at once if the caller is already on the loop.</summary>
    /// <returns>Whether the action ran: false if the loop has ended.</returns>
    internal static async Task<bool> RunAsync(this EventLoop loop, Action action)
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

    /// <summary>Awaits work that may never complete if the owner of the loop ends the loop meanwhile.</summary>
    /// <returns>The result of the work; the default value if the loop ended first.</returns>
    internal static async Task<T?> WaitWhileRunningAsync<T>(this EventLoop loop, Func<Task<T>> work)
    {
        Task<T> done = work();
        while (await Task.WhenAny(done, Task.Delay(CheckInterval)).ConfigureAwait(false) != done)
        {
            if (!loop.TryPost(static () => { }))
            {
                return default;
            }
        }

        return await done.ConfigureAwait(false);
    }

    /// <inheritdoc cref="WaitWhileRunningAsync{T}"/>
    internal static Task WaitWhileRunningAsync(this EventLoop loop, Func<Task> work) => loop.WaitWhileRunningAsync(async () =>
    {
        await work().ConfigureAwait(false);
        return true;
    });
}
