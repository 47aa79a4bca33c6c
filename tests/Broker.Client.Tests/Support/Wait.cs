namespace Broker.Client.Tests.Support;

/// <summary>Waits that end: with what they wait for, or with a failure.</summary>
internal static class Wait
{
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    public static Task<T> For<T>(TaskCompletionSource<T> source) => For(source.Task);

    public static Task For(TaskCompletionSource source) => For(source.Task);

    public static Task<T> For<T>(Task<T> task) => task.WaitAsync(Limit, TestContext.Current.CancellationToken);

    public static Task For(Task task) => task.WaitAsync(Limit, TestContext.Current.CancellationToken);

    public static TaskCompletionSource<T> Source<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    public static TaskCompletionSource Source() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Waits for a condition that nobody announces.</summary>
    public static async Task Until(Func<bool> condition)
    {
        using var limit = new CancellationTokenSource(Limit);
        while (!condition())
        {
            await Task.Delay(5, limit.Token);
        }
    }
}
