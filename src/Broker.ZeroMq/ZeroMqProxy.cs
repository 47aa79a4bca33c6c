namespace Broker.ZeroMq;

/// <summary>
/// Joins two sockets: what one receives the other sends, both ways where both do both. Whole messages, with their routing ids, as
/// <c>zmq_proxy</c> does it.
/// </summary>
/// <remarks>
/// It runs by itself until it is stopped or one of the sockets is closed. A socket without room holds up its own direction alone. The
/// sockets are the proxy's to receive from meanwhile; they stay open after it. What cannot be passed on is not taken, but left in the socket that
/// received it.
/// </remarks>
public sealed class ZeroMqProxy : IAsyncDisposable
{
    private readonly CancellationTokenSource _stopping = new();
    private readonly ProxyPause _pause = new();
    private readonly ProxyWay? _toBackend;
    private readonly ProxyWay? _toFrontend;
    private int _isDisposed;

    private ZeroMqProxy(MessageSocket frontend, MessageSocket backend, MessageSocket? capture, MessageSocket? control)
    {
        var ways = new List<Task>();
        _toBackend = Join(frontend, backend);
        _toFrontend = Join(backend, frontend);

        if (ways.Count == 0)
        {
            throw new ArgumentException("Neither socket receives what the other could send.", nameof(backend));
        }

        if (control is not null)
        {
            ways.Add(Task.Run(() => ObeyAsync(control)));
        }

        Completion = EndAsync(ways);

        ProxyWay? Join(MessageSocket from, MessageSocket to)
        {
            if (from is not IReceivingSocket || to is not ISendingSocket)
            {
                return null;
            }

            var way = new ProxyWay(from, to, capture, _pause);
            ways.Add(Task.Run(() => way.RunAsync(_stopping.Token)));
            return way;
        }
    }

    /// <summary>Ends when the proxy has, with what went wrong if something did.</summary>
    public Task Completion { get; }

    /// <summary>Messages forwarded to the backend. A moment's truth.</summary>
    public long ToBackend => _toBackend?.Passed ?? 0;

    /// <summary>Messages forwarded to the frontend. A moment's truth.</summary>
    public long ToFrontend => _toFrontend?.Passed ?? 0;

    /// <summary>Starts to forward.</summary>
    /// <param name="frontend">One socket.</param>
    /// <param name="backend">The other one.</param>
    /// <param name="capture">Gets a copy of each message, if it has room: a PUB, PUSH, DEALER or PAIR.</param>
    /// <param name="control">Receives the commands PAUSE, RESUME and TERMINATE, such as a PULL, SUB or PAIR.</param>
    /// <exception cref="ArgumentException">The sockets cannot be joined, or cannot do what they are for; REQ and REP never can.</exception>
    public static ZeroMqProxy Start(
        MessageSocket frontend, MessageSocket backend, MessageSocket? capture = null, MessageSocket? control = null)
    {
        ArgumentNullException.ThrowIfNull(frontend);
        ArgumentNullException.ThrowIfNull(backend);
        if (frontend.TakesTurns || backend.TakesTurns || capture is { TakesTurns: true } || control is { TakesTurns: true })
        {
            throw new ArgumentException("REQ and REP receive only in turn. Between them a proxy has a ROUTER and a DEALER.", nameof(frontend));
        }

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

    /// <summary>
    /// Takes and forwards nothing more until <see cref="Resume"/>, but for a message that is under way in each direction.
    /// </summary>
    public void Pause() => _pause.Begin();

    /// <summary>Goes on.</summary>
    public void Resume() => _pause.Finish();

    /// <summary>
    /// Ends the proxy. What it has taken it has passed on, and what it has not is still to be received from the sockets.
    /// </summary>
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
