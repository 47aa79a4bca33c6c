using System.Buffers.Binary;

namespace Broker.Bridge;

public sealed partial class MessageMapper
{
    /// <summary>
    /// Returns the size of scratch memory in bytes that is always enough for <see cref="ToSubject"/>.
    /// </summary>
    /// <param name="wireBytes">
    /// The encoded length of the ZeroMQ message: for each frame at least 2 bytes plus its body.
    /// </param>
    public int ToSubjectScratch(int wireBytes)
    {
        // A length prefix of 4 bytes is at most two bytes longer than the frame header that it replaces.
        int wire = Math.Clamp(wireBytes, 0, _maxPayload);
        return Codec.MaxSubjectLength + HeaderBound(wireBytes) + (2 * wire);
    }

    /// <summary>Returns the largest length of the header block of a message with this encoded length.</summary>
    internal int HeaderBound(int wireBytes) => _headers.Bound(Math.Clamp(wireBytes, 0, _options.MaxTopicBytes));

    /// <summary>Maps a message from ZeroMQ.</summary>
    /// <param name="frames">The frames of the message, from the current position.</param>
    /// <param name="scratch">
    /// Memory for the parts that the mapper writes; <see cref="ToSubjectScratch"/> returns its size.
    /// </param>
    /// <param name="message">
    /// The result, which refers to the frames and to the scratch memory; the default value if the message is refused.
    /// </param>
    /// <typeparam name="TFrames">The type of the frame sequence.</typeparam>
    public MapStatus ToSubject<TFrames>(TFrames frames, Span<byte> scratch, out SubjectMessage message)
        where TFrames : struct, IFrameSequence, allows ref struct
    {
        message = default;
        if (scratch.Length < Codec.MaxSubjectLength)
        {
            return Refuse(MapStatus.ScratchTooSmall);
        }

        FrameRead read = frames.Next(out ReadOnlySpan<byte> first);
        if (read != FrameRead.Frame)
        {
            return Refuse(read == FrameRead.End ? MapStatus.NoFrames : MapStatus.MalformedFrames);
        }

        read = frames.Next(out ReadOnlySpan<byte> second);
        if (read == FrameRead.Malformed)
        {
            return Refuse(MapStatus.MalformedFrames);
        }

        if (read == FrameRead.End)
        {
            int length = Codec.Encode(Codec.SingleFrameTopic(first), scratch, out _);
            return Finish(scratch[..length], _headers.SingleFrame, first, out message);
        }

        if (first.Length > _options.MaxTopicBytes)
        {
            return Refuse(MapStatus.TopicTooLong);
        }

        int subjectLength = Codec.Encode(first, scratch, out bool hashed);
        Span<byte> subject = scratch[..subjectLength];
        scratch = scratch[subjectLength..];
        int count = 2;
        ReadOnlySpan<byte> payload = second;
        read = frames.Next(out ReadOnlySpan<byte> third);
        if (read != FrameRead.End)
        {
            MapStatus status = WriteFramed(frames, read, second, third, scratch, out count, out int written);
            if (status != MapStatus.Mapped)
            {
                return Refuse(status);
            }

            payload = scratch[..written];
            scratch = scratch[written..];
        }
        else if (!hashed)
        {
            return Finish(subject, _headers.TwoFrames, second, out message);
        }

        if (scratch.Length < _headers.Bound(hashed ? first.Length : 0))
        {
            return Refuse(MapStatus.ScratchTooSmall);
        }

        int headerLength = _headers.Write(scratch, count, hashed, first);
        return Finish(subject, scratch[..headerLength], payload, out message);
    }

    private MapStatus Finish(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> payload, out SubjectMessage message)
    {
        if (payload.Length > _maxPayload - headers.Length)
        {
            message = default;
            return Refuse(MapStatus.TooLarge);
        }

        message = new SubjectMessage(subject, headers, payload);
        return MapStatus.Mapped;
    }

    private MapStatus WriteFramed<TFrames>(
        TFrames frames, FrameRead read, scoped ReadOnlySpan<byte> second, scoped ReadOnlySpan<byte> next, Span<byte> destination, out int count, out int written)
        where TFrames : struct, IFrameSequence, allows ref struct
    {
        written = 0;
        count = 1;
        MapStatus status = Append(second, destination, ref count, ref written);
        while (status == MapStatus.Mapped && read == FrameRead.Frame)
        {
            status = Append(next, destination, ref count, ref written);
            read = frames.Next(out ReadOnlySpan<byte> following);
            next = following;
        }

        return status == MapStatus.Mapped && read == FrameRead.Malformed ? MapStatus.MalformedFrames : status;
    }

    private MapStatus Append(scoped ReadOnlySpan<byte> frame, Span<byte> destination, ref int count, ref int written)
    {
        if (count == _options.MaxFrames)
        {
            return MapStatus.TooManyFrames;
        }

        if (frame.Length > _maxPayload - written - 4)
        {
            return MapStatus.TooLarge;
        }

        if (frame.Length > destination.Length - written - 4)
        {
            return MapStatus.ScratchTooSmall;
        }

        BinaryPrimitives.WriteInt32BigEndian(destination[written..], frame.Length);
        frame.CopyTo(destination[(written + 4)..]);
        written += 4 + frame.Length;
        count++;
        return MapStatus.Mapped;
    }
}
