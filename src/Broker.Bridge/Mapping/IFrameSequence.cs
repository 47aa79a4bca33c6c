namespace Broker.Bridge;

/// <summary>Reads the frames of one ZeroMQ message in order, once.</summary>
/// <remarks>
/// Implement it as a struct and use it through a generic constraint, so that calls are neither virtual nor boxed.
/// </remarks>
public interface IFrameSequence
{
    /// <summary>Reads the next frame.</summary>
    /// <param name="frame">
    /// The body of the frame, valid as long as the memory of the message; empty unless a frame was read.
    /// </param>
    FrameRead Next(out ReadOnlySpan<byte> frame);
}
