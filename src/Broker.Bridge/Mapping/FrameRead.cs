namespace Broker.Bridge.Mapping;

/// <summary>The outcome of reading one frame.</summary>
public enum FrameRead
{
    /// <summary>A frame was read.</summary>
    Frame,

    /// <summary>The message has no further frame.</summary>
    End,

    /// <summary>What follows is no frame; nothing further can be read.</summary>
    Malformed,
}
