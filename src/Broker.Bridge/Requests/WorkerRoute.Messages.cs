using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

// Handles requests from subjects and replies from workers.
internal sealed partial class WorkerRoute
{
    // The envelope is an 8-byte frame and an empty frame. Both have the MORE flag.
    private const int EnvelopeSize = 2 + sizeof(ulong) + 2;

    private byte[] _scratch = [];
    private bool _badRequestLogged;
    private bool _badReplyLogged;

    private static ReadOnlySpan<byte> NoRespondersHeaders => "NATS/1.0 503\r\n\r\n"u8;

    private void OnRequest(in MessageView message)
    {
        // A shadow route must not reply, so it ignores the reply subject.
        ReadOnlySpan<byte> replyTo = _options.Shadow ? default : message.ReplyTo;
        Counters.FromSubjects++;
        if (Pending.IsFull || IsStopping)
        {
            RespondNoResponders(replyTo);
            return;
        }

        int slot = Pending.Add(Clock.Epoch);
        replyTo.CopyTo(Pending.RentReplyTarget(slot, replyTo.Length));
        Span<byte> envelope = stackalloc byte[EnvelopeSize];
        WriteEnvelope(envelope, Pending.NumberOf(slot));
        BalancedPeer? worker;
        bool isMapped;
        if (_mapper is null)
        {
            isMapped = FramedPayload.TryRead(
                envelope, message.Headers, message.Body, _options.MaxFrames, out FramedPayload request);
            worker = isMapped ? _socket.TrySend(ref request) : null;
        }
        else
        {
            isMapped = TryMap(in message, out FrameReader mapped);
            var request = new MappedMessageEncoder(mapped, envelope);
            worker = isMapped ? _socket.TrySend(ref request) : null;
        }

        if (worker is not null)
        {
            Pending[slot].Owner = worker;
            Counters.ToZeroMq++;
            if (Context.Tracer is { HasListeners: true } tracer)
            {
                Pending[slot].Span = tracer.StartWork(Name, message.Headers, message.Body.Length);
            }

            Clock.Run();
            return;
        }

        Release(slot);
        if (isMapped)
        {
            RespondNoResponders(replyTo);
        }
        else
        {
            RefuseRequest();
        }
    }

    private static void WriteEnvelope(Span<byte> envelope, ulong number)
    {
        Span<byte> digits = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(digits, number);
        int length = ZmtpWriter.WriteFrame(envelope, digits, more: true);
        ZmtpWriter.WriteFrame(envelope[length..], [], more: true);
    }

    private bool TryMap(in MessageView message, out FrameReader mapped)
    {
        int scratch = MessageMapper.FromSubjectScratch(message.Subject.Length, message.Headers.Length);
        if (_scratch.Length < scratch)
        {
            _scratch = new byte[Math.Max(scratch, _scratch.Length * 2)];
        }

        return _mapper!.FromSubject(message.Subject, message.Headers, message.Body, _scratch, out mapped) == MapStatus.Mapped;
    }

    // No worker has capacity. The route unsubscribes until one has, and another member of the queue group may take the
    // request.
    private void RespondNoResponders(ReadOnlySpan<byte> replyTo)
    {
        _notTaken++;
        Unsubscribe();
        if (!replyTo.IsEmpty)
        {
            Client.TryPublish(replyTo, default, default, NoRespondersHeaders);
        }
    }

    private void RefuseRequest()
    {
        Counters.Refused++;
        if (!_badRequestLogged)
        {
            _badRequestLogged = true;
            Log.NotMapped("it is a request with malformed headers, frames or topic");
        }
    }

    private bool OnReply(ZeroMqPeer peer, in ZmtpMessage message)
    {
        ZmtpMessage.Enumerator frames = message.GetEnumerator();
        frames.MoveNext();
        ReadOnlySpan<byte> digits = frames.Current.Body;
        if (message.FrameCount < 3 || digits.Length != sizeof(ulong) || !frames.MoveNext()
            || !frames.Current.Body.IsEmpty)
        {
            Counters.FromZeroMq++;
            RefuseReply();
            return true;
        }

        int slot = Pending.Find(BinaryPrimitives.ReadUInt64BigEndian(digits));
        if (slot < 0 || Pending[slot].Owner is not BalancedPeer worker || worker.Peer != peer)
        {
            Counters.FromZeroMq++;
            Counters.Late++;
            return true;
        }

        PublishStatus status = HasServer ? Publish(slot, message.Skip(2)) : PublishStatus.NotConnected;
        if (status is PublishStatus.PendingLimit or PublishStatus.BufferFull or PublishStatus.Dropped or PublishStatus.NotConnected)
        {
            // The worker is resumed when the connection accepts messages again or a server is connected. Its requests
            // stay pending until then or until they expire.
            _isPaused = true;
            return false;
        }

        Counters.FromZeroMq++;
        if (status == PublishStatus.Accepted)
        {
            Counters.Answered++;
        }
        else if (status == PublishStatus.Closed)
        {
            Counters.Abandoned++;
        }
        else
        {
            BridgeTracer.Fail(Pending[slot].Span, status.ToString());
            RefuseReply();
        }

        Release(slot);
        return true;
    }

    private PublishStatus Publish(int slot, ZmtpMessage body)
    {
        ReadOnlySpan<byte> replyTo = Pending[slot].ReplyTargetSpan;
        if (replyTo.IsEmpty)
        {
            // The requester expects no reply.
            return PublishStatus.Accepted;
        }

        PublishStatus status = Pending[slot].Span is { } span
            ? PublishTraced(span, replyTo, body)
            : Publish(replyTo, new RequestBody(body));
        Counters.ToSubjects += status == PublishStatus.Accepted ? 1 : 0;
        return status;
    }

    private PublishStatus Publish(ReadOnlySpan<byte> replyTo, RequestBody payload)
        => Client.TryPublish(replyTo, default, payload.HeaderLength, payload.Length, ref payload);

    // Adds the context of the request's span to the reply, and publishes the reply without it if it does not fit.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus PublishTraced(Activity span, ReadOnlySpan<byte> replyTo, ZmtpMessage body)
    {
        Span<byte> memory = stackalloc byte[TraceContext.Length];
        PublishStatus status = Publish(replyTo, new RequestBody(body, default, TraceContext.Write(span.Id, memory)));
        return status is PublishStatus.PayloadTooLarge or PublishStatus.HeadersNotSupported ? Publish(replyTo, new RequestBody(body)) : status;
    }

    private void RefuseReply()
    {
        Counters.Refused++;
        if (!_badReplyLogged)
        {
            _badReplyLogged = true;
            Log.NotMapped(
                "it is a reply that lacks the envelope of its request or is larger than the NATS server's max_payload");
        }
    }
}
