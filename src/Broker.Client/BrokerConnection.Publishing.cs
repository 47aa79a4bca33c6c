using System.Runtime.CompilerServices;
using Broker.Client.Errors;
using Broker.Client.Publishing;
using Broker.Protocol.Writing;
using Broker.Transport;

namespace Broker.Client;

// Three places to write to: the stage of the caller's loop, without a lock; the external stage, under the gate; and while
// no server is connected the reconnect buffer, under the gate too.
public sealed partial class BrokerConnection
{
    // From here on a thread that publishes sends itself: 8 KiB instead made 20M messages a second out of 38M.
    private const int SendAt = 32 * 1024;

    private readonly ReconnectBuffer _kept;

    // While threads send by themselves all the time, the loop only sees to what they leave behind in the end: waking it for
    // every first message made it compete with them for the gate, at 280 ns a message instead of 30.
    private static readonly TimeSpan BusyWait = TimeSpan.FromMilliseconds(1);

    // Whether the loop has been asked to send what lies in the external stage, and whether a thread has sent since.
    private bool _flushAsked;
    private bool _sentMeanwhile;

    /// <summary>Publishes bytes as they are: the path for programs that forward.</summary>
    /// <param name="subject">
    /// Where to. <b>Not checked</b>, and neither is <paramref name="replyTo"/>: a space, tab or line end in it ends the
    /// subject early and makes the server read the rest as other arguments, or as commands. Whoever takes subjects from
    /// others checks them before (<see cref="Broker.Protocol.Subjects.Subject"/>), or uses the overload for strings.
    /// The server drops a message whose subject has an empty token, without a word.
    /// </param>
    /// <param name="body">What. Copied before the return.</param>
    /// <param name="replyTo">Where an answer is expected, if one is.</param>
    /// <param name="headers">A complete header block, from <c>NATS/1.0</c> to its empty line, or nothing.</param>
    /// <returns>What became of it. Nothing is thrown, nothing waits.</returns>
    public PublishStatus TryPublish(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> replyTo = default, ReadOnlySpan<byte> headers = default)
    {
        var writer = new CopyingWriter(headers, body);
        return TryPublish(subject, replyTo, headers.IsEmpty ? -1 : headers.Length, headers.Length + body.Length, ref writer);
    }

    /// <summary>
    /// Publishes bytes that <paramref name="writer"/> writes straight into the outbound bytes, without another copy. Subjects
    /// are <b>not checked</b>, as in the overload for spans.
    /// </summary>
    /// <param name="subject">Where to.</param>
    /// <param name="replyTo">Where an answer is expected; empty for nowhere.</param>
    /// <param name="headerLength">The length of the header block that comes first, or -1 for a message without.</param>
    /// <param name="payloadLength">The length of header block and body together.</param>
    /// <param name="writer">Writes exactly that many bytes. Called at most once, before the return.</param>
    /// <returns>What became of it.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The lengths contradict each other.</exception>
    public PublishStatus TryPublish<TWriter>(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        // A negative length fails the first of these.
        if ((uint)payloadLength > (uint)_maxPayload || headerLength > payloadLength
            || subject.Length + replyTo.Length > Options.MaxControlLine - OperationWriter.LineOverhead
            || (headerLength >= 0 && !_headers))
        {
            return Refuse(subject.Length + replyTo.Length, headerLength, payloadLength);
        }

        if (CurrentLoop() is { } loop && _link is { } link)
        {
            Connection transport = link.Transport;
            OutboundStage stage = transport.GetStage(loop);
            int size = OperationWriter.PublishSize(subject.Length, replyTo.Length, 0, payloadLength);
            long staged = stage.Length;
            if (staged + transport.PendingBytes + size > Options.MaxPendingBytes)
            {
                return RefuseForRoom(loop);
            }

            ref OutboundCounter counter = ref _outbound[loop.Index];
            if (staged == 0)
            {
                counter.HandedOver = counter.Messages;
            }

            stage.Advance(Encode(stage.GetSpan(size), subject, replyTo, headerLength, payloadLength, ref writer));
            Count(ref counter, payloadLength);
            return PublishStatus.Accepted;
        }

        return PublishExternally(subject, replyTo, headerLength, payloadLength, ref writer);
    }

    /// <summary>Publishes text subjects, checked.</summary>
    /// <param name="subject">Where to: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">What. Copied before the return.</param>
    /// <param name="replyTo">Where an answer is expected, if one is.</param>
    /// <param name="headers">A complete header block, from <c>NATS/1.0</c> to its empty line, or nothing.</param>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are no block.</exception>
    /// <exception cref="PublishRefusedException">It was not accepted. <see cref="PublishStatus.Dropped"/> throws nothing.</exception>
    public void Publish(string subject, ReadOnlySpan<byte> body, string? replyTo = null, ReadOnlySpan<byte> headers = default)
    {
        PublishStatus status = TryPublish(subject, body, replyTo, headers);
        if (status >= PublishStatus.PendingLimit)
        {
            throw new PublishRefusedException(status);
        }
    }

    /// <summary>As <see cref="Publish"/>, telling what became of the message instead of throwing.</summary>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are no block.</exception>
    public PublishStatus TryPublish(string subject, ReadOnlySpan<byte> body, string? replyTo = null, ReadOnlySpan<byte> headers = default)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using var subjectBytes = new SubjectBytes(subject, stackalloc byte[SubjectBytes.OnStack], nameof(subject));
        using var replyBytes = new SubjectBytes(replyTo, stackalloc byte[SubjectBytes.OnStack], nameof(replyTo));
        SubjectBytes.RequireHeaderBlock(headers);
        return TryPublish(subjectBytes.Span, body, replyBytes.Span, headers);
    }

    internal void Respond(ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers)
    {
        if (replyTo.IsEmpty)
        {
            throw new InvalidOperationException("The message expects no answer.");
        }

        SubjectBytes.RequireHeaderBlock(headers);
        PublishStatus status = TryPublish(replyTo, body, default, headers);
        if (status >= PublishStatus.PendingLimit)
        {
            throw new PublishRefusedException(status);
        }
    }

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
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        int size = OperationWriter.PublishSize(subject.Length, replyTo.Length, 0, payloadLength);
        bool ask = false;
        lock (_gate)
        {
            if (_link is not { } link)
            {
                return PublishDisconnected(size, subject, replyTo, headerLength, payloadLength, ref writer);
            }

            Connection transport = link.Transport;
            OutboundStage stage = transport.ExternalStage;
            if (stage.Length + transport.PendingBytes + size > Options.MaxPendingBytes)
            {
                return RefuseForRoom(Loop);
            }

            stage.Advance(Encode(stage.GetSpan(size), subject, replyTo, headerLength, payloadLength, ref writer));
            Count(ref _outbound[^1], payloadLength);
            if (stage.Length >= SendAt)
            {
                transport.FlushExternal();
                _sentMeanwhile = true;
            }
            else if (!_flushAsked)
            {
                _flushAsked = ask = true;
            }
        }

        if (ask)
        {
            Loop.Post(_flushExternal);
        }

        return PublishStatus.Accepted;
    }

    // Under the gate.
    private Span<byte> RoomToKeep(int size, long request)
    {
        Span<byte> room = _kept.GetSpan(size, request);
        if (room.IsEmpty && _requestsGivenUp)
        {
            WithdrawRequests();
            room = _kept.GetSpan(size, request);
        }

        return room;
    }

    // Under the gate.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus PublishDisconnected<TWriter>(
        int size, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer)
        where TWriter : struct, IPayloadWriter, allows ref struct
    {
        if (_state == ConnectionState.Closed)
        {
            return PublishStatus.Closed;
        }

        switch (Options.WhileDisconnected)
        {
            case PublishWhileDisconnected.Drop:
                _dropped++;
                return PublishStatus.Dropped;
            case PublishWhileDisconnected.Buffer:
                Span<byte> room = RoomToKeep(size, RequestNumber(replyTo));
                if (room.IsEmpty)
                {
                    _wantsRoom = 1;
                    return PublishStatus.BufferFull;
                }

                _kept.Advance(Encode(room, subject, replyTo, headerLength, payloadLength, ref writer));
                Count(ref _outbound[^1], payloadLength);
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
        return _state == ConnectionState.Closed ? PublishStatus.Closed
            : payloadLength > _maxPayload ? PublishStatus.PayloadTooLarge
            : (uint)subjects > (uint)(Options.MaxControlLine - OperationWriter.LineOverhead) ? PublishStatus.SubjectTooLong
            : PublishStatus.HeadersNotSupported;
    }

    // On the loop.
    private void FlushExternal()
    {
        lock (_gate)
        {
            _flushAsked = _sentMeanwhile;
            if (!_sentMeanwhile)
            {
                _link?.Transport.FlushExternal();
                return;
            }

            _sentMeanwhile = false;
        }

        Loop.StartTimer(BusyWait, _flushExternal);
    }
}
