namespace Broker.ZeroMq;

/// <summary>
/// Forwards messages between two sockets: each socket sends what the other receives, in both directions if both sockets
/// send and receive. Messages are forwarded completely, with their routing ids, as <c>zmq_proxy</c> does.
/// </summary>
/// <remarks>
/// The proxy runs in the background until it is stopped or one of its sockets is closed. While a socket has no room,
/// only the direction towards that socket waits. No other code may receive from the sockets while the proxy runs; the
/// sockets stay open when the proxy ends. A message that cannot be forwarded stays in the socket that received it.
/// </remarks>
/// <example><code>
/// using var frontend = new RouterSocket();
/// using var backend = new DealerSocket();
/// frontend.Bind("tcp://127.0.0.1:5560");
/// backend.Bind("tcp://127.0.0.1:5561");
/// await using ZeroMqProxy proxy = ZeroMqProxy.Start(frontend, backend);
/// await proxy.Completion;
/// </code></example>
public sealed class ZeroMqProxy : IAsyncDisposable
{
    private readonly CancellationTokenSource _stopping = new();
    private readonly ProxyPause _pause = new();
    private readonly ProxyDirection? _toBackend;
    private readonly ProxyDirection? _toFrontend;
    private int _isDisposed;

    private ZeroMqProxy(MessageSocket frontend, MessageSocket backend, MessageSocket? capture, MessageSocket? control)
    {
        var directions = new List<Task>();
        _toBackend = Join(frontend, backend);
        _toFrontend = Join(backend, frontend);

        if (directions.Count == 0)
        {
            throw new ArgumentException("Neither socket receives what the other could send.", nameof(backend));
        }

        if (control is not null)
        {
            directions.Add(Task.Run(() => RunCommandsAsync(control)));
        }

        Completion = CompleteAsync(directions);

        ProxyDirection? Join(MessageSocket from, MessageSocket to)
        {
            if (from is not IReceivingSocket || to is not ISendingSocket)
            {
                return null;
            }

            var direction = new ProxyDirection(from, to, capture, _pause);
            directions.Add(Task.Run(() => direction.RunAsync(_stopping.Token)));
            return direction;
        }
    }

    /// <summary>
    /// A task that completes when the proxy has ended. It fails with the exception that ended the proxy, if any.
    /// </summary>
    public Task Completion { get; }

    /// <summary>The number of messages forwarded to the backend. The value may be out of date at once.</summary>
    public long ToBackend => _toBackend?.Forwarded ?? 0;

    /// <summary>The number of messages forwarded to the frontend. The value may be out of date at once.</summary>
    public long ToFrontend => _toFrontend?.Forwarded ?? 0;

    /// <summary>Starts a proxy between two sockets.</summary>
    /// <param name="frontend">The first socket.</param>
    /// <param name="backend">The second socket.</param>
    /// <param name="capture">
    /// A socket that sends a copy of each message if the socket has room: a PUB, PUSH, DEALER or PAIR.
    /// </param>
    /// <param name="control">
    /// A socket that receives the commands PAUSE, RESUME and TERMINATE, such as a PULL, SUB or PAIR.
    /// </param>
    /// <exception cref="ArgumentException">
    /// Neither socket can send what the other receives, a socket is REQ or REP, the capture socket cannot send, or the
    /// control socket cannot receive.
    /// </exception>
    public static ZeroMqProxy Start(
        MessageSocket frontend, MessageSocket backend, MessageSocket? capture = null, MessageSocket? control = null)
    {
        ArgumentNullException.ThrowIfNull(frontend);
        ArgumentNullException.ThrowIfNull(backend);
        if (frontend.IsAlternating || backend.IsAlternating
            || capture is { IsAlternating: true } || control is { IsAlternating: true })
        {
            throw new ArgumentException(
                "A proxy cannot use REQ or REP, which send and receive in alternation. Use a ROUTER and a DEALER.",
                nameof(frontend));
        }

        if (capture is not null and not ISendingSocket)
        {
            throw new ArgumentException("The capture socket does not send.", nameof(capture));
        }

        if (control is not null and not IReceivingSocket)
        {
            throw new ArgumentException("The control socket does not receive.", nameof(control));
        }

        return new ZeroMqProxy(frontend, backend, capture, control);
    }

    /// <summary>
    /// Pauses the proxy until <see cref="Resume"/>. A message that the proxy is forwarding at that moment is still
    /// forwarded.
    /// </summary>
    public void Pause() => _pause.Begin();

    /// <summary>Ends the pause.</summary>
    public void Resume() => _pause.Finish();

    /// <summary>
    /// Stops the proxy. The proxy has forwarded every message that it took; all other messages can still be received
    /// from the sockets.
    /// </summary>
    public async Task StopAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        await Completion.ConfigureAwait(false);
    }

    /// <summary>Stops the proxy. See <see cref="StopAsync"/>.</summary>
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

    private async Task CompleteAsync(List<Task> directions)
    {
        Task first = await Task.WhenAny(directions).ConfigureAwait(false);
        await first.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _stopping.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(directions).ConfigureAwait(false);
    }

    private async Task RunCommandsAsync(MessageSocket control)
    {
        using var message = new ZeroMqMessage();
        try
        {
            while (true)
            {
                await control.Receiver.ReceiveAsync(message, _stopping.Token).ConfigureAwait(false);
                ReadOnlySpan<byte> command = message.Last;
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
