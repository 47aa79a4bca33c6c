using System.Net;
using System.Net.Security;

namespace Broker.Transport;

/// <summary>
/// One established byte stream, owned by one <see cref="EventLoop"/>: a socket, a pipe, or one end of an in-process
/// link.
/// </summary>
/// <remarks>
/// <para>Received bytes go to the <see cref="ConnectionHandler"/> on the owning loop's thread. For each connection, any
/// loop of the group can have its own <see cref="LoopWriteBuffer"/>, into which it writes outbound bytes. Other threads
/// write into <see cref="ExternalWriteBuffer"/>. A loop flushes its write buffers at the end of each iteration. If the
/// queue is empty, the connection sends flushed bytes at once. Otherwise it sends them as the peer accepts bytes. No
/// thread ever waits for a peer: bytes that cannot be sent are queued up to <see cref="MaxPendingBytes"/>. If more
/// bytes wait, the connection is closed with <see cref="CloseReason.QueueFull"/>.</para>
/// <para>The bytes of one write buffer are sent in order and are not mixed with the bytes of another buffer. Buffers
/// are sent in the order of their flushes.</para>
/// </remarks>
public abstract partial class Connection
{
    /// <summary>The loop on whose thread the handler is called.</summary>
    public EventLoop Loop { get; }

    /// <summary>The handler of this connection's protocol.</summary>
    public ConnectionHandler Handler { get; }

    /// <summary>The peer's address; null if the transport has no addresses.</summary>
    public abstract EndPoint? RemoteEndPoint { get; }

    /// <summary>Whether the connection still carries bytes: neither side has ended it.</summary>
    public bool IsOpen => _lifecycle.IsOpen;

    /// <summary>The result of the TLS handshake; null until it has succeeded. Set on the loop.</summary>
    public TlsDescription? TlsDescription { get; internal set; }

    /// <summary>
    /// Whether the next bytes are likely to come within some microseconds. If so, the loop polls a few times
    /// (<see cref="EventLoopOptions.IdlePolls"/>) before its thread sleeps. A loop without such a connection does not
    /// spin, and leaves the processor to other programs. Default: true. On the loop's thread, from
    /// <see cref="ConnectionHandler.OnOpened"/> on.
    /// </summary>
    public bool SpinBeforeSleep
    {
        get => _spinning.IsWanted;
        set => _spinning.Set(value, Loop);
    }

    /// <summary>
    /// The limit on the memory that waits for the peer, which <see cref="BufferedBytes"/> measures. If more memory
    /// waits, the connection is closed with <see cref="CloseReason.QueueFull"/>. Default: 64 MiB.
    /// </summary>
    public long MaxPendingBytes
    {
        get => Outbound.Marks.MaxPendingBytes;
        set => Outbound.Marks.MaxPendingBytes = value;
    }

    /// <summary>
    /// A mark below <see cref="MaxPendingBytes"/> at which a writer may continue. When <see cref="BufferedBytes"/>
    /// falls from above the mark to the mark or below it, <see cref="ConnectionHandler.OnLowWater"/> is called once. 0,
    /// the default, means no mark. Any thread.
    /// </summary>
    /// <remarks>
    /// While the queue shrinks, the amount of ciphertext changes. So <see cref="BufferedBytes"/> may rise above the
    /// mark again after the call, without a new flush. The handler is not called a second time for this, unless
    /// <see cref="RequestLowWater"/> asks for it.
    /// </remarks>
    public long LowWaterBytes
    {
        get => Outbound.Marks.LowWaterBytes;
        set => Outbound.Marks.LowWaterBytes = value;
    }

    /// <summary>
    /// A mark below <see cref="MaxPendingBytes"/>. Above the mark, writers should write less. The connection only
    /// reports this: by <see cref="IsAboveHighWater"/>, and by <see cref="EventLoop.WritesAboveHighWater"/> of the loop
    /// that writes. 0, the default, means no mark. Any thread.
    /// </summary>
    public long HighWaterBytes
    {
        get => Outbound.Marks.HighWaterBytes;
        set => Outbound.Marks.HighWaterBytes = value;
    }

    /// <summary>
    /// Whether <see cref="BufferedBytes"/> was above <see cref="HighWaterBytes"/> after the last flush or send. Any
    /// thread. The value may change at any time.
    /// </summary>
    public bool IsAboveHighWater { get; internal set; }

    /// <summary>
    /// The longest time in which the peer may accept no bytes while bytes wait for it. Default: 10 s.
    /// <see cref="Timeout.InfiniteTimeSpan"/> means no limit. The value is read when the queue begins to wait.
    /// </summary>
    public TimeSpan WriteDeadline
    {
        get => Outbound.Deadline.Limit;
        set => Outbound.Deadline.Limit = value;
    }

    /// <summary>
    /// Finds the start and the end of each message in the written bytes, for <see cref="DropOldest"/> and
    /// <see cref="CountUnsent"/>. Set it before the first message is written. If it is null, the default, the
    /// connection does not distinguish messages.
    /// </summary>
    public IOutboundFraming? Framing
    {
        get => Outbound.Messages.Framing;
        set => Outbound.Messages.Framing = value;
    }

    /// <summary>
    /// The number of bytes that were flushed but not yet accepted by the kernel or the in-process peer. Any thread. The
    /// value may change at any time.
    /// </summary>
    public long PendingBytes => Outbound.Queue.PendingBytes;

    /// <summary>
    /// The memory that waits for the peer: <see cref="PendingBytes"/>, the unused space between these bytes, and their
    /// ciphertext. The queue uses at most the unused parts of two blocks in addition. Any thread; it may change at
    /// once.
    /// </summary>
    public long BufferedBytes => Outbound.Queue.BufferedBytes;

    /// <summary>The number of bytes that the kernel or the in-process peer has accepted so far. Any thread.</summary>
    public long SentBytes => Outbound.Queue.SentBytes;

    /// <summary>
    /// The number of bytes that were flushed so far and not dropped: the sum of <see cref="SentBytes"/> and
    /// <see cref="PendingBytes"/> at one moment. Any thread. The property takes the lock of the queue.
    /// </summary>
    public long FlushedBytes => Outbound.Queue.FlushedBytes;

    /// <summary>
    /// The write buffer for threads that are not loops of this group. These threads need a lock of their own, so that
    /// only one of them uses the buffer at a time. They call <see cref="FlushExternal"/> under the same lock.
    /// </summary>
    public LoopWriteBuffer ExternalWriteBuffer => _writeBuffers.GetExternal(this);

    /// <summary>
    /// Returns the write buffer of <paramref name="loop"/> for this connection. Call this method on the thread of that
    /// loop. The loop must be in the same group as <see cref="Loop"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The loop is in another group.</exception>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on the loop's thread. This is checked when a buffer is created, and at the first write of each
    /// iteration.
    /// </exception>
    public LoopWriteBuffer GetWriteBuffer(EventLoop loop) => _writeBuffers.Get(this, loop);

    /// <summary>
    /// The number of bytes that <paramref name="loop"/> has written for this connection and not flushed yet. On that
    /// loop's thread.
    /// </summary>
    public long GetUnflushedBytes(EventLoop loop) => _writeBuffers.GetWritten(loop)?.Length ?? 0;

    /// <summary>
    /// Flushes the bytes that <paramref name="loop"/> has written for this connection, and sends them, before the end
    /// of the loop's iteration. This is for a writer that wants to know how much the peer accepts. On that loop's
    /// thread. The only handler method that may be called is <see cref="ConnectionHandler.OnDiscarded"/>.
    /// </summary>
    public void Flush(EventLoop loop) => _writeBuffers.Flush(loop, Sender);

    /// <summary>Flushes the bytes in <see cref="ExternalWriteBuffer"/> and sends them on this thread.</summary>
    public void FlushExternal() => _writeBuffers.FlushExternal(Sender);

    /// <summary>
    /// Closes the connection. With a linger time, flushed bytes, and bytes that the caller's loop has written, are
    /// still sent for at most <paramref name="linger"/>. Then the peer sees the end of the stream. Bytes that are
    /// flushed later are dropped. Without a linger time, queued bytes are dropped too. The handler gets no more calls
    /// except <see cref="ConnectionHandler.OnClosed"/>. Any thread.
    /// </summary>
    public void Close(TimeSpan linger = default) => ClosingProcedure.Request(this, linger);

    /// <summary>
    /// Closes the connection for a limit that the caller checks: drops the queue and reports
    /// <see cref="CloseReason.QueueFull"/>. Any thread.
    /// </summary>
    public void CloseForFullQueue() => Loop.PostClose(this, CloseReason.QueueFull);

    /// <summary>
    /// Makes the kernel probe a silent TCP peer and close the connection without an answer. For protocols without a
    /// ping.
    /// </summary>
    /// <param name="idle">The silence before the first probe: whole seconds, at least one.</param>
    /// <param name="interval">The time between two probes: whole seconds, at least one.</param>
    /// <param name="probes">The number of unanswered probes after which the connection is closed.</param>
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
    /// vanished can be distinguished from a slow one within <paramref name="timeout"/>. Without effect if the
    /// connection is not TCP.
    /// </summary>
    /// <remarks>
    /// Linux since 6.15: this sets the longest time between two retransmissions, and between two probes of a peer whose
    /// window is full, to a third of <paramref name="timeout"/>, but to at least one second (<c>TCP_RTO_MAX_MS</c>).
    /// Windows: this sets <c>TCP_MAXRT</c>, so that the system itself closes the connection. It is not tested there.
    /// </remarks>
    /// <param name="timeout">The time that will be given to <see cref="HasVanished"/>.</param>
    public virtual void DetectVanished(TimeSpan timeout)
    {
    }

    /// <summary>
    /// Whether bytes wait for the peer and the peer's system has acknowledged nothing for <paramref name="timeout"/>,
    /// although the kernel has retransmitted at least twice. The result is false for a peer that only accepts no data,
    /// because its system still acknowledges. The method makes a system call, so call it in a timer. Linux and TCP
    /// only: otherwise the result is false.
    /// </summary>
    /// <param name="timeout">The time in which nothing was acknowledged.</param>
    public virtual bool HasVanished(TimeSpan timeout) => false;

    /// <summary>
    /// Asks for one call of <see cref="ConnectionHandler.OnLowWater"/>. If <see cref="BufferedBytes"/> is above
    /// <see cref="LowWaterBytes"/>, the call comes when it falls to this mark. Otherwise the call comes as soon as
    /// nothing waits for the peer. If the connection closes first, there is no call. Any thread.
    /// </summary>
    public void RequestLowWater() => Outbound.Marks.RequestLowWater();

    /// <summary>
    /// Drops the messages that have waited longest, until <paramref name="bytes"/> bytes are dropped or no more bytes
    /// can be dropped. Blocks that are partly sent, partly encrypted or being sent are kept, so the peer never receives
    /// only a part of a message. Without a <see cref="Framing"/>, nothing is dropped. Any thread of the group.
    /// </summary>
    /// <param name="bytes">The number of bytes to drop.</param>
    /// <param name="loop">The caller's loop. Its pool gets the dropped blocks.</param>
    /// <returns>The numbers of dropped messages and bytes.</returns>
    public OutboundCount DropOldest(long bytes, EventLoop loop) => Outbound.Messages.Drop(bytes, loop);

    /// <summary>
    /// Counts the messages and bytes that were flushed but could not be sent, even if they were flushed after
    /// <see cref="MaxPendingBytes"/> had been reached. Encrypted bytes count as unsent unless their whole chunk (at
    /// most 64 KiB) was sent. Call this method in <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    public OutboundCount CountUnsent() => Outbound.Messages.CountUnsent();

    /// <summary>
    /// Counts the queued messages and bytes that were certainly not sent completely. The following bytes do not count:
    /// encrypted bytes, which may have been sent in part; bytes that a running send may have sent; discarded bytes
    /// (<see cref="ConnectionHandler.OnDiscarded"/>). Call this method in <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    public OutboundCount CountCertainlyUnsent() => Outbound.Messages.CountCertainlyUnsent();

    /// <summary>
    /// Removes the messages that were written on this connection's loop and can no longer be sent. So the caller can
    /// send them elsewhere. The method passes whole messages, as <see cref="Framing"/> divides them, to
    /// <paramref name="unsent"/>, oldest first. A message whose first part was sent is included, but bytes that the
    /// system may have sent are not. Call this method in <see cref="ConnectionHandler.OnClosed"/>. The removed messages
    /// are not reported as discarded.
    /// </summary>
    public void TakeUnsent(IUnsentMessages unsent) => _writeBuffers.TakeUnsent(this, unsent);

    /// <summary>Starts TLS as the server. The peer then sends the first message of the handshake.</summary>
    /// <inheritdoc cref="StartTls(SslClientAuthenticationOptions, TimeSpan, Action{Connection})"
    /// path="/param|/remarks|/exception"/>
    public void StartTls(SslServerAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
        => SecurityUpgrade.StartTls(this, options, timeout, onSecured);

    /// <summary>Starts TLS as the server, with options that may take time to create.</summary>
    /// <param name="options">Called on the thread pool, and may block. Its callbacks run there too.</param>
    /// <param name="timeout">The time limit for the handshake.</param>
    /// <param name="onSecured">Called on the loop after the handshake, before the first decrypted bytes.</param>
    /// <inheritdoc cref="StartTls(SslClientAuthenticationOptions, TimeSpan, Action{Connection})"
    /// path="/remarks|/exception"/>
    public void StartTls(Func<SslServerAuthenticationOptions> options, TimeSpan timeout, Action<Connection> onSecured)
        => SecurityUpgrade.StartTls(this, options, timeout, onSecured);

    /// <summary>Starts TLS as the client.</summary>
    /// <param name="options">Used as they are. Their callbacks run on the thread pool and may block.</param>
    /// <param name="timeout">The time limit for the handshake.</param>
    /// <param name="onSecured">Called on the loop after the handshake, before the first decrypted bytes.</param>
    /// <remarks>
    /// <para>Call this method once, on the connection's loop: in <see cref="ConnectionHandler.OnOpened"/> for TLS from
    /// the first byte, in <see cref="ConnectionHandler.OnReceived"/> if the protocol starts without TLS, or in an
    /// action that was posted to the loop. The connection keeps its handler.</para>
    /// <para>Bytes that this loop wrote before the call, and bytes that were flushed before the call, are sent
    /// unencrypted, before the handshake. They no longer count as pending. Later bytes are encrypted, and wait until
    /// the handshake has succeeded.</para>
    /// <para>Received bytes that the handler has not consumed belong to the handshake, including bytes that the current
    /// call leaves. They never reach the handler. So if a peer or an attacker on the path sends plaintext before the
    /// handshake, the handshake fails (the injection of RFC 3207 section 6).</para>
    /// <para>If the handshake fails or takes too long, the TLS alert is sent to the peer. Then the connection closes
    /// with <see cref="CloseReason.Error"/> and the exception of the handshake.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The caller is not on the loop, or TLS has started.</exception>
    /// <exception cref="NotSupportedException">The connection is an in-process link.</exception>
    public void StartTls(SslClientAuthenticationOptions options, TimeSpan timeout, Action<Connection> onSecured)
        => SecurityUpgrade.StartTls(this, options, timeout, onSecured);

    /// <summary>
    /// Makes <paramref name="cipher"/> encrypt written bytes into records and decrypt received records from now on. The
    /// connection disposes the cipher. Call this method once, on the loop, in
    /// <see cref="ConnectionHandler.OnReceived"/> or in an action that was posted to the loop.
    /// </summary>
    /// <remarks>
    /// Bytes that this loop wrote before the call, and bytes that were flushed before the call, are sent unchanged,
    /// before the first record. Received bytes that the handler has not consumed are treated as records, including
    /// bytes that the current call leaves. If the cipher rejects a record, the connection closes with
    /// <see cref="CloseReason.Error"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The caller is not on the loop, or it has TLS or a
    /// cipher.</exception>
    /// <exception cref="NotSupportedException">The connection is an in-process link.</exception>
    public void StartRecords(RecordCipher cipher) => SecurityUpgrade.StartRecords(this, cipher);
}
