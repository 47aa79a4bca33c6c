namespace Broker.TestKit;

/// <summary>
/// Waits that end with the expected condition or with a failure. Tests do not measure time with them.
/// </summary>
public static class Wait
{
    /// <summary>The timeout that ends a test that hangs. It is so long that a busy machine does not reach it.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(5);

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static Task<T> For<T>(TaskCompletionSource<T> source) => For(source.Task);

    public static Task For(TaskCompletionSource source) => For(source.Task);

    public static Task<T> For<T>(Task<T> task) => task.WaitAsync(Limit, Ended);

    public static Task For(Task task) => task.WaitAsync(Limit, Ended);

    /// <summary>Creates a source with continuations that do not run in the call that completes it.</summary>
    public static TaskCompletionSource<T> Source<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    public static TaskCompletionSource Source() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Polls until a condition is true.</summary>
    /// <param name="holds">The condition.</param>
    /// <param name="what">The name of the condition for a failure.</param>
    public static Task UntilAsync(Func<bool> holds, string what = "the condition") => UntilAsync(holds, () => $"waited in vain for: {what}");

    public static Task UntilAsync(Func<bool> holds, CancellationToken cancellation)
        => UntilAsync(() => Task.FromResult(holds()), static () => "waited in vain", cancellation);

    /// <param name="holds">The condition.</param>
    /// <param name="otherwise">Creates the text for a failure.</param>
    /// <param name="eachTime">An action that runs each time the condition is false.</param>
    public static Task UntilAsync(Func<bool> holds, Func<string> otherwise, Action? eachTime = null)
        => UntilAsync(
            () =>
            {
                bool come = holds();
                if (!come)
                {
                    eachTime?.Invoke();
                }

                return Task.FromResult(come);
            },
            otherwise,
            Ended);

    /// <summary>Polls until an asynchronous condition is true.</summary>
    public static Task UntilAsync(Func<Task<bool>> holds, string what = "the condition") => UntilAsync(holds, () => $"waited in vain for: {what}", Ended);

    /// <param name="holds">The condition.</param>
    /// <param name="otherwise">Creates the text for a failure.</param>
    public static Task UntilAsync(Func<Task<bool>> holds, Func<string> otherwise) => UntilAsync(holds, otherwise, Ended);

    /// <summary>Polls on the calling thread until a condition is true.</summary>
    /// <param name="holds">The condition.</param>
    /// <param name="what">The name of the condition for a failure.</param>
    public static void Until(Func<bool> holds, string what = "the condition") => Until(holds, () => $"waited in vain for: {what}");

    /// <param name="holds">The condition.</param>
    /// <param name="otherwise">Creates the text for a failure.</param>
    public static void Until(Func<bool> holds, Func<string> otherwise)
    {
        var spin = default(SpinWait);
        for (long end = Environment.TickCount64 + (long)Limit.TotalMilliseconds; !holds(); spin.SpinOnce())
        {
            if (Environment.TickCount64 >= end || Ended.IsCancellationRequested)
            {
                Assert.Fail(otherwise());
            }
        }
    }

    private static async Task UntilAsync(Func<Task<bool>> holds, Func<string> otherwise, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(Limit);
        while (!await holds())
        {
            Assert.False(limit.IsCancellationRequested, otherwise());
            await Task.Delay(Look, CancellationToken.None);
        }
    }
}
