using System.Threading.Channels;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>Collects what callbacks report. A test waits for an expected item for a limited time.</summary>
internal sealed class Inbox<T>
{
    private readonly Channel<T> _channel = Channel.CreateUnbounded<T>();

    public void Add(T item) => _channel.Writer.TryWrite(item);

    /// <summary>The next item that fulfils the condition; earlier items are skipped.</summary>
    public async Task<T> TakeAsync(Func<T, bool> which)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Wait.Limit);
        var passed = new List<T>();
        try
        {
            while (true)
            {
                T item = await _channel.Reader.ReadAsync(limit.Token);
                if (which(item))
                {
                    return item;
                }

                passed.Add(item);
            }
        }
        catch (OperationCanceledException)
        {
            throw new TimeoutException($"Not reported in time. Reported last: [{string.Join("; ", passed.TakeLast(20))}]");
        }
    }

    public Task<T> TakeAsync() => TakeAsync(_ => true);

    public List<T> TakeAll()
    {
        var all = new List<T>();
        while (_channel.Reader.TryRead(out T? item))
        {
            all.Add(item);
        }

        return all;
    }
}
