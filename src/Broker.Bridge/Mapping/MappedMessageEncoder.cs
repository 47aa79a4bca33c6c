using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>Writes a mapped message as ZMTP frames.</summary>
internal readonly ref struct MappedMessageEncoder(FrameReader message) : IZmtpEncoder
{
    private readonly FrameReader _message = message;

    public int EncodedSize
    {
        get
        {
            int size = 0;
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
        FrameReader frames = _message;
        for (int left = frames.FrameCount; left > 0; left--)
        {
            frames.Next(out ReadOnlySpan<byte> frame);
            destination = destination[ZmtpWriter.WriteFrame(destination, frame, more: left > 1)..];
        }
    }
}
