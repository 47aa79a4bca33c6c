namespace Broker.Client.Streams;

/// <summary>Selects the items that a watch of an object store returns.</summary>
public sealed record ObjectWatchOptions
{
    internal static readonly ObjectWatchOptions Default = new();

    /// <summary>Whether the watch begins with the next change, without an initial set.</summary>
    public bool UpdatesOnly { get; init; }

    /// <summary>Whether deleted objects are left out.</summary>
    public bool IgnoreDeletes { get; init; }

    /// <summary>
    /// The pause after which the server sends a sign of life if it has nothing else to send. After two pauses without
    /// one the watch asks the server again. Default 5 s.
    /// </summary>
    public TimeSpan IdleHeartbeat { get; init; } = TimeSpan.FromSeconds(5);

    internal void Validate()
    {
        if (IdleHeartbeat < TimeSpan.FromMilliseconds(100) || IdleHeartbeat > TimeSpan.FromHours(1))
        {
            throw new ArgumentOutOfRangeException(nameof(IdleHeartbeat), IdleHeartbeat, "IdleHeartbeat must be from 100 ms to 1 hour.");
        }
    }
}
