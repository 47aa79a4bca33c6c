namespace Migration;

/// <summary>The steps of a migration.</summary>
public enum Step
{
    /// <summary>The ZeroMQ programs are connected directly.</summary>
    ZeroMq,

    /// <summary>The same programs are connected to the bridge.</summary>
    Bridged,

    /// <summary>NATS clients have replaced some of the programs.</summary>
    HalfNative,
}
