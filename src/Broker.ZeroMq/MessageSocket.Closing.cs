using System.Diagnostics;
using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq;

public abstract partial class MessageSocket
{
    private readonly Lock _closeGate = new();
    private volatile Task<ZeroMqCloseReport>? _closed;

    /// <summary>
    /// Closes the socket: calls that wait end with <see cref="ObjectDisposedException"/>, what was sent goes to the peers for up to the
    /// linger, and what was received and not taken is dropped. Further calls return the first one's result.
    /// </summary>
    /// <param name="linger">
    /// How long, <see cref="Timeout.InfiniteTimeSpan"/> for as long as it takes; null for what the options say. Zero drops what is queued.
    /// </param>
    /// <returns>What was not delivered.</returns>
    public Task<ZeroMqCloseReport> CloseAsync(TimeSpan? linger = null)
    {
        LongTimes.Require(linger ?? TimeSpan.Zero, nameof(linger));
        lock (_closeGate)
        {
            return _closed ??= CloseCoreAsync((linger ?? Options.Linger).Bounded());
        }
    }

    /// <summary>As <see cref="CloseAsync"/> with the options' linger.</summary>
    public async ValueTask DisposeAsync()
    {
        await CloseAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>As <see cref="CloseAsync"/> with the options' linger, and blocks for it. Not on a loop's thread.</summary>
    public void Dispose()
    {
        var closed = CloseAsync();
        if (Loop.IsCallerDriven)
        {
            while (!closed.IsCompleted)
            {
                Loop.RunOnce(TimeSpan.FromMilliseconds(1));
            }
        }

#pragma warning disable VSTHRD002 // Nothing of the closing runs on a thread that the caller could be.
        closed.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
        GC.SuppressFinalize(this);
    }

    private async Task<ZeroMqCloseReport> CloseCoreAsync(TimeSpan linger)
    {
        // The lock is the caller's and ends with the first wait.
        await Task.Yield();
        long start = Stopwatch.GetTimestamp();
        _inbound?.Close();
        if (_outbound is not null)
        {
            await Task.WhenAny(_outbound.SealAsync(), Task.Delay(linger)).ConfigureAwait(false);
        }

        var rest = linger - Stopwatch.GetElapsedTime(start);
        var report = await _socket.CloseAsync(rest > TimeSpan.Zero ? rest : TimeSpan.Zero).ConfigureAwait(false);
        if (_outbound is not null)
        {
            report = report with { Undelivered = report.Undelivered + await DropAsync().ConfigureAwait(false) };
        }

        Context.Remove(this);
        if (_ownsContext)
        {
            Context.Dispose();
        }

        return report;
    }

    // What no peer had room for.
    private async Task<long> DropAsync()
    {
        var dropped = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!Loop.TryPost(() => dropped.SetResult(_outbound!.Drop())))
        {
            return _outbound!.Drop();
        }

        return await dropped.Task.ConfigureAwait(false);
    }
}
