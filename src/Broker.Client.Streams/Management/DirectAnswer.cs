using System.Buffers.Text;
using System.Globalization;
using System.Text;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>Reads a message that a server sent as it is, with its place in the stream in the headers.</summary>
internal static class DirectAnswer
{
    private const int NotFound = 404;

    /// <summary>Returns null if there is no such message.</summary>
    /// <exception cref="StreamException">The answer is an error, or is not valid.</exception>
    internal static StoredMessage? Read(ApiCall call, Message answer)
    {
        ReadOnlySpan<byte> headers = answer.Headers.Span;
        int status = headers.IsEmpty ? 0 : HeaderBlock.Status(headers);
        if (status == NotFound)
        {
            return null;
        }

        if (status != 0)
        {
            throw call.CreateException(new ApiError { Status = status, Description = StatusLine.Text(headers) });
        }

        if (!HeaderBlock.TryGet(headers, "Nats-Sequence"u8, out ReadOnlySpan<byte> number)
            || !Utf8Parser.TryParse(number, out ulong sequence, out int read) || read != number.Length
            || !HeaderBlock.TryGet(headers, "Nats-Subject"u8, out ReadOnlySpan<byte> subject))
        {
            throw call.CreateException("the answer has no valid Nats-Sequence and Nats-Subject");
        }

        string stream = HeaderBlock.TryGet(headers, "Nats-Stream"u8, out ReadOnlySpan<byte> name) ? Encoding.UTF8.GetString(name) : call.Stream!;
        DateTimeOffset time = HeaderBlock.TryGet(headers, "Nats-Time-Stamp"u8, out ReadOnlySpan<byte> text)
            && DateTimeOffset.TryParse(
                Encoding.UTF8.GetString(text), CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out DateTimeOffset stored)
            ? stored
            : default;
        return new StoredMessage(stream, Encoding.UTF8.GetString(subject), sequence, time, answer.Headers, answer.Body);
    }
}
