using System.Buffers.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Streams;

/// <summary>Publishes the answers of an account, on its loop.</summary>
internal sealed class Responder(MessageTarget output, string? domain)
{
    private readonly byte[] _domain = domain is null ? [] : JsonSerializer.SerializeToUtf8Bytes(domain, WireJson.Default.String);
    private readonly int _ackEnd = 64 + ((domain?.Length ?? 0) * 6);
    private byte[] _ack = new byte[512];

    /// <summary>The domain of the account's streams; null for none.</summary>
    internal string? Domain => domain;

    /// <summary>The number of requests to the API.</summary>
    internal ulong Requests { get; set; }

    /// <summary>The number of requests that were refused.</summary>
    internal ulong Errors { get; private set; }

    /// <summary>
    /// Publishes a message. Without a valid subject, nobody waits for it. Returns false if nobody received it.
    /// </summary>
    internal bool Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload, int headerLength = 0, ReadOnlySpan<byte> replyTo = default)
    {
        return !subject.IsEmpty && Subject.IsValidLiteral(subject) && output.Publish(subject, payload, replyTo, headerLength) > 0;
    }

    /// <summary>Publishes a message of headers only. Returns false if nobody received it.</summary>
    internal bool PublishStatus(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> replyTo = default)
        => Publish(subject, headers, headers.Length, replyTo);

    /// <summary>Delivers a message of a stream to the subscribers of a subject. Returns false if nobody received it.</summary>
    internal bool Deliver(ReadOnlySpan<byte> to, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload, int headerLength, ReadOnlySpan<byte> replyTo)
        => Subject.IsValidLiteral(to) && output.Deliver(to, subject, payload, replyTo, headerLength) > 0;

    /// <summary>Answers a request.</summary>
    internal void Answer<T>(ReadOnlySpan<byte> reply, T answer, string kind, JsonTypeInfo<T> type)
        where T : ApiAnswer
    {
        answer.SetKind(kind);
        Publish(reply, JsonSerializer.SerializeToUtf8Bytes(answer, type));
    }

    /// <summary>Refuses a request.</summary>
    internal void Refuse(ReadOnlySpan<byte> reply, ApiError error, string kind)
    {
        Errors++;
        Answer(reply, new ApiAnswer { Error = error }, kind, WireJson.Default.ApiAnswer);
    }

    /// <summary>Acknowledges a message.</summary>
    internal void Acknowledge(ReadOnlySpan<byte> reply, ServedStream stream, ulong sequence, bool isDuplicate)
    {
        if (reply.IsEmpty)
        {
            return;
        }

        int length = stream.AckStart.Length;
        if (_ack.Length < length + _ackEnd)
        {
            _ack = new byte[length + _ackEnd];
        }

        Span<byte> ack = _ack;
        stream.AckStart.CopyTo(ack);
        _ = Utf8Formatter.TryFormat(sequence, ack[length..], out int written);
        length += written;
        if (_domain.Length > 0)
        {
            Append(ack, ",\"domain\":"u8, ref length);
            Append(ack, _domain, ref length);
        }

        if (isDuplicate)
        {
            Append(ack, ",\"duplicate\":true"u8, ref length);
        }

        Append(ack, "}"u8, ref length);
        Publish(reply, ack[..length]);
    }

    /// <summary>Tells a publisher that its message was not stored.</summary>
    internal void Reject(ReadOnlySpan<byte> reply, ServedStream stream, ApiError error)
    {
        if (!reply.IsEmpty)
        {
            Publish(reply, JsonSerializer.SerializeToUtf8Bytes(new Rejection { Error = error, Stream = stream.Name }, WireJson.Default.Rejection));
        }
    }

    private static void Append(Span<byte> destination, ReadOnlySpan<byte> bytes, ref int length)
    {
        bytes.CopyTo(destination[length..]);
        length += bytes.Length;
    }
}
