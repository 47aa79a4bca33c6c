namespace Broker.Protocol;

/// <summary>What a parser accepts before anything is collected for it. In bytes.</summary>
/// <param name="MaxControlLine">
/// The longest line, without its verb, the separator after it and its end. nats-server's default is 4096.
/// </param>
/// <param name="MaxPayload">The largest payload, headers included. nats-server's default is 1 MiB.</param>
/// <remarks>A negative limit counts as 0, and one above 999,999,999 as that: it is the largest size of nats-server's protocol.</remarks>
public readonly record struct ParserLimits(int MaxControlLine, int MaxPayload)
{
    // Nine digits; verb, line, payload and ends together still fit an int.
    private const int Most = 999_999_999;

    /// <summary>4096 bytes of line and 1 MiB of payload.</summary>
    public static ParserLimits Default { get; } = new(4096, 1024 * 1024);

    internal int Line => Math.Clamp(MaxControlLine, 0, Most);

    internal int Payload => Math.Clamp(MaxPayload, 0, Most);
}
