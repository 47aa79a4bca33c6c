namespace Broker.Transport;

/// <summary>
/// The event loops of this process that nobody has to name: one <see cref="EventLoopGroup"/> for all that did not bring their
/// own, made for the first and ended with the last.
/// </summary>
/// <remarks>
/// The only static state of the transport. It exists so that a program of three lines with several connections has one thread
/// for them and not one for each. Thread-safe.
/// </remarks>
public sealed class SharedEventLoops : IDisposable
{
    private static readonly Lock Gate = new();
    private static readonly List<SharedEventLoops> Users = [];
    private static EventLoopGroup? s_group;

    private readonly Action<Exception>? _onFault;
    private int _disposed;

    private SharedEventLoops(EventLoopGroup group, Action<Exception>? onFault) => (Group, _onFault) = (group, onFault);

    /// <summary>The loops, good until <see cref="Dispose"/>.</summary>
    public EventLoopGroup Group { get; }

    /// <summary>Takes part in the shared loops, and starts them if nobody does yet.</summary>
    /// <param name="onFault">
    /// As <see cref="EventLoopOptions.OnFault"/>. An exception that nobody can be named for is told to all who take part.
    /// </param>
    public static SharedEventLoops Acquire(Action<Exception>? onFault = null)
    {
        lock (Gate)
        {
            // What peers send was asked for, as a rule, and so is not held up as a flood would be.
            s_group ??= new EventLoopGroup(new EventLoopOptions { ThreadName = "shared loop", BulkPause = 0, OnFault = TellAll });
            var user = new SharedEventLoops(s_group, onFault);
            Users.Add(user);
            return user;
        }
    }

    /// <summary>Takes part no more. The last one ends the threads, and waits for that: call it on none of them.</summary>
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
                ended = s_group;
                s_group = null;
            }
        }

        ended?.Dispose();
    }

    private static void TellAll(Exception fault)
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
