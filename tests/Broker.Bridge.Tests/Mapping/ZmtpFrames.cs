using System.Buffers.Binary;

namespace Broker.Bridge.Tests.Mapping;

/// <summary>Reads the frames of one complete ZMTP 3 message in one span (RFC 37).</summary>
/// <remarks>
/// Refers to the span. Command frames, reserved flags and a MORE flag that contradicts the end of the span are
/// malformed.
/// </remarks>
internal ref struct ZmtpFrames(ReadOnlySpan<byte> message) : IFrameSequence
{
    private const int More = 1;
    private const int Long = 2;

    private ReadOnlySpan<byte> _rest = message;
    private bool _more = !message.IsEmpty;

    public FrameRead Next(out ReadOnlySpan<byte> frame)
    {
        frame = default;
        if (!_more)
        {
            return _rest.IsEmpty ? FrameRead.End : FrameRead.Malformed;
        }

        if (_rest.Length < 2 || (_rest[0] & ~(More | Long)) != 0)
        {
            return FrameRead.Malformed;
        }

        int flags = _rest[0];
        ulong length = _rest[1];
        int header = 2;
        if ((flags & Long) != 0)
        {
            header = 9;
            if (!BinaryPrimitives.TryReadUInt64BigEndian(_rest[1..], out length))
            {
                return FrameRead.Malformed;
            }
        }

        if (length > (ulong)(_rest.Length - header))
        {
            return FrameRead.Malformed;
        }

        frame = _rest.Slice(header, (int)length);
        _rest = _rest[(header + (int)length)..];
        _more = (flags & More) != 0;
        return FrameRead.Frame;
    }
}
