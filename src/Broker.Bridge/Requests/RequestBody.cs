using System.Buffers.Binary;
using System.Buffers.Text;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// Writes a request or a reply from ZeroMQ as a NATS payload. One frame is the whole payload. Several frames are each
/// written as a 4-byte big-endian length and the bytes, and a header contains their number. Further headers contain the
/// sender's identity and the trace context, if they are given. Refers to the memory of the message.
/// </summary>
internal ref struct RequestBody : IPayloadWriter
{
    private const int MostDigits = 10;

    private readonly ZmtpMessage _body;
    private readonly ReadOnlySpan<byte> _identity;
    private readonly ReadOnlySpan<byte> _trace;

    /// <param name="body">The message after its envelope, with at least one frame.</param>
    /// <param name="identity">The identity of the sender; empty to write none.</param>
    /// <param name="trace">The trace context; empty for none.</param>
    internal RequestBody(ZmtpMessage body, ReadOnlySpan<byte> identity = default, ReadOnlySpan<byte> trace = default)
    {
        _body = body;
        _identity = identity;
        _trace = trace;
        bool isOne = body.FrameCount == 1;
        if (isOne && identity.IsEmpty && trace.IsEmpty)
        {
            HeaderLength = -1;
            Length = body.BodySize;
            return;
        }

        Span<byte> digits = stackalloc byte[MostDigits];
        HeaderLength = Start.Length + LineEnd.Length
            + (isOne ? 0 : FramesStart.Length + WriteNumber(digits, body.FrameCount) + LineEnd.Length)
            + (identity.IsEmpty ? 0 : IdentityStart.Length + (2 * identity.Length) + LineEnd.Length)
            + (trace.IsEmpty ? 0 : TraceContext.LineStart.Length + trace.Length + LineEnd.Length);
        Length = HeaderLength + body.BodySize + (isOne ? 0 : 4 * body.FrameCount);
    }

    private static ReadOnlySpan<byte> Start => "NATS/1.0\r\n"u8;

    private static ReadOnlySpan<byte> FramesStart => "Zmq-Frames: "u8;

    private static ReadOnlySpan<byte> IdentityStart => "Zmq-Identity: "u8;

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <summary>The length of the header block; -1 for none.</summary>
    internal int HeaderLength { get; }

    /// <summary>The length of header block and payload together.</summary>
    internal int Length { get; }

    public readonly void Write(Span<byte> payload)
    {
        if (HeaderLength < 0)
        {
            _body.FirstFrame.Body.CopyTo(payload);
            return;
        }

        WriteHeader(payload);
        payload = payload[HeaderLength..];
        if (_body.FrameCount == 1)
        {
            _body.FirstFrame.Body.CopyTo(payload);
            return;
        }

        foreach (ZmtpFrame frame in _body)
        {
            BinaryPrimitives.WriteInt32BigEndian(payload, frame.Body.Length);
            frame.Body.CopyTo(payload[4..]);
            payload = payload[(4 + frame.Body.Length)..];
        }
    }

    private readonly void WriteHeader(Span<byte> destination)
    {
        Put(ref destination, Start);
        if (!_identity.IsEmpty)
        {
            Put(ref destination, IdentityStart);
            Convert.TryToHexStringLower(_identity, destination, out int digits);
            destination = destination[digits..];
            Put(ref destination, LineEnd);
        }

        if (_body.FrameCount > 1)
        {
            Put(ref destination, FramesStart);
            destination = destination[WriteNumber(destination, _body.FrameCount)..];
            Put(ref destination, LineEnd);
        }

        if (!_trace.IsEmpty)
        {
            Put(ref destination, TraceContext.LineStart);
            Put(ref destination, _trace);
            Put(ref destination, LineEnd);
        }

        Put(ref destination, LineEnd);
    }

    private static void Put(ref Span<byte> destination, ReadOnlySpan<byte> text)
    {
        text.CopyTo(destination);
        destination = destination[text.Length..];
    }

    private static int WriteNumber(Span<byte> destination, int number)
    {
        Utf8Formatter.TryFormat(number, destination, out int digits);
        return digits;
    }
}
