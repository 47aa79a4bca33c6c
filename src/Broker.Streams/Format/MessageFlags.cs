namespace Broker.Streams;

/// <summary>The facts of a message's headers, so that a start need not read the headers of other messages.</summary>
[Flags]
internal enum MessageFlags : byte
{
    None = 0,

    /// <summary>The message has a time to live of its own.</summary>
    HasTimeToLive = 1,

    /// <summary>The message says that its subject has no value. When it expires, no other such message follows it.</summary>
    IsMarker = 2,
}
