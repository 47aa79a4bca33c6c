namespace Broker.Bridge;

/// <summary>
/// How a bridge converts ZeroMQ topics and messages to NATS subjects and messages and back, and the limits of topics,
/// subjects and messages.
/// </summary>
/// <remarks>
/// Immutable. All bridges of a system must use the same <see cref="Prefix"/>, <see cref="TopicDelimiter"/>,
/// <see cref="MaxSubjectLength"/> and single-frame settings, because these determine the subject of a topic.
/// The constructors of <see cref="TopicCodec"/> and <see cref="MessageMapper"/> check the values.
/// </remarks>
public sealed record MappingOptions
{
    /// <summary>
    /// The id that this bridge adds to its messages: 1 to 64 characters of <c>A-Z a-z 0-9 _ - .</c>, unique among
    /// bridges.
    /// </summary>
    public required string BridgeId { get; init; }

    /// <summary>
    /// The first tokens of every subject: printable ASCII, without wildcards and empty tokens. Default <c>zmq</c>.
    /// </summary>
    public string Prefix { get; init; } = "zmq";

    /// <summary>
    /// The topic byte that separates tokens. A subject contains <c>.</c> in its place. Default <c>.</c>.
    /// </summary>
    public byte TopicDelimiter { get; init; } = (byte)'.';

    /// <summary>
    /// The largest subject length in bytes, prefix included. A longer topic is written with a hash token. At most
    /// <see cref="TopicCodec.MaxSubjectLengthLimit"/>. Default 256.
    /// </summary>
    public int MaxSubjectLength { get; init; } = 256;

    /// <summary>
    /// The largest topic in bytes: the first frame of a message with two frames or more. Default 16 KiB.
    /// </summary>
    public int MaxTopicBytes { get; init; } = 16 * 1024;

    /// <summary>
    /// The byte that ends the topic in a message of a single frame; null if only the length limit ends it. Default: the
    /// space character.
    /// </summary>
    public byte? SingleFrameDelimiter { get; init; } = (byte)' ';

    /// <summary>The largest number of bytes of a single frame that count as its topic. Default 128.</summary>
    public int MaxSingleFrameTopic { get; init; } = 128;

    /// <summary>The largest number of frames in a message. Default 65,535.</summary>
    public int MaxFrames { get; init; } = ushort.MaxValue;

    /// <summary>
    /// The largest size of headers and payload together in bytes, at most 512 MiB. Default null: the server's
    /// <c>max_payload</c> is the only limit.
    /// </summary>
    public int? MaxPayload { get; init; }

    /// <summary>
    /// Whether messages that this bridge published for ZeroMQ programs may go back to ZeroMQ programs. Set this option
    /// to false if a ZeroMQ forwarder also connects both sides, because the forwarder has already delivered these
    /// messages. Default true.
    /// </summary>
    public bool Echo { get; init; } = true;

    /// <summary>
    /// Whether the topic in headers or in a single frame must belong to the subject of the message. Without this check,
    /// a client that may publish to one subject can send any topic to ZeroMQ programs. Set this option to false only if
    /// the server rewrites subjects. Default true.
    /// </summary>
    public bool VerifyTopic { get; init; } = true;

    /// <summary>
    /// Whether to refuse subjects that <see cref="TopicCodec.Encode"/> never writes, such as <c>zmq.a/b</c>. Default
    /// false: such subjects are decoded leniently.
    /// </summary>
    public bool RefuseForeignSubjects { get; init; }

    /// <summary>Returns a new random id.</summary>
    public static string NewId()
        => Convert.ToHexStringLower(System.Security.Cryptography.RandomNumberGenerator.GetBytes(8));
}
