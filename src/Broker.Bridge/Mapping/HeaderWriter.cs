using System.Buffers.Text;
using System.Text;

namespace Broker.Bridge;

/// <summary>
/// Writes the header blocks of messages from ZeroMQ. The constructor prepares the common blocks. Immutable and
/// thread-safe.
/// </summary>
internal sealed class HeaderWriter
{
    // The maximum length of "Zmq-Frames: " with nine digits, "Zmq-Topic: ", both line ends and the empty line.
    private const int LinesBound = 64;

    private readonly byte[] _start;

    public HeaderWriter(string bridgeId)
    {
        _start = Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Origin: {bridgeId}\r\n");
        TwoFrames = [.. _start, .. "\r\n"u8];
        SingleFrame = [.. _start, .. "Zmq-Frames: 1\r\n\r\n"u8];
    }

    public byte[] TwoFrames { get; }

    public byte[] SingleFrame { get; }

    /// <summary>
    /// Returns the largest number of bytes that <see cref="Write"/> writes for a topic of this length.
    /// </summary>
    public int Bound(int topicLength) => _start.Length + LinesBound + Base64Url.GetEncodedLength(topicLength);

    /// <summary>
    /// Writes the header block of a message with two or more frames. The destination must have <see cref="Bound"/>
    /// bytes.
    /// </summary>
    /// <returns>The length of the block.</returns>
    public int Write(Span<byte> destination, int frames, bool withTopic, ReadOnlySpan<byte> topic)
    {
        _start.CopyTo(destination);
        int at = _start.Length;
        if (frames > 2)
        {
            at += Put(destination[at..], MappingHeaders.FramesName);
            Utf8Formatter.TryFormat(frames, destination[at..], out int digits);
            at += digits;
            at += PutLineEnd(destination[at..]);
        }

        if (withTopic)
        {
            at += Put(destination[at..], MappingHeaders.TopicName);
            at += Base64Url.EncodeToUtf8(topic, destination[at..]);
            at += PutLineEnd(destination[at..]);
        }

        return at + PutLineEnd(destination[at..]);
    }

    private static int Put(Span<byte> destination, ReadOnlySpan<byte> name)
    {
        name.CopyTo(destination);
        ": "u8.CopyTo(destination[name.Length..]);
        return name.Length + 2;
    }

    private static int PutLineEnd(Span<byte> destination)
    {
        "\r\n"u8.CopyTo(destination);
        return 2;
    }
}
