namespace Broker.Transport;

/// <summary>
/// Encrypts and decrypts between a connection and its transport: TLS, or the records of a protocol with its own
/// encryption. The connection sees plain bytes, and the transport sees ciphertext.
/// </summary>
/// <remarks>
/// Only the connection's loop reads. The thread that has the right to send writes, as without a layer. So there is one
/// reader and one writer at a time.
/// </remarks>
internal abstract partial class SecurityLayer
{
    private protected SecurityLayer(Connection connection) => Connection = connection;

    /// <summary>Whether the layer can encrypt and decrypt now. Set on the loop, under the lock of the queue.</summary>
    internal abstract bool IsSecured { get; }

    /// <summary>Whether the layer has to wait for the peer before it can encrypt and decrypt.</summary>
    internal virtual bool AwaitsPeer => true;

    /// <summary>Whether a message of the layer itself ends this side's direction (close_notify in TLS).</summary>
    internal virtual bool HasCloseNotify => false;

    /// <summary>
    /// Whether the message that ends this side's direction was encrypted and added to the ciphertext. On the loop.
    /// </summary>
    internal bool IsCloseNotifySent { get; set; }

    /// <summary>
    /// The reason of a failed send or receive, if the layer has failed. Null if the transport has failed.
    /// </summary>
    internal Exception? Fault { get; private protected set; }

    private protected Connection Connection { get; }

    /// <summary>The number of bytes of an incomplete record that the layer keeps. On the loop.</summary>
    internal virtual int KeptBytes => 0;

    /// <summary>Makes the layer encrypt and decrypt from now on. On the loop, under the lock of the queue.</summary>
    internal abstract void Secure();

    /// <summary>Makes a running handshake fail. On the loop.</summary>
    internal abstract void Abort(Exception error);

    /// <summary>
    /// Adds a copy of received bytes while the layer is not secured. Returns the number of bytes that the layer has not
    /// used yet. On the loop.
    /// </summary>
    internal abstract int FeedHandshake(ReadOnlySpan<byte> bytes);

    /// <summary>Called when the peer has ended its stream while the layer was not secured. On the loop.</summary>
    internal abstract void EndHandshakeFeed();

    /// <summary>
    /// Lends the first <paramref name="count"/> bytes of a buffer to the layer until <see cref="EndFeed"/>. A count of
    /// 0 means the end of the stream. On the loop.
    /// </summary>
    internal abstract void Feed(byte[] wire, int count);

    /// <summary>Ends the loan of the buffer. The layer copies unread bytes. On the loop.</summary>
    internal abstract void EndFeed();

    /// <summary>
    /// Whether <see cref="Read"/> would return something: bytes, the end of the stream, or a failure. On the loop.
    /// </summary>
    internal abstract bool IsReadable();

    /// <summary>
    /// Decrypts as many bytes as have arrived and fit into the buffer. Must be called after <see cref="IsReadable"/>,
    /// on the loop.
    /// </summary>
    internal abstract int Read(Memory<byte> buffer, out ReceiveOutcome outcome);

    /// <summary>
    /// Appends the message that ends this side's direction to the ciphertext. With the right to send.
    /// </summary>
    internal virtual void EncryptCloseNotify(EventLoop loop)
    {
    }

    /// <summary>Releases the layer's memory. On the loop, when no thread sends any more.</summary>
    internal abstract void Dispose();
}
