using System.Net;
using System.Net.Security;

namespace Broker.Transport;

/// <summary>
/// One established byte stream, owned by one <see cref="EventLoop"/>: a socket or one end of an in-process link.
/// </summary>
/// <remarks>
/// <para>Received bytes go to the <see cref="ConnectionHandler"/> on the owning loop's thread. Any loop of the group
/// writes outbound bytes into an <see cref="LoopWriteBuffer"/> of its own for each connection; other threads write into
/// <see cref="ExternalWriteBuffer"/>. A loop flushes its write buffers at the end of each iteration. The connection
/// sends flushed bytes at once if nothing is queued, and otherwise as the peer accepts them. No thread ever waits for
/// a peer: bytes that cannot be sent are queued up to <see cref="MaxPendingBytes"/>; beyond that the connection is
/// closed with <see cref="CloseReason.QueueFull"/>.</para>
/// <para>The bytes of one write buffer are sent in order and are not mixed with others. Buffers are sent in the order
/// of their flushes.</para>
/// </remarks>
public abstract partial class Connection
{
    /// <summary>The loop on whose thread the handler is called.</summary>
    public EventLoop Loop { get; }

    /// <summary>The handler of this connection's protocol.</summary>
    public ConnectionHandler Handler { get; }

    /// <summary>The peer's address; null if the transport has no addresses.</summary>
    public abstract EndPoint? RemoteEndPoint { get; }

    /// <summary>Whether the connection still carries bytes; false as soon as either side has ended it.</summary>
    public bool IsOpen => _lifecycle.IsOpen;

    /// <summary>What TLS negotiated; null in clear and until the handshake has succeeded. Set on the loop.</summary>
    public TlsDescription? TlsDescription { get; internal set; }

    /// <summary>
    /// Whether the next bytes are likely to come within some microseconds, so that the loop polls a few times
    /// (<see cref="EventLoopOptions.IdlePolls"/>) before its thread sleeps. A loop without such a connection does not
    /// spin, and leaves the processor to other programs. Default true. On the loop's thread, from
    /// <see cref="ConnectionHandler.OnOpened"/> on.
    /// </summary>
    public bool SpinBeforeSleep
    {
        get => _spinning.IsWanted;
        set => _spinning.Set(value, Loop);
    }

    /// <summary>
    /// How much memory may wait for the peer, measured as <see cref="BufferedBytes"/>. If more waits, the connection is
    /// closed with <see cref="CloseReason.QueueFull"/>. Default 64 MiB.
    /// </summary>
    public long MaxPendingBytes
    {
        get => Outbound.Marks.MaxPendingBytes;
        set => Outbound.Marks.MaxPendingBytes = value;
    }

    /// <summary>
    /// A mark below <see cref="MaxPendingBytes"/> at which a writer may continue.
    /// <see cref="ConnectionHandler.OnLowWater"/> is called once when <see cref="BufferedBytes"/> falls to the mark or
    /// below it, after a flush had raised it above the mark or after it was above the mark when the mark was set. 0,
    /// the default, for no mark. Any thread.
    /// </summary>
    /// <remarks>
    /// While the queue shrinks, the amount of ciphertext changes and may raise <see cref="BufferedBytes"/> above the
    /// mark again after the call. The handler is not called a second time for this, unless
    /// <see cref="RequestLowWater"/> asks for it.
    /// </remarks>
    public long LowWaterBytes
    {
        get => Outbound.Marks.LowWaterBytes;
        set => Outbound.Marks.LowWaterBytes = value;
    }

    /// <summary>
    /// A mark below <see cref="MaxPendingBytes"/> above which writers should write less. The connection only reports
    /// it: by <see cref="IsAboveHighWater"/>, and to a loop that writes by
    /// <see cref="EventLoop.WritesAboveHighWater"/>. 0, the default, for no mark. Any thread.
    /// </summary>
    public long HighWaterBytes
    {
        get => Outbound.Marks.HighWaterBytes;
        set => Outbound.Marks.HighWaterBytes = value;
    }

    /// <summary>
    /// Whether <see cref="BufferedBytes"/> was above <see cref="HighWaterBytes"/> after the last flush or send. Any
    /// thread; the value may change at once.
    /// </summary>
    public bool IsAboveHighWater { get; internal set; }

    /// <summary>
    /// How long the peer may accept no bytes while bytes wait for it. Default 10 s;
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit. The value is read when the queue first has to wait for the
    /// peer.
    /// </summary>
    public TimeSpan WriteDeadline
    {
        get => Outbound.Deadline.Limit;
        set => Outbound.Deadline.Limit = value;
    }

    /// <summary>
    /// Finds where messages begin and end in the bytes written to this connection, for <see cref="DropOldest"/> and
    /// <see cref="CountUnsent"/>. Set it before the first message is written. If it is null, the default, the
    /// connection does not distinguish messages.
    /// </summary>
    public IOutboundFraming? Framing
    {
        get => Outbound.Messages.Framing;
        set => Outbound.Messages.Framing = value;
    }

    /// <summary>
    /// The number of bytes that were flushed and that neither the kernel nor the in-process peer has accepted yet. Any
    /// thread; the value may change at once.
    /// </summary>
    public long PendingBytes => Outbound.Queue.PendingBytes;

    /// <summary>
    /// The memory that waits for the peer: <see cref="PendingBytes"/>, the unused space between them, and their
    /// ciphertext. The queue uses at most the unused parts of two blocks beyond that. Any thread; the value may change
    /// at once.
    /// </summary>
    public long BufferedBytes => Outbound.Queue.BufferedBytes;

    /// <summary>The number of bytes that the kernel or the in-process peer has accepted so far. Any thread.</summary>
    public long SentBytes => Outbound.Queue.SentBytes;

    /// <summary>
    /// All bytes flushed so far and not dropped: the sum of <see cref="SentBytes"/> and <see cref="PendingBytes"/> at
    /// one moment. Any thread; takes the lock of the queue.
    /// </summary>
    public long FlushedBytes => Outbound.Queue.FlushedBytes;

    /// <summary>
    /// The write buffer for threads that are not loops of this group. Its users exclude each other with a lock of
    /// their own, and call <see cref="FlushExternal"/> under the same lock.
    /// </summary>
    public LoopWriteBuffer ExternalWriteBuffer => _writeBuffers.GetExternal(this);

    /// <summary>
    /// Returns the write buffer of <paramref name="loop"/> for this connection. Call it on that loop's thread;
    /// <paramref name="loop"/> must be of the same group as <see cref="Loop"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The loop is of another group.</exception>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on that loop's thread. Checked when a buffer is created and at the first write of each
    /// iteration.
    /// </exception>
    public LoopWriteBuffer GetWriteBuffer(EventLoop loop) => _writeBuffers.Get(this, loop);

    /// <summary>
    /// The number of bytes that <paramref name="loop"/> has written for this connection and not flushed yet. On that
    /// loop's thread.
    /// </summary>
    public long GetUnflushedBytes(EventLoop loop)
        => _writeBuffers.GetWritten(loop)?.Length ?? 0;

    /// <summary>
    /// Flushes and sends what <paramref name="loop"/> has written for this connection, before the end of the loop's
    /// iteration: for a writer that wants to know how much the peer accepts. On that loop's thread. No handler method
    /// is called except <see cref="ConnectionHandler.OnDiscarded"/>.
    /// </summary>
    public void Flush(EventLoop loop) => _writeBuffers.Flush(loop, Sender);

    /// <summary>
    /// Flushes what was written to <see cref="ExternalWriteBuffer"/> and sends it on the caller's thread.
    /// </summary>
    public void FlushExternal() => _writeBuffers.FlushExternal(Sender);

    /// <summary>
    /// Closes the connection. With a linger time, bytes that were flushed, and bytes that the caller's loop has
    /// written, are still sent for at most <paramref name="linger"/>; then the peer sees the end of the stream. Bytes
    /// that are flushed later are dropped. Without a linger time, queued bytes are dropped too. The handler gets no
    /// more calls except <see cref="ConnectionHandler.OnClosed"/>. Any thread.
    /// </summary>
    public void Close(TimeSpan linger = default) => ClosingProcedure.Request(this, linger);

    /// <summary>
    /// Closes the connection with <see cref="CloseReason.QueueFull"/> and drops what is queued: for a limit that the
    /// caller checks itself, for example over several connections. Any thread.
    /// </summary>
    public void CloseForFullQueue() => Loop.PostClose(this, CloseReason.QueueFull);

    /// <summary>
    /// Makes the kernel probe a silent peer, and close the connection if the peer does not answer: for peers that the
    /// protocol cannot ping. Without effect if the connection is not TCP.
    /// </summary>
    /// <param name="idle">The silence before the first probe; whole seconds, at least one.</param>
    /// <param name="interval">The wait between probes; whole seconds, at least one.</param>
    /// <param name="probes">How many unanswered probes close the connection.</param>
    public virtual void KeepAlive(TimeSpan idle, TimeSpan interval, int probes)
    {
    }

    /// <summary>
    /// Sets options of the system's socket. Without effect if the connection has none; the type of service is only for
    /// TCP.
    /// </summary>
    /// <param name="sendBuffer">The size of the kernel's send buffer in bytes; null keeps the system's.</param>
    /// <param name="receiveBuffer">The size of the kernel's receive buffer in bytes; null keeps the system's.</param>
    /// <param name="typeOfService">The byte of that name in each IP packet; null keeps the system's.</param>
    public virtual void Tune(int? sendBuffer, int? receiveBuffer, int? typeOfService)
    {
    }

    /// <summary>
    /// Prepares the system for <see cref="HasVanished"/>: the kernel sends again often enough that a peer that has
    /// vanished can be distinguished from a slow one within <paramref name="timeout"/>. Without effect if the connection
    /// is not TCP.
    /// </summary>
    /// <remarks>
    /// On Linux since 6.15 this limits the wait between two retransmissions and between two probes of a full peer to a
    /// third of the time, but to one second at least (<c>TCP_RTO_MAX_MS</c>). On Windows it sets <c>TCP_MAXRT</c>, so
    /// that the system itself closes the connection; this is not tested.
    /// </remarks>
    /// <param name="timeout">The time that will be given to <see cref="HasVanished"/>.</param>
    public virtual void DetectVanished(TimeSpan timeout)
    {
    }

    /// <summary>
    /// Whether bytes wait for the peer and its system has acknowledged nothing for <paramref name="timeout"/>, although
    /// the kernel has sent again at least twice. It is false for a peer that only accepts no data: its system still
    /// acknowledges. A system call; for a timer. Linux and TCP only; otherwise false.
    /// </summary>
    /// <param name="timeout">How long nothing was acknowledged.</param>
    public virtual bool HasVanished(TimeSpan timeout) => false;

    /// <summary>
    /// Asks for one call of <see cref="ConnectionHandler.OnLowWater"/>, which is made if the connection stays open:
    /// when <see cref="BufferedBytes"/> next falls to <see cref="LowWaterBytes"/>, or, if it is not above that now, as
    /// soon as nothing waits for the peer. For a writer that found no space and waits for the call: its message may be
    /// too large for the space above the mark. Any thread.
    /// </summary>
    public void RequestLowWater() => Outbound.Marks.RequestLowWater();

    /// <summary>
    /// Drops the messages that have waited longest, until <paramref name="bytes"/> bytes are dropped or no more can be
    /// dropped. Blocks that are partly sent, partly encrypted or being sent are kept, so the peer never receives a
    /// part of a message. Without a <see cref="Framing"/> nothing is dropped. Any thread of the group.
    /// </summary>
    /// <param name="bytes">How many bytes to drop, if that many can be dropped.</param>
    /// <param name="loop">The caller's loop; it gets the blocks back.</param>
    /// <returns>The dropped messages and bytes.</returns>
    public OutboundCount DropOldest(long bytes, EventLoop loop) => Outbound.Messages.Drop(bytes, loop);

    /// <summary>
    /// Counts what was flushed and could not be sent, including what was flushed after <see cref="MaxPendingBytes"/>
    /// had been reached. Encrypted bytes count as unsent unless their whole chunk (at most 64 KiB) was sent. Call it
    /// in <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    public OutboundCount CountUnsent() => Outbound.Messages.CountUnsent();

    /// <summary>
    /// Counts what is queued and was certainly not sent completely. It does not count encrypted bytes, which may have
    /// been sent in part, nor bytes that a running send may have sent, nor discarded bytes
    /// (<see cref="ConnectionHandler.OnDiscarded"/>). Call it in <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    public OutboundCount CountCertainlyUnsent() => Outbound.Messages.CountCertainlyUnsent();

    /// <summary>
    /// Removes the messages that were written on this connection's loop and can no longer be sent, so that the caller
    /// can send them elsewhere. It returns whole messages as <see cref="Framing"/> divides them, oldest first,
    /// including a message whose first part was sent, but not bytes that the system may have sent. Call it in
    /// <see cref="ConnectionHandler.OnClosed"/>. These messages are not reported as discarded.
    /// </summary>
    public void TakeUnsent(IUnsentMessages unsent) => _writeBuffers.TakeUnsent(this, unsent);

    /// <summary>Starts TLS as the server: the peer is expected to send the first message of the handshake.</summary>
    /// <inheritdoc cref="StartTls(SslClientAuthenticationOptions, TimeSpan, Action{Connection})"
    /// path="/param|/remarks|/exception"/>
    public void StartTls(SslServerAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
        => SecurityUpgrade.StartTls(this, options, timeout, onSecured);

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
    /// <para>Bytes that this loop wrote before the call, and bytes that were flushed before it, are sent unencrypted,
    /// before the handshake; they no longer count as pending. Later bytes are encrypted, and wait until the handshake
    /// has succeeded.</para>
    /// <para>Received bytes that the handler has not consumed belong to the handshake, including those that the
    /// current call leaves. They never reach the handler: if a peer or an attacker on the path sends plaintext ahead
    /// of the handshake, the handshake fails (the injection of RFC 3207 section 6).</para>
    /// <para>If the handshake fails or takes too long, the connection closes with <see cref="CloseReason.Error"/> and
    /// the exception, after the TLS alert was sent to the peer.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on the loop, or TLS was started already.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// The connection is an in-process link, which carries no bytes out of the process.
    /// </exception>
    public void StartTls(SslClientAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
        => SecurityUpgrade.StartTls(this, options, timeout, onSecured);

    /// <summary>
    /// From now on, <paramref name="cipher"/> encrypts written bytes into records and decrypts received records. The
    /// connection disposes the cipher. Call it once, on the loop, in <see cref="ConnectionHandler.OnReceived"/> or
    /// from an action posted to the loop.
    /// </summary>
    /// <remarks>
    /// Bytes that this loop wrote before the call, and bytes that were flushed before it, are sent unchanged, before
    /// the first record. Received bytes that the handler has not consumed are treated as records, including those that
    /// the current call leaves. If the cipher rejects a record, the connection closes with
    /// <see cref="CloseReason.Error"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on the loop, or the connection has TLS or a cipher already.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// The connection is an in-process link, which carries no bytes out of the process.
    /// </exception>
    public void StartRecords(RecordCipher cipher) => SecurityUpgrade.StartRecords(this, cipher);
}
