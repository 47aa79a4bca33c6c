using System.Diagnostics;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

public abstract partial class MessageSocket
{
    private readonly Lock _closeGate = new();
    private readonly TaskCompletionSource _lingering = new(TaskCreationOptions.RunContinuationsAsynchronously);
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
    /// <returns>A report of the messages that were not delivered.</returns>
    public Task<ZeroMqCloseReport> CloseAsync(TimeSpan? linger = null)
    {
        TimeoutLimits.Require(linger ?? TimeSpan.Zero, nameof(linger));
        lock (_closeGate)
        {
            return _closed ??= CloseCoreAsync((linger ?? Options.Linger).Bounded());
        }
    }

    /// <summary>
    /// Closes the socket as <see cref="Dispose"/> does, without blocking the calling thread.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        await DisposalAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Closes the socket with the linger time of the options. When the method returns, the endpoints that the socket
    /// had bound are free. Must not be called on a loop's thread.
    /// </summary>
    /// <remarks>
    /// If a context was passed to the constructor, the method does not wait for peers: messages that they have no room
    /// for continue to be sent, and the disposal of the context waits for them. So sockets that are closed one by one
    /// linger side by side. A socket without such a context waits itself, for up to its linger time.
    /// </remarks>
    public void Dispose()
    {
        WaitFor(DisposalAsync());
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Waits until the socket, which is closing, is closed, and runs its loop if the caller drives it.
    /// </summary>
    internal void WaitUntilClosed() => WaitFor(CloseAsync());

    // Completes when nothing is left to do, or when only a linger time is left that the context will wait for.
    private Task DisposalAsync()
    {
        Task<ZeroMqCloseReport> closed = CloseAsync();
        return _ownsContext ? closed : Task.WhenAny(closed, _lingering.Task).Unwrap();
    }

    private void WaitFor(Task task)
    {
        if (Loop.IsCallerDriven)
        {
            while (!task.IsCompleted)
            {
                Loop.RunOnce(TimeSpan.FromMilliseconds(1));
            }
        }

#pragma warning disable VSTHRD002 // No part of the close needs the calling thread, so that blocking cannot deadlock.
        task.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

    private async Task<ZeroMqCloseReport> CloseCoreAsync(TimeSpan linger)
    {
        // The caller holds _closeGate until this method first yields, so yield at once. Task.Yield would continue in
        // the caller's synchronization context, whose only thread may wait in Dispose.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        long start = Stopwatch.GetTimestamp();
        _receiver?.Queue.Close();
        _socket.ReleaseEndpoints();
        if (_sender is not null)
        {
            Task sent = _sender.Queue.SealAsync();
            await _socket.FlushLoopsAsync().ConfigureAwait(false);
            if (!sent.IsCompleted)
            {
                _lingering.TrySetResult();
                await Task.WhenAny(sent, Task.Delay(linger)).ConfigureAwait(false);
            }
        }

        TimeSpan remaining = linger - Stopwatch.GetElapsedTime(start);
        ZeroMqCloseReport report = await _socket.CloseAsync(
            remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero,
            () => _lingering.TrySetResult()).ConfigureAwait(false);
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
