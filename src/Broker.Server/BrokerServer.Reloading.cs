using Broker.Server.Accounts;
using Broker.Server.Security;
using Broker.Server.Sessions;
using Broker.Server.Tls;

namespace Broker.Server;

// What may change while clients are connected.
public sealed partial class BrokerServer
{
    private readonly Lock _reloadGate = new();

    /// <summary>Changes options while the server runs: all that was changed, or nothing. Any thread.</summary>
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
    /// <para>Users, accounts with their exports and imports, token, no-auth user, permissions, timeout, callbacks and verifiers: a
    /// client stays when the user it is still exists with the same password or key; it then has the user's present permissions,
    /// and loses the subscriptions that these refuse, each with an <c>-ERR</c>. Others are told <c>User Authentication Revoked</c>
    /// (their user is gone) or <c>Authorization Violation</c> (also when their user is in another account now, or when they have not
    /// yet said who they are), and closed. Clients that were let in by a callback stay as long as the callback is the same one. When
    /// none of these has changed nobody is looked at for them.</para>
    /// </remarks>
    /// <param name="change">Is given a copy of the options in use. What it throws comes out of the call, and nothing has changed.</param>
    /// <returns>Done when every client is under the new options; who connects after the call is from the beginning.</returns>
    /// <exception cref="ArgumentException">
    /// An option is out of its range, options contradict each other, a file cannot be used, or one has been changed that cannot change:
    /// the addresses, the name, the loops or the logger. The text names it. Nothing has changed then.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server has ended.</exception>
    public async Task ReloadAsync(Action<BrokerServerOptions> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        bool secures;
        lock (_reloadGate)
        {
            BrokerServerOptions before = _core.Options;
            BrokerServerOptions after = before.Copy();
            change(after);
            RefuseFixed(before, after);
            after = after.Copy();
            after.Validate();
            secures = !after.HasSecurityOf(before);
            SecurityRules rules = secures ? new SecurityRules(after) : _core.Security;
            var plan = new AccountPlan(after);
            var tls = ServerTls.Create(after.Tls);
            // From here on nothing can fail.
            Apply(before, after, rules, plan, tls);
        }

        _core.Log.Reloaded();
        if (secures)
        {
            _core.Log.SecurityUpdated();
        }

        await QuiesceAsync().ConfigureAwait(false);
    }

    private void Apply(BrokerServerOptions before, BrokerServerOptions after, SecurityRules rules, AccountPlan plan, ServerTls? tls)
    {
        bool secures = rules != _core.Security;
        bool tell = !string.Equals(before.ClientAdvertise, after.ClientAdvertise, StringComparison.Ordinal)
            || !before.ConnectUrls.SequenceEqual(after.ConnectUrls, StringComparer.Ordinal);
        _core.Options = after;
        _core.Tls = tls;
        if (secures)
        {
            _core.Accounts.Apply(plan);
            _events.AnswerIn(_core.Accounts.SystemAccount);
            _core.Security = rules;
        }

        if (tell)
        {
            _core.ChangeInfo();
        }

        // A session can be found before it reads the options, or looks again once it can be: none is missed.
        foreach (ClientSession session in _core.Sessions)
        {
            session.OnReloaded(secures, tell);
        }

        tls?.Review(_core.Log);
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
