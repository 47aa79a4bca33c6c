namespace Broker.Bridge.Pipelines;

/// <summary>What is known of a message beside its bytes.</summary>
/// <param name="Frames">How many frames it has. 0: it cannot be sent any more, and only its number is.</param>
/// <param name="Moved">Whether it has been sent to another egress before, of which it is not known whether it took it.</param>
internal readonly record struct MessageShape(int Frames, bool Moved = false)
{
    private const int MovedBit = 1 << 30;

    internal int Pack() => Frames | (Moved ? MovedBit : 0);

    internal static MessageShape Unpack(int packed) => new(packed & ~MovedBit, (packed & MovedBit) != 0);
}
