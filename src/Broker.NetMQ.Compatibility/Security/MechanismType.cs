namespace NetMQ;

/// <summary>The ways in which two sockets prove who they are.</summary>
public enum MechanismType
{
    /// <summary>They prove nothing, and nothing is encrypted.</summary>
    Null = 0,

    /// <summary>A user name and a password.</summary>
    Plain = 1,

    /// <summary>Keys of CURVE; all messages are encrypted.</summary>
    Curve = 2,
}
