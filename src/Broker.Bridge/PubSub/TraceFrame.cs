using System.Buffers;
using Broker.Bridge.Mapping;
using Broker.Protocol.Headers;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.PubSub;

/// <summary>
/// The context of a trace behind the frames of a ZeroMQ message, which has no headers: the text that W3C's Trace Context has for
/// <c>traceparent</c>, as a frame of its own.
/// </summary>
internal static class TraceFrame
{
    /// <summary>What <see cref="AddTo"/> makes a block longer by.</summary>
    internal const int HeaderBytes = 70;

    // Topic, body, trace: of fewer the last one is what the message says.
    private const int LeastFrames = 3;

    // 00-<32 digits>-<16 digits>-<2 digits>; later versions begin so too, and may be longer.
    private const int Length = 55;

    private static readonly SearchValues<byte> HexDigits = SearchValues.Create("0123456789abcdef"u8);

    private static ReadOnlySpan<byte> HeaderName => "traceparent"u8;

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

        return IsContext(last) ? last : default;
    }

    /// <summary>The context in a block of headers; empty for none, or for what a receiver would not take for one. Borrowed from the block.</summary>
    internal static ReadOnlySpan<byte> Of(ReadOnlySpan<byte> headers)
        => !headers.IsEmpty && HeaderBlock.TryGet(headers, HeaderName, out ReadOnlySpan<byte> value) && IsContext(value) ? value : default;

    /// <summary>Writes a block of headers with the context as one more line; answers its length.</summary>
    internal static int AddTo(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> context, Span<byte> destination)
    {
        // Before the empty line at the end.
        int at = headers.Length - 2;
        headers[..at].CopyTo(destination);
        HeaderName.CopyTo(destination[at..]);
        at += HeaderName.Length;
        ": "u8.CopyTo(destination[at..]);
        at += 2;
        context.CopyTo(destination[at..]);
        at += context.Length;
        "\r\n\r\n"u8.CopyTo(destination[at..]);
        return at + 4;
    }

    private static bool IsContext(ReadOnlySpan<byte> text) =>
        text.Length == Length && text[2] == '-' && text[35] == '-' && text[52] == '-'
        && IsHex(text[..2]) && !text.StartsWith("ff"u8)
        && IsHex(text[3..35]) && text[3..35].ContainsAnyExcept((byte)'0')
        && IsHex(text[36..52]) && text[36..52].ContainsAnyExcept((byte)'0')
        && IsHex(text[53..]);

    private static bool IsHex(ReadOnlySpan<byte> text) => !text.ContainsAnyExcept(HexDigits);

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
