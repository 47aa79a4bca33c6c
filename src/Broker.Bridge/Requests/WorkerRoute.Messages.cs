using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

// Handles requests from subjects and replies from workers.
internal sealed partial class WorkerRoute
{
    private byte[] _scratch = [];
    private bool _badRequestLogged;
    private bool _badReplyLogged;

    private static ReadOnlySpan<byte> NoRespondersHeaders => "NATS/1.0 503\r\n\r\n"u8;

    private void OnRequest(in MessageView message) => OnRequest(in message, message.ReplyTo);

    // A shadow route must not reply, so it ignores the reply subject.
    private void OnCopy(in MessageView message) => OnRequest(in message, default);

    private void OnRequest(in MessageView message, ReadOnlySpan<byte> replyTo)
    {
        Counters.FromSubjects++;
        if (Pending.IsFull || IsStopping || !HasCapacity)
        {
            RespondNoResponders(replyTo);
            return;
        }

        int slot = Pending.Add(Clock.Epoch);
        replyTo.CopyTo(Pending.RentReplyTarget(slot, replyTo.Length));
        Span<byte> memory = stackalloc byte[RequestNumber.MaxEnvelopeSize];
        ReadOnlySpan<byte> envelope = memory[..RequestNumber.WriteEnvelope(memory, _options.Envelope, Pending.NumberOf(slot))];
        bool isMapped;
        bool isTaken;
        if (_mapper is null)
        {
            isMapped = FramedPayload.TryRead(
                envelope, message.Headers, message.Body, _options.MaxFrames, out FramedPayload request);
            isTaken = isMapped && TrySendOrKeep(slot, ref request);
        }
        else
        {
            isMapped = TryMap(in message, out FrameReader mapped);
            var request = new MappedMessageEncoder(mapped, envelope);
            isTaken = isMapped && TrySendOrKeep(slot, ref request);
        }

        if (isTaken)
        {
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

    private bool TryMap(in MessageView message, out FrameReader mapped)
    {
        int scratch = MessageMapper.FromSubjectScratch(message.Subject.Length, message.Headers.Length);
        if (_scratch.Length < scratch)
        {
            _scratch = new byte[Math.Max(scratch, _scratch.Length * 2)];
        }

        return _mapper!.FromSubject(message.Subject, message.Headers, message.Body, _scratch, out mapped) == MapStatus.Mapped;
    }

    // No worker has capacity. The route unsubscribes until a worker has capacity, and another member of the queue group
    // may take the request.
    private void RespondNoResponders(ReadOnlySpan<byte> replyTo)
    {
        _notTaken++;
        Unsubscribe();
        if (!replyTo.IsEmpty)
        {
            Client.PublishWithStatus(replyTo, default, default, NoRespondersHeaders);
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
        if (!RequestNumber.TryReadBinary(message, out ulong number))
        {
            Counters.FromZeroMq++;
            RefuseReply();
            return true;
        }

        int slot = Pending.Find(number);
        if (slot < 0 || Pending[slot].Owner is not BalancedPeer worker || worker.Peer != peer)
        {
            Counters.FromZeroMq++;
            Counters.Late++;
            return true;
        }

        return TryAnswer(slot, message.Skip(2));
    }

    // Publishes the reply of a worker and removes its request. Returns false if the worker must wait with it.
    private bool TryAnswer(int slot, ZmtpMessage body)
    {
        PublishStatus status = HasServer ? Publish(slot, body) : PublishStatus.NotConnected;
        if (status is PublishStatus.PendingLimit or PublishStatus.BufferFull or PublishStatus.Dropped or PublishStatus.NotConnected)
        {
            // The worker is resumed when the connection accepts messages again or a server is connected. Its requests
            // stay pending until then or until they expire.
            _workersWait = true;
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
        => Client.PublishWithStatus(replyTo, default, payload.HeaderLength, payload.Length, ref payload);

    // Adds the context of the request's span to the reply. If the reply is then too large, it is published without the
    // context.
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
