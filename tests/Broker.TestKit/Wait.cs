namespace Broker.TestKit;

/// <summary>Waits that end: with what they wait for, or with a failure. None of them says anything about time.</summary>
public static class Wait
{
    /// <summary>Ends a test that hangs. So long that a machine with much else to do does not come near it.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(5);

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static Task<T> For<T>(TaskCompletionSource<T> source) => For(source.Task);

    public static Task For(TaskCompletionSource source) => For(source.Task);

    public static Task<T> For<T>(Task<T> task) => task.WaitAsync(Limit, Ended);

    public static Task For(Task task) => task.WaitAsync(Limit, Ended);

    /// <summary>A source whose waiters do not run in the call that completes it.</summary>
    public static TaskCompletionSource<T> Source<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    public static TaskCompletionSource Source() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Waits for what nobody announces.</summary>
    /// <param name="holds">Looked at again and again.</param>
    /// <param name="what">Names in a failure what did not come.</param>
    public static Task UntilAsync(Func<bool> holds, string what = "the condition") => UntilAsync(holds, () => $"waited in vain for: {what}");

    public static Task UntilAsync(Func<bool> holds, CancellationToken cancellation)
        => UntilAsync(() => Task.FromResult(holds()), static () => "waited in vain", cancellation);

    /// <param name="holds">Looked at again and again.</param>
    /// <param name="otherwise">Says in a failure how things stand.</param>
    /// <param name="eachTime">Done after each look in vain.</param>
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

    /// <summary>The same for a look that takes a while itself.</summary>
    public static Task UntilAsync(Func<Task<bool>> holds, string what = "the condition") => UntilAsync(holds, () => $"waited in vain for: {what}", Ended);

    /// <param name="holds">Looked at again and again.</param>
    /// <param name="otherwise">Says in a failure how things stand.</param>
    public static Task UntilAsync(Func<Task<bool>> holds, Func<string> otherwise) => UntilAsync(holds, otherwise, Ended);

    /// <summary>The same on the thread that calls, for looks that must be one thread's or take a moment themselves.</summary>
    /// <param name="holds">Looked at again and again.</param>
    /// <param name="what">Names in a failure what did not come.</param>
    public static void Until(Func<bool> holds, string what = "the condition") => Until(holds, () => $"waited in vain for: {what}");

    /// <param name="holds">Looked at again and again.</param>
    /// <param name="otherwise">Says in a failure how things stand.</param>
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
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        patience.CancelAfter(Limit);
        while (!await holds())
        {
            Assert.False(patience.IsCancellationRequested, otherwise());
            await Task.Delay(Look, CancellationToken.None);
        }
    }
}
