namespace Broker.Transport.Wire;

/// <summary>
/// What stands between a connection and its transport and changes the bytes: TLS, or a protocol's own records. Plain bytes on the
/// connection's side, the <em>wire</em>'s bytes on the transport's.
/// </summary>
/// <remarks>
/// Reading happens on the connection's loop only, and writing on whatever thread has the right to send, as in clear: one
/// reader and one writer at a time.
/// </remarks>
internal abstract partial class SecurityLayer
{
    private protected SecurityLayer(Connection connection) => Connection = connection;

    /// <summary>Whether bytes are carried. Set on the loop, under the connection's gate.</summary>
    internal abstract bool IsSecured { get; }

    /// <summary>Whether it is the peer that must do something before bytes are carried.</summary>
    internal virtual bool AwaitsPeer => true;

    /// <summary>Whether our direction ends with words of the layer's own.</summary>
    internal virtual bool HasCloseNotify => false;

    /// <summary>Why sending or receiving failed, where it was the layer that failed.</summary>
    internal Exception? Fault { get; private protected set; }

    private protected Connection Connection { get; }

    /// <summary>From now on bytes are carried. On the loop, under the connection's gate.</summary>
    internal abstract void Secure();

    /// <summary>A handshake under way fails. On the loop.</summary>
    internal abstract void Abort(Exception error);

    /// <summary>Gives bytes of the wire before bytes are carried; they are copied. Returns how many wait. On the loop.</summary>
    internal abstract int FeedHandshake(ReadOnlySpan<byte> bytes);

    /// <summary>The peer ended its stream before bytes are carried. On the loop.</summary>
    internal abstract void EndHandshakeFeed();

    /// <summary>Lends the first bytes of a buffer until <see cref="EndFeed"/>; none at the end of the stream. On the loop.</summary>
    internal abstract void Feed(byte[] wire, int count);

    /// <summary>The buffer is the loop's again: what was not read is kept. On the loop.</summary>
    internal abstract void EndFeed();

    /// <summary>Whether <see cref="Read"/> has something to say: bytes, the end of the stream or a failure. On the loop.</summary>
    internal abstract bool IsReadable();

    /// <summary>Gives as many plain bytes as there are and fit. After <see cref="IsReadable"/>, on the loop.</summary>
    internal abstract int Read(Memory<byte> buffer, out ReceiveOutcome outcome);

    /// <summary>Adds what ends our direction to what waits. With the right to send.</summary>
    internal virtual void EncryptCloseNotify(EventLoop loop)
    {
    }

    /// <summary>Ends it all. On the loop, when nobody sends any more.</summary>
    internal abstract void Dispose();
}
