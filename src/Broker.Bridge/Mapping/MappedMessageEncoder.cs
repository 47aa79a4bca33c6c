using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>Writes a mapped message as ZMTP frames.</summary>
/// <param name="message">The frames of the message.</param>
/// <param name="envelope">Encoded frames that precede the message; all of them have the MORE bit.</param>
internal readonly ref struct MappedMessageEncoder(FrameReader message, ReadOnlySpan<byte> envelope = default)
    : IZmtpEncoder
{
    private readonly FrameReader _message = message;
    private readonly ReadOnlySpan<byte> _envelope = envelope;

    public int EncodedSize
    {
        get
        {
            int size = _envelope.Length;
            FrameReader frames = _message;
            while (frames.Next(out ReadOnlySpan<byte> frame) == FrameRead.Frame)
            {
                size += ZmtpWriter.FrameSize(frame.Length);
            }

            return size;
        }
    }

    public void Encode(Span<byte> destination)
    {
        _envelope.CopyTo(destination);
        destination = destination[_envelope.Length..];
        FrameReader frames = _message;
        for (int left = frames.FrameCount; left > 0; left--)
        {
            frames.Next(out ReadOnlySpan<byte> frame);
            destination = destination[ZmtpWriter.WriteFrame(destination, frame, more: left > 1)..];
        }
    }
}
