using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge;

// Handles requests from clients and publishes them.
internal sealed partial class RequestRoute
{
    private byte[] _scratch = [];
    private long _keptBytes;
    private int _reported;

    private bool OnRequest(ZeroMqPeer peer, in ZmtpMessage message)
    {
        var client = (RequestClient)(peer.Source ??= new RequestClient(peer));
        if (client.Pending >= _options.MaxPendingPerClient)
        {
            client.IsWaiting = true;
            return false;
        }

        if (!_hasServer || _stopping || _pending.IsFull || _keptBytes >= _options.MaxKeptBytes)
        {
            _waiting = true;
            return false;
        }

        int envelope = RequestEnvelope.Measure(message, out int size);
        int slot = _pending.Add(_clock.Epoch);
        ref PendingRequest request = ref _pending[slot];
        RequestEnvelope.Write(message, envelope, _pending.RentReplyTarget(slot, size));
        request.RoutingId = peer.RoutingId;
        request.Owner = client;
        client.Pending++;
        PublishStatus status = Publish(slot, envelope == 0 ? message : message.Skip(envelope));
        if (status != PublishStatus.Accepted)
        {
            return NotPublished(slot, status);
        }

        _taken++;
        _published++;
        _clock.Run();
        return true;
    }

    private PublishStatus Publish(int slot, ZmtpMessage body)
    {
        Span<byte> replyTo = stackalloc byte[_inbox.Length + ReplyNumber.Length];
        WriteReplyTo(slot, replyTo);
        return Context.Tracer is { HasListeners: true } tracer
            ? PublishTraced(tracer, slot, body, replyTo)
            : Publish(slot, body, replyTo, default);
    }

    private PublishStatus Publish(int slot, ZmtpMessage body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> trace)
        => _mapper is null ? PublishBody(slot, body, replyTo, trace) : PublishTopic(slot, body, replyTo, trace);

    private PublishStatus PublishBody(int slot, ZmtpMessage body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> trace)
    {
        var payload = new RequestBody(body, default, trace);
        PublishStatus status = Client.TryPublish(_subject, replyTo, payload.HeaderLength, payload.Length, ref payload);
        if (_keeps && status == PublishStatus.Accepted)
        {
            payload.Write(Keep(slot, 0, payload.HeaderLength, payload.Length));
        }

        return status;
    }

    private PublishStatus PublishTopic(int slot, ZmtpMessage body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> trace)
    {
        int scratch = _mapper!.ToSubjectScratch(body.EncodedSize);
        if (_scratch.Length < scratch)
        {
            _scratch = new byte[Math.Max(scratch, _scratch.Length * 2)];
        }

        MapStatus mapped = _mapper.ToSubject(new ReceivedFrames(body.GetEnumerator()), _scratch, out SubjectMessage message);
        if (mapped != MapStatus.Mapped)
        {
            return PublishStatus.PayloadTooLarge;
        }

        ReadOnlySpan<byte> block = message.Headers;
        if (!trace.IsEmpty)
        {
            var traced = new byte[block.Length + TraceContext.HeaderBytes];
            block = traced.AsSpan(0, TraceContext.AddTo(block, trace, traced));
        }

        PublishStatus status = Client.TryPublish(message.Subject, message.Payload, replyTo, block);
        if (_keeps && status == PublishStatus.Accepted)
        {
            int headers = block.Length;
            Span<byte> kept = Keep(slot, message.Subject.Length, headers == 0 ? -1 : headers, headers + message.Payload.Length);
            message.Subject.CopyTo(kept);
            block.CopyTo(kept[message.Subject.Length..]);
            message.Payload.CopyTo(kept[(message.Subject.Length + headers)..]);
        }

        return status;
    }

    private void WriteReplyTo(int slot, Span<byte> replyTo)
    {
        _inbox.CopyTo(replyTo);
        ReplyNumber.Write(replyTo[_inbox.Length..], _pending.NumberOf(slot));
    }

    // A subject length of 0 stands for the subject of all requests.
    private Span<byte> Keep(int slot, int subjectLength, int headerLength, int payloadLength)
    {
        ref PendingRequest request = ref _pending[slot];
        request.SubjectLength = subjectLength;
        request.HeaderLength = headerLength;
        _keptBytes += subjectLength + payloadLength;
        return _pending.Keep(slot, subjectLength + payloadLength);
    }

    // Returns whether the socket must regard the request as taken although it was not published.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NotPublished(int slot, PublishStatus status)
    {
        // Does not call Release: the removed request frees no more capacity than there was before. Paused clients would
        // be resumed in vain, one after the other, without end.
        Remove(slot);
        if (status is PublishStatus.PendingLimit or PublishStatus.BufferFull or PublishStatus.Dropped or PublishStatus.NotConnected)
        {
            // The client is resumed when the connection accepts messages again or a server is connected.
            _waiting = true;
            return false;
        }

        _taken++;
        if (status == PublishStatus.Closed)
        {
            _abandoned++;
        }
        else
        {
            _refused++;
            Report(status);
        }

        return true;
    }

    private void Report(PublishStatus status)
    {
        int bit = 1 << (int)status;
        if ((_reported & bit) == 0)
        {
            _reported |= bit;
            Log.NotMapped(status switch
            {
                PublishStatus.PayloadTooLarge =>
                    "it is larger than the NATS server's max_payload, or it has more frames or a longer topic "
                    + "than the options permit",
                PublishStatus.HeadersNotSupported => "the NATS server does not support headers",
                PublishStatus.SubjectTooLong => "its subject is longer than the NATS server's max_control_line",
                _ => status.ToString(),
            });
        }
    }
}
