using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// The state that the parts of a connection share: the current server, the connection state and the gate that guards
/// both. Each part owns the rest of its data, and gets the other parts that it uses in its constructor.
/// </summary>
/// <remarks>
/// "Under the gate" means that the caller holds <see cref="Gate"/>. No callback of the application is called under the
/// gate.
/// </remarks>
internal abstract class SharedState
{
    private readonly SharedEventLoops? _ownLoops;
    private volatile ServerLink? _link;
    private volatile ConnectionState _state = ConnectionState.Connecting;

    private protected SharedState(ClientOptions options, IConnectionEvents events)
    {
        Options = options;
        _ownLoops = options.Loops is null ? SharedEventLoops.Acquire(events.ReportFault) : null;
        Group = options.Loops ?? _ownLoops!.Group;
        Loop = Group.Next();
    }

    internal ClientOptions Options { get; }

    internal EventLoopGroup Group { get; }

    /// <summary>The event loop that runs handlers and callbacks.</summary>
    internal EventLoop Loop { get; }

    internal Lock Gate { get; } = new();

    /// <summary>
    /// Cancelled when the connection ends. It is never disposed: it has no timer, and a running connect may still read
    /// its token.
    /// </summary>
    internal CancellationTokenSource Ending { get; } = new();

    /// <summary>
    /// The current server. Null if no server is connected. Written under the gate, read on any thread.
    /// </summary>
    internal ServerLink? Link
    {
        get => _link;
        set => _link = value;
    }

    /// <summary>The connection state. Written under the gate, read on any thread.</summary>
    internal ConnectionState State
    {
        get => _state;
        set => _state = value;
    }

    /// <summary>The loop of the group that the caller runs on. Null on every other thread.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal EventLoop? CurrentLoop()
        => Loop.IsCurrent ? Loop : Group.Count == 1 ? null : OtherCurrentLoop();

    /// <summary>Releases the event loops, unless they belong to the application.</summary>
    internal void ReleaseLoops() => _ownLoops?.Dispose();

    private EventLoop? OtherCurrentLoop()
    {
        for (int i = 0; i < Group.Count; i++)
        {
            if (Group[i].IsCurrent)
            {
                return Group[i];
            }
        }

        return null;
    }
}
