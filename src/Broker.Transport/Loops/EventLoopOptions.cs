namespace Broker.Transport;

/// <summary>The settings of a group of event loops.</summary>
public sealed record EventLoopOptions
{
    /// <summary>
    /// The number of loops, each with a thread of its own unless <see cref="CallerDriven"/> is set. 0, the default,
    /// means half of the processors, at least one and at most eight: the programs at the other ends of the connections
    /// need the rest.
    /// </summary>
    public int Loops { get; init; }

    /// <summary>
    /// Starts no thread: the group has one loop, and a thread of the application runs its iterations with
    /// <see cref="EventLoop.RunOnce"/>. For blocking receives, and for tests without threads. Nothing happens between
    /// two iterations, so the thread that runs the loop must not wait for the loop.
    /// <see cref="EventLoopGroup.Dispose"/> closes the connections on the thread that calls it.
    /// </summary>
    public bool CallerDriven { get; init; }

    /// <summary>
    /// The clock of the loops' timers and so of every time limit of a connection. For tests that set the time
    /// themselves. A timer of this provider wakes a loop that waits for its next timer. Default
    /// <see cref="TimeProvider.System"/>.
    /// </summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// How many times a loop polls for new events after it had some, before its thread sleeps. A poll costs well under
    /// a microsecond, and a sleep with its wake-up about 20 µs of processor time. So a request that soon follows the
    /// last one is answered at once. This is a count and not a time; no clock is read. If polls have found nothing a
    /// few times in a row, the loop stops polling until events come close together again (less than 100 µs after it
    /// fell asleep). An idle loop uses no processor time. The loop does not poll after it has read 32 KiB or more at
    /// once, unless other connections send little: no peer waits for a reply to bulk data. A group with as many loops
    /// as processors, or more, never polls, because it would take time from the programs that it waits for. 0 turns
    /// polling off. Default 400.
    /// </summary>
    public int IdlePolls { get; init; } = 400;

    /// <summary>
    /// How many polls a connection that always has more to read waits between two reads of up to
    /// <see cref="ReceiveBufferSize"/>, while other connections of its loop send little and wait for replies. It waits
    /// fewer polls, one for each 32 messages, if its handler reports how many messages a read contained
    /// (<see cref="Connection.CountMessages"/>). This limits how much processor time a peer that floods with small
    /// messages takes from the other programs if there are few processors, and it limits the rate of that peer: a poll
    /// takes one or two microseconds. A connection that is alone never waits. For sockets; 0 turns it off. Default: 60
    /// on fewer than four processors, otherwise 0.
    /// </summary>
    public int? BulkPause { get; init; }

    /// <summary>
    /// The most bytes that one read takes. The memory belongs to the loop, not to the connection. Default 64 KiB.
    /// </summary>
    public int ReceiveBufferSize { get; init; } = 64 * 1024;

    /// <summary>
    /// How many bytes may be buffered for all peers together (<see cref="EventLoopGroup.MemoryBudget"/>). When more
    /// than half of it is used, protocols that support it limit each peer to a share; ZeroMQ's sockets do, and a
    /// server has a limit of its own. 0 for no limit. Default: a quarter of the garbage collector's heap limit
    /// (<see cref="HeapLimit"/>), or no limit if the heap has none.
    /// </summary>
    public long? MaxBufferedBytes { get; init; }

    /// <summary>
    /// How many bytes unfinished received messages of all connections may hold together
    /// (<see cref="EventLoopGroup.ReceiveBudget"/>). Default: a quarter of the memory that is available to the garbage
    /// collector's heap, which is its limit if it is limited.
    /// </summary>
    public long? MaxReceivedBytes { get; init; }

    /// <summary>How long a connection may wait for memory for received bytes.</summary>
    internal TimeSpan ReceiveWaitLimit { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>In what time a connection that holds memory must receive more while others wait.</summary>
    internal TimeSpan ReceiveStallLimit { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Uses the portable way to wait for sockets (<see cref="System.Net.Sockets.SocketAsyncEventArgs"/>) even if the
    /// operating system has a faster one. For tests and comparisons. The <see cref="AppContext"/> switch
    /// <c>Broker.Transport.ForcePortable</c> does the same for all loops that the process creates after the switch was
    /// set.
    /// </summary>
    public bool ForcePortable { get; init; }

    /// <summary>
    /// Limits the connections that listeners of this group accept. Default: a budget of the group, computed from the
    /// process's limit of open files.
    /// </summary>
    public ConnectionBudget? ConnectionBudget { get; init; }

    /// <summary>The name of the loops' threads; the loop's number is appended. Default "broker loop".</summary>
    public string ThreadName { get; init; } = "broker loop";

    /// <summary>
    /// Called with exceptions that a handler's last callback or a posted action threw, on the loop's thread. Default:
    /// none.
    /// </summary>
    public Action<Exception>? OnFault { get; init; }
}
