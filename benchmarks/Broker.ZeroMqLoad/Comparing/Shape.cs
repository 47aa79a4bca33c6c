namespace Broker.ZeroMqLoad.Comparing;

/// <summary>The traffic of a connection.</summary>
/// <param name="Count">The number of messages; for a publisher, milliseconds; for subscribers, their number.</param>
/// <param name="WarmUp">The number of messages before the measurement; for subscribers, milliseconds.</param>
/// <param name="Size">The size of each message in octets, or the largest size.</param>
internal sealed record Shape(int Count, int WarmUp, int Size)
{
    public bool Varies { get; init; }

    public int Mark { get; init; } = 1000;

    public int Attempts { get; init; }

    /// <summary>Whether threads run the loop's iterations themselves.</summary>
    public bool RunsLoop { get; init; }

    /// <summary>The port of the broker of a bridge; 0 for any.</summary>
    public int Port { get; init; }

    /// <summary>The number of subscribers that a publisher with NetMQ waits for.</summary>
    public int Subscribers { get; init; }

    /// <summary>
    /// The number of topics of a publisher. Each message has its topic in a separate frame; 0 for no topics.
    /// </summary>
    public int Topics { get; init; }
}
