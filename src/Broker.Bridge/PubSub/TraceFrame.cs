using Broker.Bridge.Mapping;
using Broker.Bridge.Tracing;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.PubSub;

/// <summary>
/// The context of a trace behind the frames of a ZeroMQ message, which has no headers: the text that W3C's Trace Context has for
/// <c>traceparent</c>, as a frame of its own.
/// </summary>
internal static class TraceFrame
{
    // Topic, body, trace: of fewer the last one is what the message says.
    private const int LeastFrames = 3;

    /// <summary>The context that a message from ZeroMQ carries; empty for none. Borrowed from the message.</summary>
    internal static ReadOnlySpan<byte> Of(in ZmtpMessage message)
    {
        if (message.FrameCount < LeastFrames)
        {
            return default;
        }

        ReadOnlySpan<byte> last = default;
        foreach (ZmtpFrame frame in message)
        {
            last = frame.Body;
        }

        return TraceContext.IsContext(last) ? last : default;
    }

    /// <summary>The frames of a message before the one with the context.</summary>
    internal ref struct Others(in ZmtpMessage message) : IFrameSequence
    {
        private ZmtpMessage.Enumerator _frames = message.GetEnumerator();
        private int _left = message.FrameCount - 1;

        public FrameRead Next(out ReadOnlySpan<byte> frame)
        {
            bool any = _left-- > 0 && _frames.MoveNext();
            frame = any ? _frames.Current.Body : default;
            return any ? FrameRead.Frame : FrameRead.End;
        }
    }

    /// <summary>A mapped message, and the context behind it.</summary>
    internal readonly ref struct Encoder(ZeroMqMessage message, ReadOnlySpan<byte> context) : IZmtpEncoder
    {
        private readonly ZeroMqMessage _message = message;
        private readonly ReadOnlySpan<byte> _context = context;

        public int EncodedSize => new MappedMessageEncoder(_message).EncodedSize + ZmtpWriter.FrameSize(_context.Length);

        public void Encode(Span<byte> destination)
        {
            ZeroMqMessage frames = _message;
            while (frames.Next(out ReadOnlySpan<byte> frame) == FrameRead.Frame)
            {
                destination = destination[ZmtpWriter.WriteFrame(destination, frame, more: true)..];
            }

            ZmtpWriter.WriteFrame(destination, _context, more: false);
        }
    }
}
