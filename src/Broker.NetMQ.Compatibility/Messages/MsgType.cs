namespace NetMQ;

/// <summary>The kinds of memory that contain the bytes of a <see cref="Msg"/>.</summary>
public enum MsgType : byte
{
    /// <summary>The message has not been initialised, or it is closed.</summary>
    Uninitialised = 0,

    /// <summary>The message has no bytes.</summary>
    Empty = 101,

    /// <summary>The bytes are in an array of the program.</summary>
    GC = 102,

    /// <summary>The message joins a group.</summary>
    Join = 106,

    /// <summary>The message leaves a group.</summary>
    Leave = 107,

    /// <summary>The bytes are in an array of the <see cref="BufferPool"/>.</summary>
    Pool = 103,

    /// <summary>The message separates other messages.</summary>
    Delimiter = 104,
}
