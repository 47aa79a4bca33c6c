using System.Runtime.CompilerServices;
using System.Text;
using Broker.Protocol.Writing;
using Broker.Transport;

namespace Broker.Client.Publishing;

/// <summary>
/// Writes messages, to one of three places: the stage of the caller's loop, without a lock; the external stage, under the gate; and
/// while no server is connected what is kept for the next, under the gate too.
/// </summary>
internal sealed class Publisher
{
    // From here on a thread that publishes sends itself: with 32 KiB a message cost 47 ns instead of 42, and where the server holds
    // it up half of each 64 KiB block stayed empty.
    private const int SendAt = 60 * 1024;

    // While threads send by themselves all the time, the loop only sees to what they leave behind in the end: waking it for
    // every first message made it compete with them for the gate, at 280 ns a message instead of 30. Two of these windows at most pass
    // before that: the one in which a thread sent last, and the next.
    private static readonly TimeSpan BusyWindow = TimeSpan.FromMicroseconds(150);

    private readonly ConnectionCore _core;
    private readonly OutboundAccount _account;
    private readonly RoomSignal _room;
    private readonly Action _flushExternal;
    private readonly int _mostSubjects;
    private readonly long _maxPendingBytes;
    private volatile int _maxPayload = 1024 * 1024;
    private volatile bool _headers;
    private long _dropped;

    // Whether the loop has been asked to send what lies in the external stage, and whether a thread has sent since.
    private bool _flushAsked;
    private bool _sentMeanwhile;

    internal Publisher(ConnectionCore core)
    {
        _core = core;
        _account = core.Account;
        _room = core.Room;
        _mostSubjects = core.Options.MaxControlLine - OperationWriter.LineOverhead;
        _maxPendingBytes = core.Options.MaxPendingBytes;
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

    /// <summary>Messages thrown away while there was no server. Under the gate.</summary>
    internal long Dropped => _dropped;

    internal PublishStatus TryPublish<TWriter>(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer, bool atOnce = false)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        // A negative length fails the first of these.
        if ((uint)payloadLength > (uint)_maxPayload || headerLength > payloadLength
            || subject.Length + replyTo.Length > _mostSubjects
            || (headerLength >= 0 && !_headers))
        {
            return Refuse(subject.Length + replyTo.Length, headerLength, payloadLength);
        }

        if (_core.CurrentLoop() is { } loop && _core.Link is { } link)
        {
            Connection transport = link.Transport;
            LoopWriteBuffer stage = transport.GetWriteBuffer(loop);
            int size = OperationWriter.PublishSize(subject.Length, replyTo.Length, 0, payloadLength);
            long staged = stage.Length;
            if (staged + transport.PendingBytes + size > _maxPendingBytes)
            {
                return _room.RefuseOnLoop(loop);
            }

            ref OutboundCounter counter = ref _account.Of(loop);
            if (staged == 0)
            {
                counter.HandedOver = counter.Messages;
            }

            stage.Advance(Encode(stage.GetSpan(size), subject, replyTo, headerLength, payloadLength, ref writer));
            Count(ref counter, payloadLength);
            return PublishStatus.Accepted;
        }

        return PublishExternally(subject, replyTo, headerLength, payloadLength, ref writer, atOnce);
    }

    /// <param name="subject">Where to.</param>
    /// <param name="body">What.</param>
    /// <param name="replyTo">Where an answer is expected; empty for nowhere.</param>
    /// <param name="headers">A header block, or nothing.</param>
    /// <param name="atOnce">Whether a thread that is no loop is to send it itself: for a message that somebody waits for alone.</param>
    internal PublishStatus TryPublish(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, bool atOnce = false)
    {
        var writer = new CopyingWriter(headers, body);
        return TryPublish(subject, replyTo, headers.IsEmpty ? -1 : headers.Length, headers.Length + body.Length, ref writer, atOnce);
    }

    internal PublishStatus TryPublish(string subject, ReadOnlySpan<byte> body, string? replyTo, ReadOnlySpan<byte> headers)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using var subjectBytes = new SubjectBytes(subject, stackalloc byte[SubjectBytes.OnStack], nameof(subject));
        using var replyBytes = new SubjectBytes(replyTo, stackalloc byte[SubjectBytes.OnStack], nameof(replyTo));
        SubjectBytes.RequireHeaderBlock(headers);
        return TryPublish(subjectBytes.Span, body, replyBytes.Span, headers);
    }

    internal ValueTask PublishAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        PublishStatus status = TryPublish(subject, body.Span, replyTo, headers.Span);
        return status < PublishStatus.PendingLimit
            ? ValueTask.CompletedTask
            : new ValueTask(PublishLaterAsync(subject, body, replyTo, headers, cancellationToken));
    }

    internal void Respond(ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers)
    {
        if (replyTo.IsEmpty)
        {
            throw new InvalidOperationException("The message expects no answer.");
        }

        SubjectBytes.RequireHeaderBlock(headers);
        ThrowIfRefused(TryPublish(replyTo, body, default, headers), headers.Length + body.Length);
    }

    /// <exception cref="PublishRefusedException">It was.</exception>
    internal void ThrowIfRefused(PublishStatus status, int payloadLength)
    {
        if (status >= PublishStatus.PendingLimit)
        {
            throw Refusal(status, payloadLength);
        }
    }

    internal PublishRefusedException Refusal(PublishStatus status, int payloadLength) => new(status, _core.Options, payloadLength, _maxPayload);

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
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer, bool atOnce)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        int size = OperationWriter.PublishSize(subject.Length, replyTo.Length, 0, payloadLength);
        if (_room.IsStillFull(size))
        {
            return PublishStatus.PendingLimit;
        }

        bool ask = false;
        lock (_core.Gate)
        {
            if (_core.Link is not { } link)
            {
                return PublishDisconnected(size, subject, replyTo, headerLength, payloadLength, ref writer);
            }

            Connection transport = link.Transport;
            LoopWriteBuffer stage = transport.ExternalWriteBuffer;
            if (stage.Length + transport.PendingBytes + size > _maxPendingBytes)
            {
                return _room.RefuseExternally(transport);
            }

            stage.Advance(Encode(stage.GetSpan(size), subject, replyTo, headerLength, payloadLength, ref writer));
            Count(ref _account.External, payloadLength);
            if (stage.Length >= SendAt || atOnce)
            {
                transport.FlushExternal();
                // Where the loop was not asked it has nothing to wait for before it sends what comes next.
                _sentMeanwhile = _flushAsked;
            }
            else if (!_flushAsked)
            {
                _flushAsked = ask = true;
            }
        }

        if (ask)
        {
            _core.Loop.Post(_flushExternal);
        }

        return PublishStatus.Accepted;
    }

    // Under the gate.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus PublishDisconnected<TWriter>(
        int size, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        if (_core.State == ConnectionState.Closed)
        {
            return PublishStatus.Closed;
        }

        switch (_core.Options.WhileDisconnected)
        {
            case PublishWhileDisconnected.Drop:
                _dropped++;
                return PublishStatus.Dropped;
            case PublishWhileDisconnected.Buffer:
                Span<byte> room = _core.Replay.GetSpan(size, replyTo);
                if (room.IsEmpty)
                {
                    return _room.RefuseToKeep();
                }

                _core.Replay.Advance(Encode(room, subject, replyTo, headerLength, payloadLength, ref writer));
                Count(ref _account.External, payloadLength);
                return PublishStatus.Accepted;
            default:
                return PublishStatus.NotConnected;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus Refuse(int subjects, int headerLength, int payloadLength)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(payloadLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(headerLength, payloadLength);
        return _core.State == ConnectionState.Closed ? PublishStatus.Closed
            : payloadLength > _maxPayload ? PublishStatus.PayloadTooLarge
            : (uint)subjects > (uint)_mostSubjects ? PublishStatus.SubjectTooLong
            : PublishStatus.HeadersNotSupported;
    }

    private async Task PublishLaterAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        long size = OperationWriter.PublishSize(
            Encoding.UTF8.GetByteCount(subject), Encoding.UTF8.GetByteCount(replyTo ?? ""), headers.Length, body.Length);
        while (true)
        {
            // Taken before the attempt: room that comes between the two must not be missed.
            Task room = _room.WhenRoomAsync();
            PublishStatus status = TryPublish(subject, body.Span, replyTo, headers.Span);
            if (status < PublishStatus.PendingLimit)
            {
                return;
            }

            if (status is not (PublishStatus.PendingLimit or PublishStatus.BufferFull) || size > _maxPendingBytes)
            {
                // With no server to take it either: there is room for it never.
                throw Refusal(status, headers.Length + body.Length);
            }

            await room.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    // On the loop.
    private void FlushExternal()
    {
        lock (_core.Gate)
        {
            _flushAsked = _sentMeanwhile;
            if (!_sentMeanwhile)
            {
                _core.Link?.Transport.FlushExternal();
                return;
            }

            _sentMeanwhile = false;
        }

        _core.Loop.RunAfter(BusyWindow, _flushExternal);
    }
}
