namespace Broker.Transport;

/// <summary>How a group of event loops is set up.</summary>
public sealed record EventLoopOptions
{
    /// <summary>
    /// How many loops, each with a thread of its own unless <see cref="CallerDriven"/>. 0, the default, takes half of the processors, at least one and at
    /// most eight: the programs at the other ends of the connections need the rest.
    /// </summary>
    public int Loops { get; init; }

    /// <summary>
    /// Start no thread: the group has one loop, and a thread of the application turns it with <see cref="EventLoop.RunOnce"/>. For receives
    /// that block, and for tests without threads. Nothing happens between two turns, so whoever waits for the loop must not be the
    /// thread that turns it. <see cref="EventLoopGroup.Dispose"/> closes the connections on the thread that calls it.
    /// </summary>
    public bool CallerDriven { get; init; }

    /// <summary>
    /// What the loops' timers, and with them every time limit of a connection, go by. For tests whose time is set by hand. A loop that
    /// waits for its next timer is woken by a timer of this one. Default <see cref="TimeProvider.System"/>.
    /// </summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// How many times a loop looks for new events after it had some, before it lets its thread sleep. A look costs well
    /// under a microsecond and a sleep with its wake-up about 20 µs of processor time, so that a request that follows the
    /// last one closely is answered at once. A count and not a time; no clock is read. A loop that found nothing in this way
    /// a few times in a row stops looking until events come close together again (less than 100 µs after it fell asleep), and an
    /// idle loop uses no processor time at all. It does not look after it has read 32 KiB or more at once, unless others send
    /// little: nobody waits for an answer to bulk. A group with as many loops as there are processors, or more, never looks: it would take the time of
    /// the programs that it waits for. 0 turns it off. Default 400.
    /// </summary>
    public int IdlePolls { get; init; } = 400;

    /// <summary>
    /// How many looks a connection that always has more waits between two reads of up to <see cref="ReceiveBufferSize"/>,
    /// while other connections of its loop send little and wait for answers; fewer, one for 32 messages, where its handler says how many
    /// a read held (<see cref="Connection.CountMessages"/>). It bounds what a peer that floods with small messages takes from their
    /// threads where processors are few, and its rate: a look takes one microsecond or two. Alone it is never held up. For sockets; 0 turns it off.
    /// Default: 60 on fewer than four processors, else 0.
    /// </summary>
    public int? BulkPause { get; init; }

    /// <summary>How many bytes one read takes at most. The memory is the loop's, not the connection's. Default 64 KiB.</summary>
    public int ReceiveBufferSize { get; init; } = 64 * 1024;

    /// <summary>
    /// How many bytes may be held for all peers together (<see cref="EventLoopGroup.MemoryBudget"/>): beyond half of it, protocols that heed it keep each peer
    /// to a share. ZeroMQ's sockets do; a server has a bound of its own. 0 for no limit. Default: a quarter of what the collector may
    /// hold, where that is limited (<see cref="HeapLimit"/>), else none.
    /// </summary>
    public long? MaxBufferedBytes { get; init; }

    /// <summary>
    /// Use the portable way of waiting for sockets (<see cref="System.Net.Sockets.SocketAsyncEventArgs"/>) even where the
    /// faster one of the operating system is at hand. For tests and comparisons. The switch <c>Broker.Transport.ForcePortable</c> of
    /// <see cref="AppContext"/> does so for all loops of a process that are made after it was set.
    /// </summary>
    public bool ForcePortable { get; init; }

    /// <summary>
    /// What bounds the connections that listeners of this group accept. Default: one of its own, by the limit of the process.
    /// </summary>
    public ConnectionBudget? ConnectionBudget { get; init; }

    /// <summary>The name of the loops' threads, followed by their number. Default "broker loop".</summary>
    public string ThreadName { get; init; } = "broker loop";

    /// <summary>
    /// Told of exceptions that escaped from a handler's last callback or from a posted action, on the loop's thread. Default: none.
    /// </summary>
    public Action<Exception>? OnFault { get; init; }
}
