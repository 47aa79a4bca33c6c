namespace NetMQ;

/// <summary>The flags of a <see cref="Msg"/>.</summary>
[Flags]
public enum MsgFlags : byte
{
    /// <summary>No flag.</summary>
    None = 0,

    /// <summary>More frames of the same message follow.</summary>
    More = 1,

    /// <summary>The frame is a command of the protocol.</summary>
    Command = 2,

    /// <summary>The frame is a routing id.</summary>
    Identity = 64,

    /// <summary>Several messages use the same buffer.</summary>
    Shared = 128,
}
