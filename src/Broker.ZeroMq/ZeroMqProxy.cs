namespace Broker.ZeroMq;

/// <summary>
/// Joins two sockets: what one receives the other sends, both ways where both do both. Whole messages, with their routing ids, as
/// <c>zmq_proxy</c> does it.
/// </summary>
/// <remarks>
/// It runs by itself until it is stopped or one of the sockets is closed. A socket without room holds up its own direction alone. The
/// sockets are the proxy's to receive from meanwhile; they stay open after it.
/// </remarks>
public sealed class ZeroMqProxy : IAsyncDisposable
{
    private readonly CancellationTokenSource _stopping = new();
    private readonly MessageSocket? _capture;
    private readonly Lock _gate = new();
    private TaskCompletionSource? _paused;
    private int _isDisposed;
    private long _toBackend;
    private long _toFrontend;

    private ZeroMqProxy(MessageSocket frontend, MessageSocket backend, MessageSocket? capture, MessageSocket? control)
    {
        _capture = capture;
        var ways = new List<Task>();
        if (frontend is IReceivingSocket && backend is ISendingSocket)
        {
            ways.Add(Task.Run(() => ForwardAsync(frontend, backend, () => _toBackend++)));
        }

        if (backend is IReceivingSocket && frontend is ISendingSocket)
        {
            ways.Add(Task.Run(() => ForwardAsync(backend, frontend, () => _toFrontend++)));
        }

        if (ways.Count == 0)
        {
            throw new ArgumentException("Neither socket receives what the other could send.", nameof(backend));
        }

        if (control is not null)
        {
            ways.Add(Task.Run(() => ObeyAsync(control)));
        }

        Completion = EndAsync(ways);
    }

    /// <summary>Ends when the proxy has, with what went wrong if something did.</summary>
    public Task Completion { get; }

    /// <summary>Messages forwarded to the backend. A moment's truth.</summary>
    public long ToBackend => Volatile.Read(ref _toBackend);

    /// <summary>Messages forwarded to the frontend. A moment's truth.</summary>
    public long ToFrontend => Volatile.Read(ref _toFrontend);

    /// <summary>Starts to forward.</summary>
    /// <param name="frontend">One socket.</param>
    /// <param name="backend">The other one.</param>
    /// <param name="capture">Gets a copy of each message, if it has room: a PUB, PUSH, DEALER or PAIR.</param>
    /// <param name="control">Receives the commands PAUSE, RESUME and TERMINATE, such as a PULL, SUB or PAIR.</param>
    /// <exception cref="ArgumentException">The sockets cannot be joined, or cannot do what they are for.</exception>
    public static ZeroMqProxy Start(
        MessageSocket frontend, MessageSocket backend, MessageSocket? capture = null, MessageSocket? control = null)
    {
        ArgumentNullException.ThrowIfNull(frontend);
        ArgumentNullException.ThrowIfNull(backend);
        if (capture is not null and not ISendingSocket)
        {
            throw new ArgumentException("The socket to capture with does not send.", nameof(capture));
        }

        if (control is not null and not IReceivingSocket)
        {
            throw new ArgumentException("The socket to control with does not receive.", nameof(control));
        }

        return new ZeroMqProxy(frontend, backend, capture, control);
    }

    /// <summary>Forwards nothing more until <see cref="Resume"/>, but for a message that is under way in each direction.</summary>
    public void Pause()
    {
        lock (_gate)
        {
            _paused ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    /// <summary>Goes on.</summary>
    public void Resume()
    {
        lock (_gate)
        {
            _paused?.SetResult();
            _paused = null;
        }
    }

    /// <summary>Ends the proxy. A message that is under way is passed on, and lost only if the room that there was for it is gone.</summary>
    public async Task StopAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        await Completion.ConfigureAwait(false);
    }

    /// <summary>As <see cref="StopAsync"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            await Completion.ConfigureAwait(false);
            return;
        }

        await StopAsync().ConfigureAwait(false);
        _stopping.Dispose();
    }

    private async Task EndAsync(List<Task> ways)
    {
        await (await Task.WhenAny(ways).ConfigureAwait(false)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _stopping.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(ways).ConfigureAwait(false);
    }

    private async Task ForwardAsync(MessageSocket from, MessageSocket to, Action count)
    {
        using var message = new ZeroMqMessage();
        try
        {
            while (true)
            {
                while (!to.MaySend)
                {
                    // What cannot be passed on is not taken, so that it is not lost when the proxy is stopped.
                    await to.AwaitRoomAsync(_stopping.Token).ConfigureAwait(false);
                }

                await from.ReceiveMessageAsync(message, _stopping.Token).ConfigureAwait(false);
                if (Volatile.Read(ref _paused) is { } paused)
                {
                    // What was taken is passed on also when the pause ends with the proxy.
                    await paused.Task.WaitAsync(_stopping.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                }

                _capture?.TrySendEncoded(message);
                await to.SendMessageAsync(message, _stopping.Token).ConfigureAwait(false);
                count();
            }
        }
        catch (OperationCanceledException) when (_stopping.IsCancellationRequested)
        {
        }
        catch (ObjectDisposedException) when (from.IsClosed || to.IsClosed || _capture is { IsClosed: true })
        {
        }
    }

    private async Task ObeyAsync(MessageSocket control)
    {
        using var message = new ZeroMqMessage();
        try
        {
            while (true)
            {
                await control.ReceiveMessageAsync(message, _stopping.Token).ConfigureAwait(false);
                var command = message.Last;
                if (command.SequenceEqual("PAUSE"u8))
                {
                    Pause();
                }
                else if (command.SequenceEqual("RESUME"u8))
                {
                    Resume();
                }
                else if (command.SequenceEqual("TERMINATE"u8))
                {
                    return;
                }
            }
        }
        catch (OperationCanceledException) when (_stopping.IsCancellationRequested)
        {
        }
        catch (ObjectDisposedException) when (control.IsClosed)
        {
        }
    }
}
