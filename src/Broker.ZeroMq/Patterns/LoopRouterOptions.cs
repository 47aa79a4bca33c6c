namespace Broker.ZeroMq.Loops;

/// <summary>The options of a <see cref="LoopRouter"/>.</summary>
public sealed record LoopRouterOptions : LoopRoutedOptions
{
    /// <summary>Creates options with the default values.</summary>
    public LoopRouterOptions()
    {
    }

    /// <summary>Copies the options that all socket types share. All other options have their default values.</summary>
    internal LoopRouterOptions(LoopRoutedOptions common)
        : base(common)
    {
    }

    /// <summary>
    /// Whether a send refuses a message that has no peer (<see cref="RouteResult.Unroutable"/>) or whose peer has no
    /// room (<see cref="RouteResult.Full"/>). If false, the default as in libzmq, such a message is dropped and
    /// counted.
    /// </summary>
    public bool Mandatory { get; init; }

    /// <summary>
    /// Whether a new peer replaces a connected peer with the same routing id; the old connection is then closed. If
    /// false, the default, the new peer is refused. Set this option only if you trust every peer with every routing id.
    /// </summary>
    public bool Handover { get; init; }
}
