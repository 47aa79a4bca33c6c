using System.Runtime.CompilerServices;
using System.Text;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Writes published messages. An event loop writes to its own write buffer without a lock. Other threads write to the
/// shared external buffer under the gate. Without a server, all threads write to the buffer for the next server, also
/// under the gate.
/// </summary>
internal sealed class MessagePublisher
{
    // At this size the publishing thread sends the bytes itself. With 32 KiB instead of 60 KiB, a message cost 47 ns
    // instead of 42 ns, and half of each 64 KiB block stayed empty if the server was slow.
    private const int SendAt = 60 * 1024;

    // While threads send the external buffer by themselves, the loop does not send. It checks again after this time,
    // and sends the rest if no thread has sent since the last check, so after at most two of these periods. Waking the
    // loop for every first message made it compete with the threads for the gate: a message then cost 280 ns instead of
    // 30 ns.
    private static readonly TimeSpan BusyWindow = TimeSpan.FromMicroseconds(150);

    private readonly SharedState _shared;
    private readonly OutboundAccounting _accounting;
    private readonly WritableSignal _writable;
    private readonly ReconnectBuffer _reconnectBuffer;
    private readonly Action _flushExternal;
    private readonly int _maxSubjectBytes;
    private readonly long _maxPendingBytes;
    private volatile int _maxPayload = 1024 * 1024;
    private volatile bool _headers;
    private long _dropped;

    // Whether the loop has been asked to send the external buffer, and whether a thread has sent it since.
    private bool _flushRequested;
    private bool _sentSinceRequest;

    // The batches that threads are publishing, and whether the loop has waited for the end of one.
    private int _batches;
    private bool _hasWaitedForBatch;

    internal MessagePublisher(SharedState shared, OutboundAccounting accounting, WritableSignal writable, ReconnectBuffer reconnectBuffer)
    {
        _shared = shared;
        _accounting = accounting;
        _writable = writable;
        _reconnectBuffer = reconnectBuffer;
        _maxSubjectBytes = shared.Options.MaxControlLine - OperationWriter.LineOverhead;
        _maxPendingBytes = shared.Options.MaxPendingBytes;
        _flushExternal = FlushExternal;
    }

    /// <summary>The largest message that the server accepts, in bytes.</summary>
    internal int MaxPayload
    {
        get => _maxPayload;
        set => _maxPayload = value;
    }

    /// <summary>Whether messages may have headers.</summary>
    internal bool Headers
    {
        get => _headers;
        set => _headers = value;
    }

    /// <summary>
    /// The number of messages that were discarded because no server was connected. Read under the gate.
    /// </summary>
    internal long Dropped => _dropped;

    internal PublishStatus PublishWithStatus<TWriter>(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer, SendMode mode = SendMode.Usual)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        // A negative length fails the first of these conditions.
        if ((uint)payloadLength > (uint)_maxPayload || headerLength > payloadLength
            || subject.Length + replyTo.Length > _maxSubjectBytes
            || (headerLength >= 0 && !_headers))
        {
            return Refuse(subject.Length + replyTo.Length, headerLength, payloadLength);
        }

        if (mode != SendMode.OnlyConnected && _shared.CurrentLoop() is { } loop && _shared.Link is { } link)
        {
            Connection transport = link.Transport;
            LoopWriteBuffer buffer = transport.GetWriteBuffer(loop);
            int size = OperationWriter.PublishSize(subject.Length, replyTo.Length, 0, payloadLength);
            long unflushed = buffer.Length;
            if (unflushed + transport.PendingBytes + size > _maxPendingBytes)
            {
                return _writable.RefuseOnLoop(loop);
            }

            ref OutboundCounter counter = ref _accounting.GetCounter(loop);
            if (unflushed == 0)
            {
                counter.Flushed = counter.Messages;
            }

            buffer.Advance(Encode(buffer.GetSpan(size), subject, replyTo, headerLength, payloadLength, ref writer));
            Count(ref counter, payloadLength);
            return PublishStatus.Accepted;
        }

        return PublishExternally(subject, replyTo, headerLength, payloadLength, ref writer, mode);
    }

    /// <param name="subject">The subject.</param>
    /// <param name="body">The body.</param>
    /// <param name="replyTo">The subject for replies. Empty if no reply is expected.</param>
    /// <param name="headers">A header block. Empty for none.</param>
    /// <param name="mode">When the bytes leave, and whether they may wait for a server.</param>
    internal PublishStatus PublishWithStatus(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, SendMode mode = SendMode.Usual)
    {
        var writer = new CopyingWriter(headers, body);
        return PublishWithStatus(subject, replyTo, headers.IsEmpty ? -1 : headers.Length, headers.Length + body.Length, ref writer, mode);
    }

    /// <inheritdoc cref="PublishWithStatus(ReadOnlySpan{byte}, ReadOnlySpan{byte}, ReadOnlySpan{byte}, ReadOnlySpan{byte}, SendMode)"/>
    internal PublishStatus PublishWithStatus(
        ReadOnlySpan<byte> subject, OutboundBody body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, SendMode mode = SendMode.Usual)
    {
        var writer = new BodyWriter(headers, body);
        return PublishWithStatus(subject, replyTo, headers.IsEmpty ? -1 : headers.Length, headers.Length + body.Length, ref writer, mode);
    }

    internal PublishStatus PublishWithStatus(string subject, OutboundBody body, string? replyTo, ReadOnlySpan<byte> headers)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using var subjectBytes = new SubjectBytes(subject, stackalloc byte[SubjectBytes.OnStack], nameof(subject));
        using var replyBytes = new SubjectBytes(replyTo is "" ? null : replyTo, stackalloc byte[SubjectBytes.OnStack], nameof(replyTo));
        SubjectBytes.RequireHeaderBlock(headers);
        return PublishWithStatus(subjectBytes.Span, body, replyBytes.Span, headers);
    }

    internal ValueTask PublishAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        PublishStatus status = PublishWithStatus(subject, body.Span, replyTo, headers.Span);
        return status < PublishStatus.PendingLimit
            ? ValueTask.CompletedTask
            : new ValueTask(PublishWhenWritableAsync(subject, body, replyTo, headers, cancellationToken));
    }

    /// <summary>
    /// Publishes like the overload with memory, and copies the body and the headers if they must wait.
    /// </summary>
    internal ValueTask PublishAsync(
        string subject, OutboundBody body, string? replyTo, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        PublishStatus status = PublishWithStatus(subject, body, replyTo, headers);
        return status < PublishStatus.PendingLimit
            ? ValueTask.CompletedTask
            : new ValueTask(PublishWhenWritableAsync(subject, body.ToArray(), replyTo, headers.ToArray(), cancellationToken));
    }

    internal void Respond(ReadOnlySpan<byte> replyTo, OutboundBody body, ReadOnlySpan<byte> headers)
    {
        if (replyTo.IsEmpty)
        {
            throw new InvalidOperationException("The message has no reply subject.");
        }

        SubjectBytes.RequireHeaderBlock(headers);
        ThrowIfRefused(PublishWithStatus(replyTo, body, default, headers), headers.Length + body.Length);
    }

    /// <summary>
    /// Notes that a thread which is not an event loop begins to publish messages that it sends together by
    /// <see cref="EndBatch"/>. If that takes long, the loop sends them.
    /// </summary>
    internal void BeginBatch()
    {
        lock (_shared.Gate)
        {
            _batches++;
        }
    }

    /// <summary>Sends what threads that are not event loops have published and not sent yet.</summary>
    internal void EndBatch()
    {
        lock (_shared.Gate)
        {
            _batches--;
            if (_shared.Link is { } link && link.Transport.ExternalWriteBuffer.Length > 0)
            {
                link.Transport.FlushExternal();
                _sentSinceRequest = _flushRequested;
            }
        }
    }

    /// <exception cref="PublishRefusedException">The status is a refusal.</exception>
    internal void ThrowIfRefused(PublishStatus status, int payloadLength)
    {
        if (status >= PublishStatus.PendingLimit)
        {
            throw CreateRefusal(status, payloadLength);
        }
    }

    internal PublishRefusedException CreateRefusal(PublishStatus status, int payloadLength) => new(status, _shared.Options, payloadLength, _maxPayload);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Encode<TWriter>(
        Span<byte> destination, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength,
        ref TWriter writer)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        int line = OperationWriter.PublishLine(destination, subject, replyTo, headerLength, payloadLength);
        writer.Write(destination.Slice(line, payloadLength));
        int end = line + payloadLength;
        destination[end + 1] = (byte)'\n';
        destination[end] = (byte)'\r';
        return end + 2;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Count(ref OutboundCounter counter, int payloadLength)
    {
        counter.Messages++;
        counter.Bytes += payloadLength;
    }

    private PublishStatus PublishExternally<TWriter>(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer, SendMode mode)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        int size = OperationWriter.PublishSize(subject.Length, replyTo.Length, 0, payloadLength);
        if (_writable.IsStillFull(size))
        {
            return PublishStatus.PendingLimit;
        }

        bool request = false;
        lock (_shared.Gate)
        {
            if (_shared.Link is not { } link)
            {
                return mode == SendMode.OnlyConnected ? RefuseDisconnected() : PublishDisconnected(size, subject, replyTo, headerLength, payloadLength, ref writer);
            }

            Connection transport = link.Transport;
            LoopWriteBuffer buffer = transport.ExternalWriteBuffer;
            if (buffer.Length + transport.PendingBytes + size > _maxPendingBytes)
            {
                return _writable.RefuseExternally(transport);
            }

            buffer.Advance(Encode(buffer.GetSpan(size), subject, replyTo, headerLength, payloadLength, ref writer));
            Count(ref _accounting.External, payloadLength);
            if (buffer.Length >= SendAt || mode == SendMode.AtOnce)
            {
                transport.FlushExternal();
                // If the loop has been asked to send, it now waits, because this thread has just sent.
                _sentSinceRequest = _flushRequested;
            }
            else if (!_flushRequested)
            {
                _flushRequested = request = true;
            }
        }

        if (request)
        {
            _shared.Loop.Post(_flushExternal);
        }

        return PublishStatus.Accepted;
    }

    // Called under the gate.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus PublishDisconnected<TWriter>(
        int size, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        if (_shared.State == ConnectionState.Closed)
        {
            return PublishStatus.Closed;
        }

        switch (_shared.Options.WhileDisconnected)
        {
            case PublishWhileDisconnected.Drop:
                _dropped++;
                return PublishStatus.Dropped;
            case PublishWhileDisconnected.Buffer:
                Span<byte> space = _reconnectBuffer.GetSpan(size, replyTo);
                if (space.IsEmpty)
                {
                    return _writable.RefuseBuffering();
                }

                _reconnectBuffer.Advance(Encode(space, subject, replyTo, headerLength, payloadLength, ref writer));
                Count(ref _accounting.External, payloadLength);
                return PublishStatus.Accepted;
            default:
                return PublishStatus.NotConnected;
        }
    }

    private PublishStatus RefuseDisconnected() => _shared.State == ConnectionState.Closed ? PublishStatus.Closed : PublishStatus.NotConnected;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus Refuse(int subjects, int headerLength, int payloadLength)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(payloadLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(headerLength, payloadLength);
        return _shared.State == ConnectionState.Closed ? PublishStatus.Closed
            : payloadLength > _maxPayload ? PublishStatus.PayloadTooLarge
            : (uint)subjects > (uint)_maxSubjectBytes ? PublishStatus.SubjectTooLong
            : PublishStatus.HeadersNotSupported;
    }

    private async Task PublishWhenWritableAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        long size = OperationWriter.PublishSize(
            Encoding.UTF8.GetByteCount(subject), Encoding.UTF8.GetByteCount(replyTo ?? ""), headers.Length, body.Length);
        while (true)
        {
            // The task is taken before the attempt, so that it also completes if space becomes available during the
            // attempt.
            Task hasSpace = _writable.WaitForSpaceAsync();
            PublishStatus status = PublishWithStatus(subject, body.Span, replyTo, headers.Span);
            if (status < PublishStatus.PendingLimit)
            {
                return;
            }

            if (status is not (PublishStatus.PendingLimit or PublishStatus.BufferFull) || size > _maxPendingBytes)
            {
                // There will never be space for this message, whether a server is connected or not.
                throw CreateRefusal(status, headers.Length + body.Length);
            }

            await hasSpace.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    // Called on the loop.
    private void FlushExternal()
    {
        lock (_shared.Gate)
        {
            bool isBatching = _batches > 0 && !_hasWaitedForBatch;
            _flushRequested = _sentSinceRequest || isBatching;
            _hasWaitedForBatch = isBatching && !_sentSinceRequest;
            if (!_flushRequested)
            {
                _shared.Link?.Transport.FlushExternal();
                return;
            }

            _sentSinceRequest = false;
        }

        _shared.Loop.RunAfter(BusyWindow, _flushExternal);
    }
}
