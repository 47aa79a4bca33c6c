namespace Broker.ZeroMq.Loops;

/// <summary>The options of a <see cref="LoopRouter"/>.</summary>
public sealed record LoopRouterOptions : LoopRoutedOptions
{
    /// <summary>Creates options with the default values.</summary>
    public LoopRouterOptions()
    {
    }

    /// <summary>Copies the options that all socket types share. The others have their default values.</summary>
    internal LoopRouterOptions(LoopRoutedOptions common)
        : base(common)
    {
    }

    /// <summary>
    /// Whether an unroutable message, or a message to a full peer, is refused with the corresponding result. If false,
    /// the default as in libzmq, such a message is dropped and counted.
    /// </summary>
    public bool Mandatory { get; init; }

    /// <summary>
    /// Whether a new peer with the routing id of a connected peer replaces it, and the old connection is closed. If
    /// false, the default, the new peer is refused. Use it only if every peer is trusted with every id.
    /// </summary>
    public bool Handover { get; init; }
}
