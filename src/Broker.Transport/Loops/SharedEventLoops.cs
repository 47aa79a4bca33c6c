namespace Broker.Transport;

/// <summary>
/// The default event loops of this process: one <see cref="EventLoopGroup"/> for all users that have no group of their
/// own. The first user creates the group, and the last user disposes it.
/// </summary>
/// <remarks>
/// This class has the only static state of the transport. So a small program with several connections uses the same
/// threads for all connections, and not a thread for each connection. Thread-safe.
/// </remarks>
public sealed class SharedEventLoops : IDisposable
{
    private static readonly Lock Gate = new();
    private static readonly List<SharedEventLoops> Users = [];
    private static EventLoopGroup? _group;

    private readonly Action<Exception>? _onFault;
    private int _disposed;

    private SharedEventLoops(EventLoopGroup group, Action<Exception>? onFault) => (Group, _onFault) = (group, onFault);

    /// <summary>The shared loops. Valid until <see cref="Dispose"/>.</summary>
    public EventLoopGroup Group { get; }

    /// <summary>Registers a user of the shared loops. If there are no other users, the loops are started.</summary>
    /// <param name="onFault">
    /// See <see cref="EventLoopOptions.OnFault"/>. Each exception is passed to all users, because it belongs to no user
    /// in particular.
    /// </param>
    public static SharedEventLoops Acquire(Action<Exception>? onFault = null)
    {
        lock (Gate)
        {
            // Peers usually send the data that the program asked for. So bulk reads are not delayed like those of a
            // flooding peer.
            _group ??= new EventLoopGroup(new EventLoopOptions { ThreadName = "shared loop", BulkPause = 0, OnFault = NotifyAll });
            var user = new SharedEventLoops(_group, onFault);
            Users.Add(user);
            return user;
        }
    }

    /// <summary>
    /// Ends this user's registration. The last user ends the threads of the loops and waits for their end, so do not
    /// call this method on one of these threads.
    /// </summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        EventLoopGroup? ended = null;
        lock (Gate)
        {
            Users.Remove(this);
            if (Users.Count == 0)
            {
                ended = _group;
                _group = null;
            }
        }

        ended?.Dispose();
    }

    private static void NotifyAll(Exception fault)
    {
        SharedEventLoops[] users;
        lock (Gate)
        {
            users = [.. Users];
        }

        foreach (SharedEventLoops user in users)
        {
            user._onFault?.Invoke(fault);
        }
    }
}
