namespace Broker.Client.Streams;

/// <summary>The progress of a copy from another stream.</summary>
public sealed record StreamSourceInfo
{
    /// <summary>The name of the other stream.</summary>
    public string Name { get; set; } = "";

    /// <summary>The number of messages that are not copied yet.</summary>
    public ulong Lag { get; set; }

    /// <summary>The time since the other stream was heard of. Negative if it was not.</summary>
    public TimeSpan Active { get; set; }
}
