using Broker.Server.Sessions;
using Broker.Server.Tls;

namespace Broker.Server;

// What may change while clients are connected.
public sealed partial class BrokerServer
{
    private readonly Lock _reloadGate = new();

    /// <summary>Changes options while the server runs; nobody is closed for it. Any thread.</summary>
    /// <remarks>
    /// <para>At once and for everybody: <see cref="BrokerServerOptions.MaxPending"/>,
    /// <see cref="BrokerServerOptions.MaxPendingTotal"/>, <see cref="BrokerServerOptions.SlowConsumers"/>,
    /// <see cref="BrokerServerOptions.WriteDeadline"/>, <see cref="BrokerServerOptions.MaxSubscriptions"/> (those a client has it keeps),
    /// <see cref="BrokerServerOptions.PingInterval"/> (from the next PING) and <see cref="BrokerServerOptions.PingMax"/>.</para>
    /// <para>For those that connect from now on: <see cref="BrokerServerOptions.MaxConnections"/>,
    /// <see cref="BrokerServerOptions.MaxPayload"/>, <see cref="BrokerServerOptions.MaxControlLine"/> and
    /// <see cref="BrokerServerOptions.Tls"/>, whose files are read again at every reload.</para>
    /// <para><see cref="BrokerServerOptions.ClientAdvertise"/> and <see cref="BrokerServerOptions.ConnectUrls"/> are told to
    /// those who are connected by another INFO, if their CONNECT had a <c>protocol</c> of 1 or more.</para>
    /// </remarks>
    /// <param name="change">Is given a copy of the options in use.</param>
    /// <exception cref="ArgumentException">
    /// An option is out of its range, or one has been changed that cannot change: the addresses, the name, the loops or the
    /// logger. Nothing has changed then.
    /// </exception>
    public void Reload(Action<BrokerServerOptions> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        lock (_reloadGate)
        {
            BrokerServerOptions before = _core.Options;
            BrokerServerOptions after = before.Copy();
            change(after);
            after.Validate();
            RefuseFixed(before, after);
            var tls = ServerTls.Create(after.Tls);
            _core.Options = after.Copy();
            _core.Tls = tls;
            tls?.Review(_core.Log);
            bool tell = !string.Equals(before.ClientAdvertise, after.ClientAdvertise, StringComparison.Ordinal)
                || !before.ConnectUrls.SequenceEqual(after.ConnectUrls, StringComparer.Ordinal);
            foreach (ClientSession session in _core.Sessions)
            {
                session.OnReloaded(tell);
            }
        }

        _core.Log.Reloaded();
    }

    private static void RefuseFixed(BrokerServerOptions before, BrokerServerOptions after)
    {
        string? changed = !before.EndPoints.SequenceEqual(after.EndPoints) ? nameof(BrokerServerOptions.EndPoints)
            : !string.Equals(before.ServerName, after.ServerName, StringComparison.Ordinal) ? nameof(BrokerServerOptions.ServerName)
            : before.Loops != after.Loops ? nameof(BrokerServerOptions.Loops)
            : before.LoopOptions != after.LoopOptions ? nameof(BrokerServerOptions.LoopOptions)
            : before.Logger != after.Logger ? nameof(BrokerServerOptions.Logger)
            : null;
        if (changed is not null)
        {
            throw new ArgumentException($"{changed} cannot change while the server runs.");
        }
    }
}
