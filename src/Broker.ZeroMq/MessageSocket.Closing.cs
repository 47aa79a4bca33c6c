using System.Diagnostics;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

public abstract partial class MessageSocket
{
    private readonly Lock _closeGate = new();
    private volatile Task<ZeroMqCloseReport>? _closed;

    /// <summary>
    /// Closes the socket. Waiting calls end with <see cref="ObjectDisposedException"/>. Queued outgoing messages are
    /// sent until the linger time is over. Received messages that no caller has taken are dropped. Further calls return
    /// the result of the first call.
    /// </summary>
    /// <param name="linger">
    /// How long to wait until queued messages are sent; <see cref="Timeout.InfiniteTimeSpan"/> waits without a limit.
    /// Null uses <see cref="ZeroMqSocketOptions.Linger"/>. Zero drops the queued messages.
    /// </param>
    /// <returns>The number of messages that were not delivered.</returns>
    public Task<ZeroMqCloseReport> CloseAsync(TimeSpan? linger = null)
    {
        TimeoutLimits.Require(linger ?? TimeSpan.Zero, nameof(linger));
        lock (_closeGate)
        {
            return _closed ??= CloseCoreAsync((linger ?? Options.Linger).Bounded());
        }
    }

    /// <summary>Closes the socket with the linger time of the options. See <see cref="CloseAsync"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        await CloseAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Closes the socket with the linger time of the options and blocks until it is closed. Must not be called on a
    /// loop's thread.
    /// </summary>
    public void Dispose()
    {
        Task<ZeroMqCloseReport> closed = CloseAsync();
        if (Loop.IsCallerDriven)
        {
            while (!closed.IsCompleted)
            {
                Loop.RunOnce(TimeSpan.FromMilliseconds(1));
            }
        }

#pragma warning disable VSTHRD002 // No part of the close needs the calling thread, so that blocking cannot deadlock.
        closed.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
        GC.SuppressFinalize(this);
    }

    private async Task<ZeroMqCloseReport> CloseCoreAsync(TimeSpan linger)
    {
        // The caller holds the lock until the first await returns.
        await Task.Yield();
        long start = Stopwatch.GetTimestamp();
        _receiver?.Queue.Close();
        if (_sender is not null)
        {
            await Task.WhenAny(_sender.Queue.SealAsync(), Task.Delay(linger)).ConfigureAwait(false);
        }

        TimeSpan remaining = linger - Stopwatch.GetElapsedTime(start);
        ZeroMqCloseReport report = await _socket.CloseAsync(
            remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero).ConfigureAwait(false);
        if (_sender is not null)
        {
            report = report with { Undelivered = report.Undelivered + await DropAsync().ConfigureAwait(false) };
        }

        Context.Remove(this);
        if (_ownsContext)
        {
            await Context.DisposeAsync().ConfigureAwait(false);
        }

        return report;
    }

    // Counts and drops the messages that no peer had room for.
    private async Task<long> DropAsync()
    {
        var dropped = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!Loop.TryPost(() => dropped.SetResult(_sender!.Queue.Drop())))
        {
            return _sender!.Queue.Drop();
        }

        return await dropped.Task.ConfigureAwait(false);
    }
}
