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
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        EventLoop loop = options.Loop ?? Loops.Next();
        if (loop.Group != Loops)
        {
            throw new ArgumentException("The loop of a target must be a loop of the server.", nameof(options));
        }

        Account account = options.Account is not { } name ? _core.Accounts.Global
            : _core.Accounts.Find(name)
            ?? throw new ArgumentException($"There is no account '{name}'.", nameof(options));
        var target = new MessageTarget(_core.StateOf(loop), _core.Targets, account, loop, options, handler);
        _core.Targets.Add(target);
        return target;
    }
}
