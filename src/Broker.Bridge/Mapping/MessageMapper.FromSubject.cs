using System.Buffers;
using System.Buffers.Text;

namespace Broker.Bridge;

public sealed partial class MessageMapper
{
    /// <summary>
    /// Returns the size of scratch memory in bytes that is always enough for <see cref="FromSubject"/>.
    /// </summary>
    public static int FromSubjectScratch(int subjectLength, int headersLength)
        => Math.Max(subjectLength, headersLength);

    /// <summary>Maps a message from NATS.</summary>
    /// <param name="subject">The subject of the message.</param>
    /// <param name="headers">The whole header block; empty if there is none.</param>
    /// <param name="payload">The payload of the message.</param>
    /// <param name="scratch">Memory for the topic; <see cref="FromSubjectScratch"/> returns its size.</param>
    /// <param name="message">
    /// The result, which refers to the payload and to the scratch memory; the default value if the message is refused.
    /// </param>
    public MapStatus FromSubject(
        scoped ReadOnlySpan<byte> subject, scoped ReadOnlySpan<byte> headers, ReadOnlySpan<byte> payload, Span<byte> scratch, out FrameReader message)
    {
        message = default;
        if (!MappingHeaders.TryParse(headers, out MappingHeaders fields))
        {
            return Refuse(MapStatus.MalformedHeaders);
        }

        if (_guard.ShouldDrop(fields.Origin))
        {
            return Refuse(MapStatus.OwnOrigin);
        }

        if (fields.Frames > _options.MaxFrames)
        {
            return Refuse(MapStatus.TooManyFrames);
        }

        if (fields.Frames == 1)
        {
            if (!IsTopicOf(subject, Codec.SingleFrameTopic(payload)))
            {
                return Refuse(MapStatus.TopicMismatch);
            }

            message = new FrameReader(1, payload, payload);
            return MapStatus.Mapped;
        }

        MapStatus status = fields.HasTopic
            ? ReadTopicHeader(subject, fields.Topic, scratch, out int length)
            : DecodeSubject(subject, scratch, out length);
        if (status == MapStatus.Mapped && length > _options.MaxTopicBytes)
        {
            status = MapStatus.TopicTooLong;
        }

        if (status == MapStatus.Mapped && fields.Frames > 2 && !FrameReader.IsFramed(payload, fields.Frames - 1))
        {
            status = MapStatus.MalformedFrames;
        }

        if (status != MapStatus.Mapped)
        {
            return Refuse(status);
        }

        message = new FrameReader(Math.Max(fields.Frames, 2), scratch[..length], payload);
        return MapStatus.Mapped;
    }

    private MapStatus DecodeSubject(ReadOnlySpan<byte> subject, Span<byte> topic, out int length)
        => Codec.Decode(subject, topic, out length) switch
        {
            TopicDecoding.Exact => MapStatus.Mapped,
            TopicDecoding.Foreign => _options.RefuseForeignSubjects ? MapStatus.ForeignSubject : MapStatus.Mapped,
            TopicDecoding.Hashed => MapStatus.TopicMissing,
            TopicDecoding.OutsidePrefix => MapStatus.OutsidePrefix,
            _ => MapStatus.ScratchTooSmall,
        };

    private MapStatus ReadTopicHeader(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> value, Span<byte> topic, out int length)
    {
        length = 0;
        if (value.Length > Base64Url.GetEncodedLength(_options.MaxTopicBytes))
        {
            return MapStatus.TopicTooLong;
        }

        OperationStatus status = Base64Url.DecodeFromUtf8(value, topic, out _, out length);
        if (status != OperationStatus.Done)
        {
            return status == OperationStatus.DestinationTooSmall
                ? MapStatus.ScratchTooSmall
                : MapStatus.MalformedHeaders;
        }

        return IsTopicOf(subject, topic[..length]) ? MapStatus.Mapped : MapStatus.TopicMismatch;
    }

    private bool IsTopicOf(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> topic)
    {
        if (!_options.VerifyTopic)
        {
            return true;
        }

        Span<byte> expected = stackalloc byte[TopicCodec.MaxSubjectLengthLimit];
        int length = Codec.Encode(topic, expected, out _);
        return subject.SequenceEqual(expected[..length]);
    }
}
