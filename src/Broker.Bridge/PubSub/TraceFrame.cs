using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// Reads and writes the trace context in the last frame of a ZeroMQ message, because ZeroMQ messages have no headers.
/// The frame contains the value of the header <c>traceparent</c> from W3C's Trace Context.
/// </summary>
internal static class TraceFrame
{
    // A message with a trace frame has at least a topic, a body and the trace context. The last frame of a shorter
    // message belongs to its content.
    private const int LeastFrames = 3;

    /// <summary>
    /// Returns the trace context of a message from ZeroMQ; empty if there is none. The result refers to the message.
    /// </summary>
    internal static ReadOnlySpan<byte> Find(in ZmtpMessage message)
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

    /// <summary>The frames of a message without its last frame, which contains the trace context.</summary>
    internal ref struct MessageFrames(in ZmtpMessage message) : IFrameSequence
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

    /// <summary>Writes a mapped message and the trace context as its last frame.</summary>
    internal readonly ref struct Encoder(FrameReader message, ReadOnlySpan<byte> context) : IZmtpEncoder
    {
        private readonly FrameReader _message = message;
        private readonly ReadOnlySpan<byte> _context = context;

        public int EncodedSize
            => new MappedMessageEncoder(_message).EncodedSize + ZmtpWriter.FrameSize(_context.Length);

        public void Encode(Span<byte> destination)
        {
            FrameReader frames = _message;
            while (frames.Next(out ReadOnlySpan<byte> frame) == FrameRead.Frame)
            {
                destination = destination[ZmtpWriter.WriteFrame(destination, frame, more: true)..];
            }

            ZmtpWriter.WriteFrame(destination, _context, more: false);
        }
    }
}
