namespace Broker.AspNetCore.Tests.Harness;

internal static class Wait
{
    internal static readonly TimeSpan Long = TimeSpan.FromSeconds(20);

    /// <summary>Looks until it is true; fails when that takes too long.</summary>
    internal static async Task UntilAsync(Func<Task<bool>> isTrue, string what)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Long);
        while (!await isTrue())
        {
            Assert.False(limit.IsCancellationRequested, what);
            await Task.Delay(20, CancellationToken.None);
        }
    }
}
