using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>The frames of a received ZeroMQ message. The ZMTP decoder has already checked them.</summary>
internal ref struct ReceivedFrames(ZmtpMessage.Enumerator frames) : IFrameSequence
{
    private ZmtpMessage.Enumerator _frames = frames;

    public FrameRead Next(out ReadOnlySpan<byte> frame)
    {
        bool any = _frames.MoveNext();
        frame = any ? _frames.Current.Body : default;
        return any ? FrameRead.Frame : FrameRead.End;
    }
}
