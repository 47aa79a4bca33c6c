using System.Buffers.Binary;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>Converts received messages to payloads, always into the same array. Used on one loop.</summary>
internal sealed class ReceivedPayload
{
    private byte[] _bytes = [];

    /// <summary>
    /// Returns the payload: a single frame unchanged, or several frames with their lengths. Valid until the next call
    /// or the end of the message.
    /// </summary>
    internal ReadOnlySpan<byte> Convert(in ZmtpMessage message)
        => message.FrameCount == 1 ? message.FirstFrame.Body : Join(message);

    private ReadOnlySpan<byte> Join(in ZmtpMessage message)
    {
        int size = message.BodySize + (message.FrameCount * FrameLengths.Size);
        if (_bytes.Length < size)
        {
            // Message sizes are limited, so this array is limited too.
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
