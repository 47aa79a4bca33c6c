using System.Buffers.Text;
using System.Text;
using Broker.Protocol;

namespace Broker.Streams;

/// <summary>The headers of a message that have a meaning for its stream. The spans point into the message.</summary>
internal ref struct PublishHeaders
{
    internal ReadOnlySpan<byte> MessageId { get; private set; }

    internal ReadOnlySpan<byte> ExpectedStream { get; private set; }

    internal ReadOnlySpan<byte> ExpectedLastId { get; private set; }

    internal bool HasExpectedLastId { get; private set; }

    internal ulong? ExpectedLast { get; private set; }

    internal ulong? ExpectedLastOfSubject { get; private set; }

    /// <summary>The filter that the expectation of a subject is about; empty for the subject of the message.</summary>
    internal ReadOnlySpan<byte> ExpectedSubject { get; private set; }

    internal ReadOnlySpan<byte> Rollup { get; private set; }

    /// <summary>Whether the message has a time to live of its own.</summary>
    internal bool HasTimeToLive { get; private set; }

    /// <summary>
    /// Whether an import of the service has named the requester's account. A stream does not keep this header.
    /// </summary>
    internal bool HasRequestInfo { get; private set; }

    /// <summary>Whether the message says that its subject has no value.</summary>
    internal bool IsMarker { get; private set; }

    internal readonly MessageFlags Flags
        => (HasTimeToLive ? MessageFlags.HasTimeToLive : MessageFlags.None) | (IsMarker ? MessageFlags.IsMarker : MessageFlags.None);

    /// <summary>The error of a header that is not valid or not supported.</summary>
    internal ApiError? Error { get; private set; }

    private static ReadOnlySpan<byte> RequestInfo => "Nats-Request-Info:"u8;

    /// <summary>Copies a block without the headers that name the requester's account.</summary>
    /// <returns>The length of the copy; 0 if no other header is in the block.</returns>
    internal static int CopyWithoutRequestInfo(ReadOnlySpan<byte> block, Span<byte> destination)
    {
        int length = 0;
        int lines = 0;
        while (!block.IsEmpty)
        {
            int end = block.IndexOf("\r\n"u8);
            ReadOnlySpan<byte> line = end < 0 ? block : block[..(end + 2)];
            block = block[line.Length..];
            if (line.Length < RequestInfo.Length || !Ascii.EqualsIgnoreCase(line[..RequestInfo.Length], RequestInfo))
            {
                line.CopyTo(destination[length..]);
                length += line.Length;
                lines++;
            }
        }

        // The first line is the version, and the last one is empty.
        return lines > 2 ? length : 0;
    }

    /// <summary>Reads the headers in one pass.</summary>
    internal static PublishHeaders Read(ReadOnlySpan<byte> block)
    {
        var headers = default(PublishHeaders);
        if (!block.StartsWith(HeaderBlock.Version))
        {
            return headers;
        }

        int end = block.IndexOf("\r\n"u8);
        while (end >= 0)
        {
            block = block[(end + 2)..];
            end = block.IndexOf("\r\n"u8);
            ReadOnlySpan<byte> line = end < 0 ? block : block[..end];
            if (line.IsEmpty)
            {
                break;
            }

            int colon = line.IndexOf((byte)':');
            if (colon > 5 && Ascii.EqualsIgnoreCase(line[..5], "Nats-"u8))
            {
                headers.Set(line[5..colon], line[(colon + 1)..].Trim(" \t"u8));
            }
            else if (colon > 0 && Ascii.EqualsIgnoreCase(line[..colon], "KV-Operation"u8))
            {
                headers.IsMarker |= line[(colon + 1)..].Trim(" \t"u8).SequenceEqual("PURGE"u8);
            }
        }

        return headers;
    }

    private void Set(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (Ascii.EqualsIgnoreCase(name, "Msg-Id"u8))
        {
            MessageId = value;
        }
        else if (Ascii.EqualsIgnoreCase(name, "Rollup"u8))
        {
            Rollup = value;
        }
        else if (name.Length > 9 && Ascii.EqualsIgnoreCase(name[..9], "Expected-"u8))
        {
            SetExpected(name[9..], value);
        }
        else if (Ascii.EqualsIgnoreCase(name, "TTL"u8))
        {
            HasTimeToLive = !value.IsEmpty;
            Error ??= value.IsEmpty || TimeToLive.TryParse(value, out _) ? null : ApiErrors.InvalidTtl;
        }
        else if (Ascii.EqualsIgnoreCase(name, "Marker-Reason"u8))
        {
            IsMarker = true;
        }
        else if (Ascii.EqualsIgnoreCase(name, "Request-Info"u8))
        {
            HasRequestInfo = true;
        }
        else if (Ascii.EqualsIgnoreCase(name, "Batch-Id"u8))
        {
            Error ??= ApiErrors.BatchDisabled;
        }
        else if (Ascii.EqualsIgnoreCase(name, "Incr"u8))
        {
            Error ??= ApiErrors.CounterDisabled;
        }
        else if (Ascii.EqualsIgnoreCase(name, "Schedule"u8))
        {
            Error ??= ApiErrors.ScheduleDisabled;
        }
    }

    private void SetExpected(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (Ascii.EqualsIgnoreCase(name, "Stream"u8))
        {
            ExpectedStream = value;
        }
        else if (Ascii.EqualsIgnoreCase(name, "Last-Msg-Id"u8))
        {
            ExpectedLastId = value;
            HasExpectedLastId = true;
        }
        else if (Ascii.EqualsIgnoreCase(name, "Last-Sequence"u8))
        {
            ExpectedLast = SequenceOf(value);
        }
        else if (Ascii.EqualsIgnoreCase(name, "Last-Subject-Sequence"u8))
        {
            ExpectedLastOfSubject = SequenceOf(value);
        }
        else if (Ascii.EqualsIgnoreCase(name, "Last-Subject-Sequence-Subject"u8))
        {
            ExpectedSubject = value;
            Error ??= Subject.IsValidFilter(value) ? null : ApiErrors.BadRequest;
        }
    }

    // No stream has the largest number as its last sequence, so another text matches nothing.
    private static ulong SequenceOf(ReadOnlySpan<byte> value)
        => Utf8Parser.TryParse(value, out ulong number, out int read) && read == value.Length ? number : ulong.MaxValue;
}
