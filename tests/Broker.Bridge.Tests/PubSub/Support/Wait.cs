using System.Diagnostics;

namespace Broker.Bridge.Tests.PubSub.Support;

/// <summary>Waits for what cannot be awaited, for a limited time.</summary>
internal static class Wait
{
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(5);

    public static async Task UntilAsync(Func<bool> holds, Func<string> otherwise, Action? eachTime = null)
    {
        var waited = Stopwatch.StartNew();
        while (!holds())
        {
            Assert.True(waited.Elapsed < Limit, otherwise());
            eachTime?.Invoke();
            await Task.Delay(Look, TestContext.Current.CancellationToken);
        }
    }
}
