using System.Net.Security;

namespace Broker.Transport;

// A connection starts in clear, runs the handshake, and is then secured. During the handshake the handler gets no
// bytes, and flushed bytes wait in the queue.
public abstract partial class Connection
{
    private LoopTimer? _tlsTimer;
    private Action<Connection>? _onSecured;
    private bool _closeNotifySent;

    /// <summary>What TLS negotiated; null in clear and until the handshake has succeeded. Set on the loop.</summary>
    public TlsDescription? TlsDescription { get; private set; }

    private protected SecurityLayer? Layer => _outbound.Layer;

    /// <summary>Starts TLS as the server: the peer is expected to send the first message of the handshake.</summary>
    /// <param name="options">
    /// Passed to <see cref="SslStream"/> without a change. Their callbacks run on the thread pool and may block.
    /// </param>
    /// <param name="timeout">How long the handshake may take.</param>
    /// <param name="onSecured">
    /// Called on the loop once the handshake has succeeded, before the handler is given the first decrypted bytes.
    /// </param>
    /// <inheritdoc cref="StartTls(SslClientAuthenticationOptions, TimeSpan, Action{Connection})"
    /// path="/remarks|/exception"/>
    public void StartTls(SslServerAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(options);
        BeginTls(ssl => ssl.AuthenticateAsServerAsync(options), timeout, onSecured);
    }

    /// <summary>Starts TLS as the client.</summary>
    /// <param name="options">
    /// Passed to <see cref="SslStream"/> without a change. Their callbacks run on the thread pool and may block.
    /// </param>
    /// <param name="timeout">How long the handshake may take.</param>
    /// <param name="onSecured">
    /// Called on the loop once the handshake has succeeded, before the handler is given the first decrypted bytes.
    /// </param>
    /// <remarks>
    /// <para>Call it once, on the connection's loop: in <see cref="ConnectionHandler.OnOpened"/> for TLS from the
    /// first byte, in <see cref="ConnectionHandler.OnReceived"/> if the protocol starts in clear, or from an action
    /// posted to the loop. The same handler continues.</para>
    /// <para>Bytes that this loop wrote before the call, and bytes that were flushed before it, leave in clear, ahead
    /// of the handshake; they no longer count as pending. Later bytes are encrypted, and wait until the handshake has
    /// succeeded.</para>
    /// <para>Received bytes that the handler has not consumed belong to the handshake, including those that the
    /// current call leaves. They never reach the handler: if a peer or an attacker on the path sends plaintext ahead
    /// of the handshake, the handshake fails (the injection of RFC 3207 section 6).</para>
    /// <para>If the handshake fails or takes too long, the connection closes with <see cref="CloseReason.Error"/> and
    /// the exception, after the peer was sent the TLS alert.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on the loop, or TLS was started already.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// The connection is an in-process link, which carries no bytes out of the process.
    /// </exception>
    public void StartTls(SslClientAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(options);
        BeginTls(ssl => ssl.AuthenticateAsClientAsync(options), timeout, onSecured);
    }

    internal void PostTlsStarved() => Loop.Post(OnTlsStarved);

    /// <summary>Sends ciphertext that TLS itself produced. On the thread that runs the handshake or reads.</summary>
    internal void SendCiphertext(Block block) => _outbound.SendCiphertext(block, Loop.Group.Current);

    private protected virtual bool CanCarryLayers => false;

    /// <summary>
    /// Passes the received, unconsumed bytes to the layer. On the loop, possibly in a call of the handler.
    /// </summary>
    private protected virtual void OnLayerInserted()
    {
    }

    /// <summary>Decrypts and delivers the bytes that were received before the layer was ready. On the loop.</summary>
    private protected virtual void OnLayerSecured(SecurityLayer layer)
    {
    }

    /// <summary>The handshake has used all received bytes. On the loop.</summary>
    private protected virtual void OnTlsStarved()
    {
    }

    /// <summary>
    /// The peer's stream ended during the handshake. The handshake now fails with its own error. On the loop.
    /// </summary>
    private protected void EndWhileHandshaking(SecurityLayer layer)
    {
        _peerEnded = true;
        lock (QueueGate)
        {
            StopReceiving();
        }

        layer.EndHandshakeFeed();
    }

    private void BeginTls(Func<SslStream, Task> authenticate, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(onSecured);
        if (!Loop.IsCurrent || Layer is not null)
        {
            throw new InvalidOperationException("TLS is started once, on the connection's loop, and not under records.");
        }

        if (!CanCarryLayers)
        {
            throw new NotSupportedException("An in-process link does not carry TLS.");
        }

        if (!IsOpen)
        {
            return;
        }

        if (_writeBuffers[Loop.Index] is { Length: > 0 } buffer)
        {
            FlushBuffer(buffer, Loop);
        }

        var tls = new TlsLayer(this);
        _onSecured = onSecured;
        _outbound.Insert(tls);
        _tlsTimer = Loop.StartTimer(timeout, () => EndHandshake(new TimeoutException("The handshake of TLS took too long.")));
        OnLayerInserted();
        tls.Start(authenticate, error => Loop.Post(() => EndHandshake(error)));
    }

    private void EndHandshake(Exception? error)
    {
        var tls = (TlsLayer)Layer!;
        if (!IsOpen || tls.IsSecured)
        {
            return;
        }

        _tlsTimer?.Cancel();
        if (error is not null)
        {
            FailHandshake(error);
            return;
        }

        _outbound.Secure();

        try
        {
            TlsDescription = tls.Describe();
            _onSecured!(this);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }

        _onSecured = null;
        if (!IsClosed)
        {
            _outbound.Resume(Loop);
            OnLayerSecured(tls);
        }
    }

    private void FailHandshake(Exception error)
    {
        _reason = CloseReason.Error;
        _error = error;
        _outbound.CompleteAdding();
        _state = StateFlushing;
        Layer!.Abort(error);
        // Receiving continues, and the bytes are dropped: unread input would cause a reset, and the peer could lose
        // the alert.
        ClearPauses();
        _lingerTimer = Loop.StartTimer(PeerGrace, Finish);
        AdvanceLinger();
    }

    /// <summary>
    /// Sends the TLS alert that ends this side's direction (close_notify). On the loop. Returns false if another
    /// thread is sending; the caller tries again later.
    /// </summary>
    private bool TrySendCloseNotify()
    {
        if (_closeNotifySent || Layer is not { IsSecured: true, HasCloseNotify: true } layer)
        {
            return true;
        }

        if (!_outbound.TryBeginAddition())
        {
            return false;
        }

        _closeNotifySent = true;
        layer.EncryptCloseNotify(Loop);
        _outbound.EndAddition();
        return true;
    }
}
