using System.Runtime.CompilerServices;
using System.Text;

namespace Broker.Bridge;

/// <summary>Converts whole messages between ZeroMQ and NATS.</summary>
/// <remarks>
/// <para>
/// A message of two frames has the topic in the first frame and the NATS payload in the second. A message of one frame
/// has the header <c>Zmq-Frames: 1</c>, and the frame is the payload. A message of N frames has the header
/// <c>Zmq-Frames: N</c>, and the payload contains each frame but the first as a 4-byte big-endian length and the bytes.
/// Each message from ZeroMQ has the header <c>Zmq-Origin</c>. If its subject contains a hash, it also has
/// <c>Zmq-Topic</c> in base64url, which cannot end a header line.
/// </para>
/// <para>
/// The mapper keeps no references to messages or to the caller's memory. Several threads may use it at the same time,
/// each with its own scratch memory. It never throws because of a peer's message: it refuses the message with a
/// <see cref="MapStatus"/> and counts it.
/// </para>
/// </remarks>
public sealed partial class MessageMapper
{
    private const int MaxBridgeId = 64;
    private const int MostPayload = 1 << 29;

    private readonly MappingOptions _options;
    private readonly HeaderWriter _headers;
    private readonly LoopGuard _guard;
    private readonly int _maxPayload;

    /// <summary>Creates a mapper with these options.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public MessageMapper(MappingOptions options)
    {
        Codec = new TopicCodec(options);
        if (!IsBridgeId(options.BridgeId))
        {
            throw new ArgumentException("BridgeId must be 1 to 64 letters, digits, '_', '-' or '.'.", nameof(options));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxTopicBytes, 1, nameof(options));
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxFrames, 1, nameof(options));
        _maxPayload = options.MaxPayload ?? MostPayload;
        ArgumentOutOfRangeException.ThrowIfLessThan(_maxPayload, 1, nameof(options));
        // The sizes of scratch memory are computed as int, and these limits prevent an overflow.
        ArgumentOutOfRangeException.ThrowIfGreaterThan(_maxPayload, MostPayload, nameof(options));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.MaxTopicBytes, 1 << 20, nameof(options));
        _options = options;
        _headers = new HeaderWriter(options.BridgeId);
        _guard = new LoopGuard(Encoding.ASCII.GetBytes(options.BridgeId), options.Echo);
    }

    /// <summary>The codec for topics.</summary>
    public TopicCodec Codec { get; }

    /// <summary>The number of refused messages for each reason.</summary>
    public MappingCounters Counters { get; } = new();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private MapStatus Refuse(MapStatus reason)
    {
        Counters.Count(reason);
        return reason;
    }

    private static bool IsBridgeId(string? id)
    {
        if (string.IsNullOrEmpty(id) || id.Length > MaxBridgeId)
        {
            return false;
        }

        foreach (char c in id)
        {
            if (!char.IsAsciiLetterOrDigit(c) && c is not ('_' or '-' or '.'))
            {
                return false;
            }
        }

        return true;
    }
}
