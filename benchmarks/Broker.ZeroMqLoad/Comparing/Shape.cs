namespace Broker.ZeroMqLoad.Comparing;

/// <summary>What goes over a link.</summary>
/// <param name="Count">Messages; for a publisher milliseconds, for subscribers how many they are.</param>
/// <param name="WarmUp">Messages before; for subscribers milliseconds.</param>
/// <param name="Size">Octets of each, or at most.</param>
internal sealed record Shape(int Count, int WarmUp, int Size)
{
    public bool Varies { get; init; }

    public int Mark { get; init; } = 1000;

    public int Attempts { get; init; }

    /// <summary>Whether threads turn the loop themselves.</summary>
    public bool Turns { get; init; }

    /// <summary>How many topics a publisher has, each message's own a frame of its own; 0: none.</summary>
    public int Topics { get; init; }
}
