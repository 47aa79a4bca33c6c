using System.Buffers.Binary;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.Pipelines;

/// <summary>A received message as a payload. The memory is its own and used again. On one loop.</summary>
internal sealed class ReceivedPayload
{
    private byte[] _bytes = [];

    /// <summary>One frame as it is, several with their lengths before them. Borrowed, until the next call or the end of the message.</summary>
    internal ReadOnlySpan<byte> Of(in ZmtpMessage message) => message.FrameCount == 1 ? message.FirstFrame.Body : Join(message);

    private ReadOnlySpan<byte> Join(in ZmtpMessage message)
    {
        int size = message.BodySize + (message.FrameCount * FrameLengths.Size);
        if (_bytes.Length < size)
        {
            // Messages are bounded, and so is what is kept here.
            _bytes = new byte[Math.Max(size, _bytes.Length * 2)];
        }

        int at = 0;
        foreach (ZmtpFrame frame in message)
        {
            BinaryPrimitives.WriteInt32BigEndian(_bytes.AsSpan(at), frame.Body.Length);
            frame.Body.CopyTo(_bytes.AsSpan(at + FrameLengths.Size));
            at += FrameLengths.Size + frame.Body.Length;
        }

        return _bytes.AsSpan(0, at);
    }
}
