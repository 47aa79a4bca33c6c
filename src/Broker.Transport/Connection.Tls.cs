using System.Net.Security;
using Broker.Transport.Buffers;
using Broker.Transport.Tls;
using Broker.Transport.Wire;

namespace Broker.Transport;

// Open in clear → handshake → secured. In the handshake nothing is given to the handler, and what is handed over waits in the queue.
public abstract partial class Connection
{
    private LoopTimer? _tlsTimer;
    private Action<Connection>? _onSecured;
    private bool _goodbyeSaid;

    /// <summary>What TLS negotiated; null in clear and until the handshake has succeeded. Set on the loop.</summary>
    public TlsFacts? TlsFacts { get; private set; }

    private protected WireLayer? Layer => _outbound.Layer;

    /// <summary>Goes over to TLS as the server: the peer is expected to say hello.</summary>
    /// <param name="options">
    /// Handed to <see cref="SslStream"/> as they are and not changed. Their callbacks run on the thread pool and may block.
    /// </param>
    /// <param name="timeout">How long the handshake may take.</param>
    /// <param name="onSecured">
    /// Called on the loop once the handshake has succeeded, before the handler is given the first decrypted bytes.
    /// </param>
    /// <inheritdoc cref="StartTls(SslClientAuthenticationOptions, TimeSpan, Action{Connection})" path="/remarks|/exception"/>
    public void StartTls(SslServerAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(options);
        BeginTls(ssl => ssl.AuthenticateAsServerAsync(options), timeout, onSecured);
    }

    /// <summary>Goes over to TLS as the client.</summary>
    /// <param name="options">
    /// Handed to <see cref="SslStream"/> as they are and not changed. Their callbacks run on the thread pool and may block.
    /// </param>
    /// <param name="timeout">How long the handshake may take.</param>
    /// <param name="onSecured">
    /// Called on the loop once the handshake has succeeded, before the handler is given the first decrypted bytes.
    /// </param>
    /// <remarks>
    /// <para>Call it on the connection's loop, once: in <see cref="ConnectionHandler.OnOpened"/> for TLS from the first byte,
    /// in <see cref="ConnectionHandler.OnReceived"/> where the protocol starts in clear, or from an action posted to the loop.
    /// The same handler goes on.</para>
    /// <para>What this loop has staged before the call, and what was handed over, leaves in clear, ahead of the
    /// handshake; it no longer counts as pending. Everything later is encrypted, and waits until the handshake has succeeded.</para>
    /// <para>Received bytes that the handler has not consumed, including those that the call under way does not
    /// consume, belong to the handshake. They never reach the handler: a peer, or somebody between, that sends
    /// plaintext ahead of the handshake makes it fail (the injection of RFC 3207 section 6).</para>
    /// <para>A handshake that fails or is late closes the connection with <see cref="CloseReason.Error"/> and the exception, after
    /// the peer was sent the alert.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">Not on the loop, or TLS was started already.</exception>
    /// <exception cref="NotSupportedException">An in-process link, which carries no bytes out of the process.</exception>
    public void StartTls(SslClientAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
    {
        ArgumentNullException.ThrowIfNull(options);
        BeginTls(ssl => ssl.AuthenticateAsClientAsync(options), timeout, onSecured);
    }

    internal void PostTlsStarved() => Loop.Post(OnTlsStarved);

    /// <summary>Ciphertext that is the protocol's own, from the thread that runs the handshake or reads.</summary>
    internal void PostWire(Block block) => _outbound.SendWire(block, Loop.Group.Current);

    private protected virtual bool CanCarryLayers => false;

    /// <summary>What was received and not consumed goes to the layer. On the loop, maybe in a call of the handler.</summary>
    private protected virtual void OnLayerInserted()
    {
    }

    /// <summary>Decrypts and delivers what came before bytes were carried. On the loop.</summary>
    private protected virtual void OnLayerSecured(WireLayer layer)
    {
    }

    /// <summary>The handshake has used up what was received. On the loop.</summary>
    private protected virtual void OnTlsStarved()
    {
    }

    /// <summary>The peer's stream ended in the handshake, which now fails and says how. On the loop.</summary>
    private protected void EndWhileHandshaking(WireLayer layer)
    {
        _peerEnded = true;
        lock (WatchGate)
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

        if (_stages[Loop.Index] is { Length: > 0 } stage)
        {
            TakeOver(stage, Loop);
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
            TlsFacts = tls.Facts();
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
        _outbound.Seal();
        _state = StateFlushing;
        Layer!.Abort(error);
        // Read on, to throw it away: the alert that says why must not be lost to the reset that unread input would cause.
        LiftHolds();
        _lingerTimer = Loop.StartTimer(PeerGrace, Finish);
        AdvanceLinger();
    }

    /// <summary>Sends the alert that closes our direction (close_notify). On the loop. False when it has to wait for another sender.</summary>
    private bool SayGoodbye()
    {
        if (_goodbyeSaid || Layer is not { IsSecured: true, SaysGoodbye: true } layer)
        {
            return true;
        }

        if (!_outbound.TryBeginAddition())
        {
            return false;
        }

        _goodbyeSaid = true;
        layer.EncryptGoodbye(Loop);
        _outbound.EndAddition();
        return true;
    }
}
