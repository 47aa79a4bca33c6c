using System.Runtime.CompilerServices;
using System.Text;

namespace Broker.Bridge.Mapping;

/// <summary>Maps whole messages between ZeroMQ and NATS.</summary>
/// <remarks>
/// <para>
/// Two frames: topic and raw payload. One frame: raw payload, <c>Zmq-Frames: 1</c>. More: each frame but the first as a
/// 4-byte big-endian length and its bytes, <c>Zmq-Frames: N</c>. Each message from ZeroMQ carries <c>Zmq-Origin</c>, and
/// <c>Zmq-Topic</c> (base64url, so nothing in it can end a header line) when its subject is hashed.
/// </para>
/// <para>
/// Holds no message and no caller's memory; any thread, even several at once with scratch memory of their own. Nothing
/// a peer sends makes it throw: what cannot be mapped is refused with a <see cref="MapStatus"/> and counted.
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

    /// <summary>Prepares the constant parts.</summary>
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
        // Bounds are computed in int.
        ArgumentOutOfRangeException.ThrowIfGreaterThan(_maxPayload, MostPayload, nameof(options));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.MaxTopicBytes, 1 << 20, nameof(options));
        _options = options;
        _headers = new HeaderWriter(options.BridgeId);
        _guard = new LoopGuard(Encoding.ASCII.GetBytes(options.BridgeId), options.Echo);
    }

    /// <summary>The codec used for topics.</summary>
    public TopicCodec Codec { get; }

    /// <summary>Messages that were not mapped.</summary>
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
