namespace Broker.Protocol;

/// <summary>What a parser accepts before anything is collected for it. In bytes.</summary>
/// <param name="MaxControlLine">The longest line, without its verb and its end. nats-server's default is 4096.</param>
/// <param name="MaxPayload">The largest payload, headers included. nats-server's default is 1 MiB.</param>
public readonly record struct ParserLimits(int MaxControlLine, int MaxPayload)
{
    /// <summary>4096 bytes of line and 1 MiB of payload.</summary>
    public static ParserLimits Default { get; } = new(4096, 1024 * 1024);
}
