using Broker.Transport;

namespace Broker.Server;

// Participants of the routing that are not clients.
public sealed partial class BrokerServer
{
    /// <summary>
    /// Adds a target: an object that subscribes, receives and publishes messages inside the server, without a
    /// connection. Thread-safe. The server disposes its targets when it is disposed.
    /// </summary>
    /// <param name="handler">The handler of the target's messages.</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <exception cref="ArgumentException">
    /// The account does not exist, the loop is not one of <see cref="Loops"/>, or the limit is negative.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server has been disposed.</exception>
    public MessageTarget AddTarget(IMessageTargetHandler handler, MessageTargetOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        options ??= new MessageTargetOptions();
        ArgumentOutOfRangeException.ThrowIfNegative(options.MaxPendingBytes);
        (EventLoop loop, Account account) = FindPlace(options.Loop, options.Account);
        var target = new MessageTarget(_core.StateOf(loop), _core.Targets, account, loop, options, handler);
        _core.Targets.Add(target);
        return target;
    }

    /// <summary>
    /// Adds a peer server: its interest, its messages and the messages to it. Thread-safe. The caller disposes the
    /// target, and replaces it if a reload has removed its account.
    /// </summary>
    /// <param name="handler">The handler, which sends to the peer.</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <exception cref="ArgumentException">
    /// The account does not exist, or the loop is not one of <see cref="Loops"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server has been disposed.</exception>
    public RemoteTarget AddRemote(IRemoteTargetHandler handler, RemoteTargetOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        (EventLoop loop, Account account) = FindPlace(options?.Loop, options?.Account);
        return new RemoteTarget(_core.StateOf(loop), account, loop, options ?? new RemoteTargetOptions(), handler, _events);
    }

    /// <summary>Creates an object that authenticates servers which join this server. Thread-safe.</summary>
    /// <param name="users">
    /// The users that only peer servers can be. Then the users of clients are refused. Empty: peers are users of
    /// <see cref="BrokerServerOptions.Users"/> and of the accounts.
    /// </param>
    /// <exception cref="ArgumentException">
    /// A user or an account is not valid, a verifier is missing, or a callback authenticates the clients and there are
    /// no users.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server has been disposed.</exception>
    public PeerAuthenticator CreatePeerAuthenticator(IReadOnlyList<PeerUser> users)
    {
        ArgumentNullException.ThrowIfNull(users);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        return new PeerAuthenticator(_core, users);
    }

    private (EventLoop Loop, Account Account) FindPlace(EventLoop? wanted, string? accountName)
    {
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        EventLoop loop = wanted ?? Loops.Next();
        if (loop.Group != Loops)
        {
            throw new ArgumentException("The loop of a target must be a loop of the server.", nameof(wanted));
        }

        Account account = accountName is null ? _core.Accounts.Global
            : _core.Accounts.Find(accountName)
            ?? throw new ArgumentException($"There is no account '{accountName}'.", nameof(accountName));
        return (loop, account);
    }
}
