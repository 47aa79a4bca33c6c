namespace Broker.Bridge.Mapping;

/// <summary>How ZeroMQ topics and messages are written as NATS subjects and messages, and the limits on both.</summary>
/// <remarks>
/// Immutable. Both ends of a topology must agree on <see cref="Prefix"/>, <see cref="TopicDelimiter"/>,
/// <see cref="MaxSubjectLength"/> and the single-frame settings, since these decide which subject a topic has.
/// Values are checked by the constructors of <see cref="TopicCodec"/> and <see cref="MessageMapper"/>.
/// </remarks>
public sealed record MappingOptions
{
    /// <summary>The name under which this bridge marks its messages: 1 to 64 of <c>A-Z a-z 0-9 _ - .</c>, unique among bridges.</summary>
    public required string BridgeId { get; init; }

    /// <summary>The first tokens of every subject; printable ASCII, without wildcards and empty tokens.</summary>
    public string Prefix { get; init; } = "zmq";

    /// <summary>The topic byte that separates tokens and is written as <c>.</c> in subjects.</summary>
    public byte TopicDelimiter { get; init; } = (byte)'.';

    /// <summary>Longest subject in bytes, prefix included; a topic that needs more gets a hash token. At most <see cref="TopicCodec.MaxSubjectLengthLimit"/>.</summary>
    public int MaxSubjectLength { get; init; } = 256;

    /// <summary>Longest first frame, in bytes, of a message of two frames or more.</summary>
    public int MaxTopicBytes { get; init; } = 16 * 1024;

    /// <summary>The byte that ends the topic inside a message of a single frame; null when only the length ends it.</summary>
    public byte? SingleFrameDelimiter { get; init; } = (byte)' ';

    /// <summary>Most bytes of a single frame that are taken as its topic.</summary>
    public int MaxSingleFrameTopic { get; init; } = 128;

    /// <summary>Most frames in one message.</summary>
    public int MaxFrames { get; init; } = 1024;

    /// <summary>
    /// Most bytes of headers and payload together, up to 512 MiB. Default null: what the server takes, which says so by its
    /// <c>max_payload</c>.
    /// </summary>
    public int? MaxPayload { get; init; }

    /// <summary>
    /// Whether a message that this bridge brought from ZeroMQ may go back to ZeroMQ. Turn it off where both sides
    /// are also joined by a ZeroMQ forwarder, which delivers such a message already.
    /// </summary>
    public bool Echo { get; init; } = true;

    /// <summary>
    /// Whether the topic that headers or a single frame claim must be the one its subject stands for. Without the
    /// check, whoever may publish on one subject can send any topic to ZeroMQ; turn it off only where the server
    /// rewrites subjects.
    /// </summary>
    public bool VerifyTopic { get; init; } = true;

    /// <summary>Whether a subject that <see cref="TopicCodec.Encode"/> would never write (<c>zmq.a/b</c>) is refused rather than read leniently.</summary>
    public bool RefuseForeignSubjects { get; init; }

    /// <summary>An id that no other bridge has.</summary>
    public static string NewId() => Convert.ToHexStringLower(System.Security.Cryptography.RandomNumberGenerator.GetBytes(8));
}
