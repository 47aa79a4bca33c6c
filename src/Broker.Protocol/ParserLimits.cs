namespace Broker.Protocol;

/// <summary>The limits of a parser, in bytes. A parser checks them before the caller buffers anything.</summary>
/// <param name="MaxControlLine">
/// The longest control line. The verb, the separator after the verb and the line end do not count. The default of
/// nats-server is 4096.
/// </param>
/// <param name="MaxPayload">The largest payload, headers included. The default of nats-server is 1 MiB.</param>
/// <remarks>
/// A negative limit counts as 0. A limit above 999,999,999 counts as 999,999,999, the largest size in nats-server's
/// protocol.
/// </remarks>
public readonly record struct ParserLimits(int MaxControlLine, int MaxPayload)
{
    // The limit has nine digits, so that the sum of verb, line, payload and line ends fits an int.
    private const int Max = 999_999_999;

    /// <summary>A control line of 4096 bytes and a payload of 1 MiB.</summary>
    public static ParserLimits Default { get; } = new(4096, 1024 * 1024);

    internal int Line => Math.Clamp(MaxControlLine, 0, Max);

    internal int Payload => Math.Clamp(MaxPayload, 0, Max);
}
