namespace Broker.Bridge;

/// <summary>The result of reading one frame.</summary>
public enum FrameRead
{
    /// <summary>A frame was read.</summary>
    Frame,

    /// <summary>The message has no more frames.</summary>
    End,

    /// <summary>The next bytes are not a valid frame, and nothing more can be read.</summary>
    Malformed,
}
