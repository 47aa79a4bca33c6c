namespace Broker.Server;

// Changes of options while clients are connected.
public sealed partial class BrokerServer
{
    /// <summary>Changes options while the server runs. Either all changes apply or none. Thread-safe.</summary>
    /// <remarks>
    /// <para>These options apply to all clients at once: <see cref="BrokerServerOptions.MaxPending"/>,
    /// <see cref="BrokerServerOptions.MaxPendingTotal"/>, <see cref="BrokerServerOptions.SlowConsumers"/>,
    /// <see cref="BrokerServerOptions.StallFastPublishers"/>,
    /// <see cref="BrokerServerOptions.WriteDeadline"/>, <see cref="BrokerServerOptions.MaxSubscriptions"/> (a client
    /// keeps the subscriptions it has), <see cref="BrokerServerOptions.PingInterval"/> (from the next PING on) and
    /// <see cref="BrokerServerOptions.PingMax"/>.</para>
    /// <para>These options apply to new connections: <see cref="BrokerServerOptions.MaxConnections"/>,
    /// <see cref="BrokerServerOptions.MaxPayload"/>, <see cref="BrokerServerOptions.MaxControlLine"/> and
    /// <see cref="BrokerServerOptions.Tls"/>. The TLS files are read again at every reload.</para>
    /// <para>If <see cref="BrokerServerOptions.ClientAdvertise"/> or <see cref="BrokerServerOptions.ConnectUrls"/>
    /// changes, the server sends another INFO to each connected client that sent a <c>protocol</c> of 1 or more in its
    /// CONNECT.</para>
    /// <para>These options apply to all clients after a check of each client: users, accounts with their exports,
    /// imports and mappings, the token, the no-auth user, permissions, the authentication timeout, callbacks and
    /// verifiers. A client stays connected if its user still exists with the same password or key. The client gets the
    /// user's new permissions. It loses each subscription that the permissions deny, and receives an <c>-ERR</c> for
    /// the subscription. The server closes the other clients. They receive <c>User Authentication Revoked</c> if their
    /// user no longer exists, and otherwise <c>Authorization Violation</c>: for example if their user is in another
    /// account now, or if they have not authenticated yet. Clients that a callback accepted stay connected as long as
    /// the callback is the same. If none of these options has changed, the server checks no client.</para>
    /// </remarks>
    /// <param name="change">
    /// Receives a copy of the current options and changes it. If it throws, the exception is passed on and no option
    /// changes.
    /// </param>
    /// <returns>
    /// A task that completes when the new options apply to every client. A client that connects after the call has the
    /// new options from the beginning.
    /// </returns>
    /// <exception cref="ArgumentException">
    /// An option is out of its range, options contradict each other, a file cannot be used, or the call changed an
    /// option that cannot change while the server runs: the addresses, the name, the loops or the logger. The message
    /// names the option. The server keeps all its previous options.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server has been disposed.</exception>
    public async Task ReloadAsync(Action<BrokerServerOptions> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        _reload.Run(change);
        await LoopFlush.RunAsync(Loops, ServerShutdown.MaxWait).ConfigureAwait(false);
        await _accounts.CloseExcessAsync().ConfigureAwait(false);
    }
}
