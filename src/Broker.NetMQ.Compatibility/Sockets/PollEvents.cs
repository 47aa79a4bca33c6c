namespace NetMQ;

/// <summary>The operations that a socket is ready for.</summary>
[Flags]
public enum PollEvents
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>A message can be received.</summary>
    PollIn = 1,

    /// <summary>A message can be sent.</summary>
    PollOut = 2,

    /// <summary>The socket has an error.</summary>
    PollError = 4,
}
