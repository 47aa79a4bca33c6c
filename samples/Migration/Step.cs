namespace Migration;

/// <summary>How far a system has come on its way.</summary>
public enum Step
{
    /// <summary>ZeroMQ programs that talk to each other.</summary>
    ZeroMq,

    /// <summary>The same programs, each at the bridge.</summary>
    Bridged,

    /// <summary>Some of them replaced by clients of NATS.</summary>
    HalfNative,
}
