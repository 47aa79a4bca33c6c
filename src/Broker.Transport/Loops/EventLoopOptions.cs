namespace Broker.Transport;

/// <summary>The settings of a group of event loops.</summary>
public sealed record EventLoopOptions
{
    /// <summary>
    /// The number of loops, each with a thread of its own unless <see cref="CallerDriven"/> is set. 0, the default,
    /// means half of the number of processors, at least one and at most eight. The programs at the other ends of the
    /// connections need the other processors.
    /// </summary>
    public int Loops { get; init; }

    /// <summary>
    /// Whether the group starts no thread. If true, the group has one loop, and a thread of the application runs its
    /// iterations with <see cref="EventLoop.RunOnce"/>. This is for blocking receives, and for tests without threads.
    /// Nothing happens between two iterations, so the thread that runs the loop must not wait for the loop.
    /// <see cref="EventLoopGroup.Dispose"/> closes the connections on the thread that calls it.
    /// </summary>
    public bool CallerDriven { get; init; }

    /// <summary>
    /// The clock of the loops' timers, and so of every time limit of a connection. Tests can set the time themselves
    /// with a provider of their own. If a loop waits for its next timer, a timer of this provider wakes the loop.
    /// Default: <see cref="TimeProvider.System"/>.
    /// </summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// The number of times that a loop polls for new events after it had some, before its thread sleeps. So a request
    /// that soon follows the previous request is answered at once. A poll costs well under a microsecond. A sleep with
    /// its wake-up costs about 20 µs of processor time. This is a count and not a time, so no clock is read. If polls
    /// have found nothing a few times in a row, the loop stops polling until events come close together again (less
    /// than 100 µs after it fell asleep). So an idle loop uses no processor time. If the loop has just read 32 KiB or
    /// more at once, it does not poll, because no peer waits for a reply to bulk data, unless other connections send
    /// little. If a group has at least as many loops as there are processors, it never polls, because polling would
    /// take time from the programs for whose bytes it waits. 0 turns polling off. Default: 400.
    /// </summary>
    public int IdlePolls { get; init; } = 400;

    /// <summary>
    /// The pause of a bulk connection between two reads of up to <see cref="ReceiveBufferSize"/>, as a number of polls.
    /// A bulk connection always has more to read. It pauses only while other connections of its loop send little and
    /// wait for replies. If its handler reports how many messages a read contained
    /// (<see cref="Connection.CountMessages"/>), the pause is shorter: one poll for each 32 messages. If there are few
    /// processors, the pause limits how much processor time a peer that floods with small messages takes from the other
    /// programs. It also limits the rate of that peer, because a poll takes one or two microseconds. A connection that
    /// is alone never pauses. For sockets. 0 means no pause. Default: 60 on fewer than four processors, otherwise 0.
    /// </summary>
    public int? BulkPause { get; init; }

    /// <summary>
    /// The largest number of bytes that one read takes. The memory belongs to the loop, not to the connection. Default:
    /// 64 KiB.
    /// </summary>
    public int ReceiveBufferSize { get; init; } = 64 * 1024;

    /// <summary>
    /// The limit on the bytes that may be buffered for all peers together (<see cref="EventLoopGroup.MemoryBudget"/>).
    /// When more than half of it is used, protocols that support it limit each peer to a share. ZeroMQ sockets do this.
    /// A NATS server has a limit of its own. 0 means no limit. Default: a quarter of the garbage collector's heap limit
    /// (<see cref="HeapLimit"/>), or no limit if the heap has no limit.
    /// </summary>
    public long? MaxBufferedBytes { get; init; }

    /// <summary>
    /// The limit on the bytes that unfinished received messages of all connections may hold together
    /// (<see cref="EventLoopGroup.ReceiveBudget"/>). Default: a quarter of the memory that is available to the garbage
    /// collector's heap. If the heap has a limit, this memory is the limit.
    /// </summary>
    public long? MaxReceivedBytes { get; init; }

    /// <summary>The longest time that a connection may wait for memory for received bytes.</summary>
    internal TimeSpan ReceiveWaitLimit { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// The time in which a connection that holds memory must receive more bytes while other connections wait.
    /// </summary>
    internal TimeSpan ReceiveStallLimit { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Whether the loops use the portable way to wait for sockets
    /// (<see cref="System.Net.Sockets.SocketAsyncEventArgs"/>), even if the operating system has a faster way. This is
    /// for tests and comparisons. The <see cref="AppContext"/> switch <c>Broker.Transport.ForcePortable</c> does the
    /// same for all loops that the process creates after the switch was set.
    /// </summary>
    public bool ForcePortable { get; init; }

    /// <summary>
    /// Limits the connections that listeners of this group accept. Default: a budget of the group, computed from the
    /// process's limit of open files.
    /// </summary>
    public ConnectionBudget? ConnectionBudget { get; init; }

    /// <summary>
    /// The name of the loops' threads, to which the loop's number is appended. Default: "broker loop".
    /// </summary>
    public string ThreadName { get; init; } = "broker loop";

    /// <summary>
    /// Receives exceptions that no other code handles, such as those of posted actions, of
    /// <see cref="ConnectionHandler.OnClosed"/>, and of listeners. Usually called on the loop's thread. Default: null.
    /// </summary>
    public Action<Exception>? OnFault { get; init; }
}
