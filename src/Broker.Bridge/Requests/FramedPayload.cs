using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// The body of a request or reply from a subject, encoded as ZMTP frames after an envelope. Refers to the memory of the
/// body and of the envelope.
/// </summary>
internal readonly ref struct FramedPayload : IZmtpEncoder
{
    private readonly ReadOnlySpan<byte> _envelope;
    private readonly ReadOnlySpan<byte> _payload;
    private readonly int _frames;

    private FramedPayload(ReadOnlySpan<byte> envelope, ReadOnlySpan<byte> payload, int frames)
    {
        _envelope = envelope;
        _payload = payload;
        _frames = frames;
    }

    public int EncodedSize
    {
        get
        {
            if (_frames == 1)
            {
                return _envelope.Length + ZmtpWriter.FrameSize(_payload.Length);
            }

            int size = _envelope.Length;
            ReadOnlySpan<byte> rest = _payload;
            while (FrameReader.TryReadFramed(ref rest, out ReadOnlySpan<byte> frame))
            {
                size += ZmtpWriter.FrameSize(frame.Length);
            }

            return size;
        }
    }

    /// <summary>
    /// Reads a payload; returns false if the header block or the framing of the payload is malformed.
    /// </summary>
    /// <param name="envelope">The encoded frames of the envelope. Each must have the MORE flag.</param>
    /// <param name="headers">The whole header block; empty for none.</param>
    /// <param name="payload">The payload of the message.</param>
    /// <param name="maxFrames">The largest permitted number of frames.</param>
    /// <param name="framed">The message with the envelope.</param>
    internal static bool TryRead(
        ReadOnlySpan<byte> envelope, scoped ReadOnlySpan<byte> headers, ReadOnlySpan<byte> payload, int maxFrames, out FramedPayload framed)
    {
        framed = default;
        int frames = 1;
        if (!headers.IsEmpty)
        {
            if (!MappingHeaders.TryParse(headers, out MappingHeaders fields))
            {
                return false;
            }

            frames = Math.Max(fields.Frames, 1);
            if (frames > maxFrames || (frames > 1 && !FrameReader.IsFramed(payload, frames)))
            {
                return false;
            }
        }

        framed = new FramedPayload(envelope, payload, frames);
        return true;
    }

    /// <summary>Creates a message with a body of one frame.</summary>
    internal static FramedPayload Single(ReadOnlySpan<byte> envelope, ReadOnlySpan<byte> payload)
        => new(envelope, payload, 1);

    public void Encode(Span<byte> destination)
    {
        _envelope.CopyTo(destination);
        destination = destination[_envelope.Length..];
        if (_frames == 1)
        {
            ZmtpWriter.WriteFrame(destination, _payload, more: false);
            return;
        }

        ReadOnlySpan<byte> rest = _payload;
        while (FrameReader.TryReadFramed(ref rest, out ReadOnlySpan<byte> frame))
        {
            destination = destination[ZmtpWriter.WriteFrame(destination, frame, more: !rest.IsEmpty)..];
        }
    }
}
