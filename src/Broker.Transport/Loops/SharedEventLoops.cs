namespace Broker.Transport;

/// <summary>
/// The default event loops of this process: one <see cref="EventLoopGroup"/> for all users that have none of their
/// own. The first user creates it, and the last one disposes it.
/// </summary>
/// <remarks>
/// This is the only static state of the transport. A small program with several connections thus has one thread for
/// all of them and not one for each. Thread-safe.
/// </remarks>
public sealed class SharedEventLoops : IDisposable
{
    private static readonly Lock Gate = new();
    private static readonly List<SharedEventLoops> Users = [];
    private static EventLoopGroup? _group;

    private readonly Action<Exception>? _onFault;
    private int _disposed;

    private SharedEventLoops(EventLoopGroup group, Action<Exception>? onFault) => (Group, _onFault) = (group, onFault);

    /// <summary>The loops; valid until <see cref="Dispose"/>.</summary>
    public EventLoopGroup Group { get; }

    /// <summary>Registers a user of the shared loops, and starts them if there are no other users.</summary>
    /// <param name="onFault">
    /// As <see cref="EventLoopOptions.OnFault"/>. An exception that belongs to no user in particular is passed to all
    /// users.
    /// </param>
    public static SharedEventLoops Acquire(Action<Exception>? onFault = null)
    {
        lock (Gate)
        {
            // Peers usually send what the program asked for, so bulk reads are not delayed as those of a flooding peer.
            _group ??= new EventLoopGroup(new EventLoopOptions { ThreadName = "shared loop", BulkPause = 0, OnFault = NotifyAll });
            var user = new SharedEventLoops(_group, onFault);
            Users.Add(user);
            return user;
        }
    }

    /// <summary>
    /// Ends this user's registration. The last user ends the threads and waits for their end, so do not call it on one
    /// of them.
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
