using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>Writes a payload of several frames as ZMTP frames. The caller has checked the payload.</summary>
internal readonly ref struct FramedEncoder(ReadOnlySpan<byte> payload) : IZmtpEncoder
{
    private readonly ReadOnlySpan<byte> _payload = payload;

    public int EncodedSize
    {
        get
        {
            int size = 0;
            ReadOnlySpan<byte> rest = _payload;
            while (FrameLengths.TryRead(ref rest, out ReadOnlySpan<byte> frame))
            {
                size += ZmtpWriter.FrameSize(frame.Length);
            }

            return size;
        }
    }

    public void Encode(Span<byte> destination)
    {
        ReadOnlySpan<byte> rest = _payload;
        while (FrameLengths.TryRead(ref rest, out ReadOnlySpan<byte> frame))
        {
            destination = destination[ZmtpWriter.WriteFrame(destination, frame, more: !rest.IsEmpty)..];
        }
    }
}
