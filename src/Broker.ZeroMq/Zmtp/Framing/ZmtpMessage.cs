using System.Buffers.Binary;

namespace Broker.ZeroMq;

/// <summary>A complete message in the receive memory: all its frames, header and body, in one span.</summary>
/// <remarks>
/// The message is valid until the handler returns. The encoding is the same for every peer of version 3, so a forwarder
/// copies a message with one copy (<see cref="CopyTo"/>) and never encodes it again. No member allocates.
/// </remarks>
public readonly ref struct ZmtpMessage
{
    private readonly ReadOnlySpan<byte> _received;
    private readonly int _commandBytes;

    internal ZmtpMessage(ReadOnlySpan<byte> received, int frameCount, int bodySize, int commandBytes)
    {
        _received = received;
        FrameCount = frameCount;
        BodySize = bodySize;
        _commandBytes = commandBytes;
    }

    /// <summary>The number of frames, at least 1.</summary>
    public int FrameCount { get; }

    /// <summary>The sum of the sizes of the frames' bodies.</summary>
    public int BodySize { get; }

    /// <summary>
    /// The size of the message with its frame headers. <see cref="CopyTo"/> writes this number of octets.
    /// </summary>
    public int EncodedSize => _received.Length - _commandBytes;

    /// <summary>
    /// Whether the encoded message is one contiguous span. The message is not contiguous if the peer put a command
    /// between two of its frames, as libzmq does with PONG and PING while it sends a long message.
    /// </summary>
    public bool IsContiguous => _commandBytes == 0;

    /// <summary>The encoded message if <see cref="IsContiguous"/> is true, otherwise empty.</summary>
    public ReadOnlySpan<byte> Encoded => _commandBytes == 0 ? _received : default;

    /// <summary>The first frame: a topic, a routing envelope or the whole message.</summary>
    public ZmtpFrame FirstFrame
    {
        get
        {
            // The decoder consumes commands that precede a message, so a message begins with a message frame.
            Split(_received, out int header, out int length);
            return new ZmtpFrame(_received.Slice(header, length), (_received[0] & (byte)ZmtpFlags.More) != 0);
        }
    }

    /// <summary>Returns the message without its first frames. At least one frame must remain.</summary>
    public ZmtpMessage Skip(int frames)
    {
        int frameCount = FrameCount;
        int bodySize = BodySize;
        int commandBytes = _commandBytes;
        ReadOnlySpan<byte> rest = _received;
        while (frames > 0)
        {
            Split(rest, out int header, out int length);
            if ((rest[0] & (byte)ZmtpFlags.Command) == 0)
            {
                frames--;
                frameCount--;
                bodySize -= length;
            }
            else
            {
                commandBytes -= header + length;
            }

            rest = rest[(header + length)..];
        }

        // The result must begin with a message frame, so commands before it are skipped.
        while ((rest[0] & (byte)ZmtpFlags.Command) != 0)
        {
            Split(rest, out int header, out int length);
            commandBytes -= header + length;
            rest = rest[(header + length)..];
        }

        return new ZmtpMessage(rest, frameCount, bodySize, commandBytes);
    }

    /// <summary>Enumerates the frames in order.</summary>
    public Enumerator GetEnumerator() => new(_received);

    /// <summary>Copies the encoded message, without the commands between its frames.</summary>
    /// <returns><see cref="EncodedSize"/>.</returns>
    /// <exception cref="ArgumentException">
    /// <paramref name="destination"/> is shorter than <see cref="EncodedSize"/>.
    /// </exception>
    public int CopyTo(Span<byte> destination)
    {
        if (_commandBytes != 0)
        {
            return CopyWithoutCommands(destination);
        }

        _received.CopyTo(destination);
        return _received.Length;
    }

    private int CopyWithoutCommands(Span<byte> destination)
    {
        int written = 0;
        for (ReadOnlySpan<byte> rest = _received; !rest.IsEmpty;)
        {
            Split(rest, out int header, out int length);
            int size = header + length;
            if ((rest[0] & (byte)ZmtpFlags.Command) == 0)
            {
                rest[..size].CopyTo(destination[written..]);
                written += size;
            }

            rest = rest[size..];
        }

        return written;
    }

    private static void Split(ReadOnlySpan<byte> frame, out int header, out int length)
    {
        if ((frame[0] & (byte)ZmtpFlags.Long) == 0)
        {
            header = 2;
            length = frame[1];
        }
        else
        {
            header = ZmtpLimits.LongHeaderSize;
            length = (int)BinaryPrimitives.ReadInt64BigEndian(frame[1..]);
        }
    }

    /// <summary>Enumerates the frames without the commands between them.</summary>
    public ref struct Enumerator
    {
        private ReadOnlySpan<byte> _rest;

        internal Enumerator(ReadOnlySpan<byte> received) => _rest = received;

        /// <summary>The current frame.</summary>
        public ZmtpFrame Current { get; private set; }

        /// <summary>Moves to the next frame.</summary>
        public bool MoveNext()
        {
            while (!_rest.IsEmpty)
            {
                int flags = _rest[0];
                Split(_rest, out int header, out int length);
                ReadOnlySpan<byte> body = _rest.Slice(header, length);
                _rest = _rest[(header + length)..];
                if ((flags & (byte)ZmtpFlags.Command) == 0)
                {
                    Current = new ZmtpFrame(body, (flags & (byte)ZmtpFlags.More) != 0);
                    return true;
                }
            }

            return false;
        }
    }
}
