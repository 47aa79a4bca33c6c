namespace Broker.Client.Streams.Tests.Support;

/// <summary>
/// Reads an enumeration one by one. It always waits for the next message, as a loop does, so that requests are made
/// before a test asks for a message.
/// </summary>
internal sealed class Reader : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
    private readonly IAsyncEnumerator<StreamMessage> _enumerator;
    private Task<bool>? _moving;

    internal Reader(IAsyncEnumerable<StreamMessage> messages)
    {
        _enumerator = messages.GetAsyncEnumerator(_stop.Token);
        _moving = _enumerator.MoveNextAsync().AsTask();
    }

    /// <summary>Begins to wait for the next message, so that the last one is finished.</summary>
    internal void MoveOn() => _moving ??= _enumerator.MoveNextAsync().AsTask();

    internal async Task<StreamMessage> NextAsync()
    {
        MoveOn();
        bool moved = await Wait.For(_moving!);
        Assert.True(moved, "the enumeration has ended");
        _moving = null;
        return _enumerator.Current;
    }

    public async ValueTask DisposeAsync()
    {
        if (_moving is not null)
        {
            // An enumerator must not be disposed while it waits.
            await _stop.CancelAsync();
            await Wait.For(Task.WhenAny(_moving));
        }

        await _enumerator.DisposeAsync();
        _stop.Dispose();
    }
}
