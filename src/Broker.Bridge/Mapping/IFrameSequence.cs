namespace Broker.Bridge.Mapping;

/// <summary>The frames of one ZeroMQ message, read once and forwards.</summary>
/// <remarks>Implemented by structs and used through a generic constraint, so that reading is neither virtual nor boxed.</remarks>
public interface IFrameSequence
{
    /// <summary>Reads the next frame.</summary>
    /// <param name="frame">The frame's body, valid as long as the memory under the sequence; empty unless a frame was read.</param>
    FrameRead Next(out ReadOnlySpan<byte> frame);
}
