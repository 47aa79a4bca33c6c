namespace Broker.Bridge;

/// <summary>The properties of a message beside its bytes.</summary>
/// <param name="Frames">
/// The number of frames. 0 means that the message was given up and only its number is sent.
/// </param>
/// <param name="Moved">
/// Whether the message may have reached PUSH before, for example because another egress received it first.
/// </param>
internal readonly record struct MessageShape(int Frames, bool Moved = false)
{
    private const int MovedBit = 1 << 30;

    internal int Pack() => Frames | (Moved ? MovedBit : 0);

    internal static MessageShape Unpack(int packed) => new(packed & ~MovedBit, (packed & MovedBit) != 0);
}
