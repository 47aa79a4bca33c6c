namespace Broker.Client.Streams.Tests.KeyValue;

/// <summary>
/// Reads a watch, with each update as a short text: <c>key=value</c>, <c>key:Delete</c> or <c>complete</c>.
/// </summary>
internal sealed class Watcher(IAsyncEnumerable<BucketUpdate> updates) : IAsyncDisposable
{
    private readonly IAsyncEnumerator<BucketUpdate> _updates = updates.GetAsyncEnumerator(TestContext.Current.CancellationToken);
    private Task _reading = Task.CompletedTask;

    internal Task<string[]> TakeAsync(int count)
    {
        Task<string[]> taken = ReadAsync(count);
        _reading = taken;
        return Wait.For(taken);
    }

    /// <summary>Reads up to an update, and returns how many came before it.</summary>
    internal async Task<int> SkipToAsync(string update)
    {
        for (int skipped = 0; ; skipped++)
        {
            if ((await TakeAsync(1))[0] == update)
            {
                return skipped;
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        // An enumerator cannot be disposed while it runs.
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _updates.DisposeAsync();
    }

    private async Task<string[]> ReadAsync(int count)
    {
        string[] texts = new string[count];
        for (int i = 0; i < count; i++)
        {
            Assert.True(await _updates.MoveNextAsync(), "the watch has ended");
            texts[i] = _updates.Current.Entry is not { } entry ? "complete"
                : entry.IsDeleted ? $"{entry.Key}:{entry.Operation}"
                : $"{entry.Key}={entry.Text}";
        }

        return texts;
    }
}
