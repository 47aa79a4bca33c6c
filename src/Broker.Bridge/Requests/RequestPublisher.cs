using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// Publishes the requests of ZeroMQ clients, each with a reply subject that nobody can guess. If a request may have
/// to be published again, it keeps a copy. Used on the connection's loop.
/// </summary>
internal sealed class RequestPublisher
{
    private readonly BrokerConnection _client;
    private readonly PendingRequests _pending;
    private readonly BridgeTracer? _tracer;
    private readonly string _route;
    private readonly string _destination;
    private readonly byte[]? _subject;
    private readonly MessageMapper? _mapper;
    private readonly byte[] _inbox;
    private readonly bool _keepsCopies;
    private readonly SecretNumbers _secrets = new();
    private byte[] _scratch = [];

    internal RequestPublisher(RequestRouteOptions options, PendingRequests pending, RouteContext context)
    {
        _client = context.Client;
        _pending = pending;
        _tracer = context.Tracer;
        _route = options.Name;
        _destination = options.Subject ?? options.Topics!.Prefix + ".>";
        _subject = options.Subject is null ? null : Encoding.UTF8.GetBytes(options.Subject);
        _mapper = options.Topics is null ? null : new MessageMapper(options.Topics);
        _inbox = Encoding.ASCII.GetBytes(context.NewInbox() + ".");
        _keepsCopies = options.NoResponders == NoResponders.Hold;
    }

    /// <summary>The filter that matches the reply subjects of all requests.</summary>
    internal string ReplyFilter => Encoding.ASCII.GetString(_inbox) + "*";

    /// <summary>The size of all copies in bytes.</summary>
    internal long KeptBytes { get; private set; }

    /// <summary>Finds the pending request that a reply subject belongs to; returns -1 if there is none.</summary>
    internal int FindRequest(ReadOnlySpan<byte> replySubject)
        => replySubject.Length > _inbox.Length
            && ReplyToken.TryRead(replySubject[_inbox.Length..], out ulong secret, out uint slot)
            ? _pending.Find(slot, secret)
            : -1;

    /// <summary>Publishes a request for the first time.</summary>
    internal PublishStatus Publish(int slot, ZmtpMessage body)
    {
        _pending[slot].Secret = _secrets.Next();
        Span<byte> replyTo = stackalloc byte[_inbox.Length + ReplyToken.Length];
        WriteReplyTo(slot, replyTo);
        return _tracer is { HasListeners: true }
            ? PublishTraced(slot, body, replyTo)
            : Publish(slot, body, replyTo, default);
    }

    /// <summary>Publishes the copy of a request again.</summary>
    internal PublishStatus PublishAgain(int slot)
    {
        Span<byte> replyTo = stackalloc byte[_inbox.Length + ReplyToken.Length];
        WriteReplyTo(slot, replyTo);
        ref PendingRequest request = ref _pending[slot];
        ReadOnlySpan<byte> kept = request.Kept.AsSpan(0, request.KeptLength);
        ReadOnlySpan<byte> subject = request.SubjectLength == 0 ? _subject : kept[..request.SubjectLength];
        kept = kept[request.SubjectLength..];
        int headers = Math.Max(request.HeaderLength, 0);
        return _client.PublishWithStatus(subject, kept[headers..], replyTo, kept[..headers]);
    }

    /// <summary>Must be called before a request is removed from the table.</summary>
    internal void OnRemoving(in PendingRequest request)
    {
        if (request.Kept is not null)
        {
            KeptBytes -= request.KeptLength;
        }
    }

    private PublishStatus Publish(
        int slot, ZmtpMessage body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> trace)
        => _mapper is null
            ? PublishBody(slot, body, replyTo, trace)
            : PublishTopic(slot, body, replyTo, trace);

    // Publishes a request while a listener collects spans: its headers contain the context of its span.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus PublishTraced(int slot, ZmtpMessage body, ReadOnlySpan<byte> replyTo)
    {
        Activity? span = _tracer!.StartRequest(_destination, _route, body.BodySize);
        Span<byte> memory = stackalloc byte[TraceContext.Length];
        ReadOnlySpan<byte> trace = TraceContext.Write(span?.Id, memory);
        PublishStatus status = Publish(slot, body, replyTo, trace);
        if (!trace.IsEmpty && status is (PublishStatus.PayloadTooLarge or PublishStatus.HeadersNotSupported))
        {
            // Publishes the request without the trace context, as it would be without a listener.
            status = Publish(slot, body, replyTo, default);
        }

        if (status == PublishStatus.Accepted)
        {
            _pending[slot].Span = span;
        }
        else if (span is not null)
        {
            BridgeTracer.End(span, status);
        }

        return status;
    }

    private PublishStatus PublishBody(
        int slot, ZmtpMessage body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> trace)
    {
        var payload = new RequestBody(body, default, trace);
        PublishStatus status =
            _client.PublishWithStatus(_subject, replyTo, payload.HeaderLength, payload.Length, ref payload);
        if (_keepsCopies && status == PublishStatus.Accepted)
        {
            payload.Write(Keep(slot, 0, payload.HeaderLength, payload.Length));
        }

        return status;
    }

    private PublishStatus PublishTopic(
        int slot, ZmtpMessage body, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> trace)
    {
        int scratch = _mapper!.ToSubjectScratch(body.EncodedSize);
        if (_scratch.Length < scratch)
        {
            _scratch = new byte[Math.Max(scratch, _scratch.Length * 2)];
        }

        MapStatus mapped =
            _mapper.ToSubject(new ReceivedFrames(body.GetEnumerator()), _scratch, out SubjectMessage message);
        if (mapped != MapStatus.Mapped)
        {
            return PublishStatus.PayloadTooLarge;
        }

        ReadOnlySpan<byte> block = message.Headers;
        if (!trace.IsEmpty)
        {
            byte[] traced = new byte[block.Length + TraceContext.HeaderBytes];
            block = traced.AsSpan(0, TraceContext.AddTo(block, trace, traced));
        }

        PublishStatus status = _client.PublishWithStatus(message.Subject, message.Payload, replyTo, block);
        if (_keepsCopies && status == PublishStatus.Accepted)
        {
            int headers = block.Length;
            Span<byte> kept = Keep(
                slot, message.Subject.Length, headers == 0 ? -1 : headers, headers + message.Payload.Length);
            message.Subject.CopyTo(kept);
            block.CopyTo(kept[message.Subject.Length..]);
            message.Payload.CopyTo(kept[(message.Subject.Length + headers)..]);
        }

        return status;
    }

    private void WriteReplyTo(int slot, Span<byte> replyTo)
    {
        _inbox.CopyTo(replyTo);
        ReplyToken.Write(replyTo[_inbox.Length..], _pending[slot].Secret, slot);
    }

    // A subject length of 0 stands for the subject of all requests.
    private Span<byte> Keep(int slot, int subjectLength, int headerLength, int payloadLength)
    {
        ref PendingRequest request = ref _pending[slot];
        request.SubjectLength = subjectLength;
        request.HeaderLength = headerLength;
        KeptBytes += subjectLength + payloadLength;
        return _pending.Keep(slot, subjectLength + payloadLength);
    }
}
