using Broker.Server.Accounts;
using Broker.Server.Security;

namespace Broker.Server.Sessions;

/// <summary>
/// Who a client is: its user, the account it is in and is counted in, and what it may do there. To publish is asked when a route
/// is looked up, to receive when it is made; here is what happens to those that may not. On the connection's loop unless said otherwise.
/// </summary>
internal sealed class ClientIdentity(ClientChannel channel)
{
    private volatile Account _account = channel.Server.Accounts.Global;
    private bool _isCounted;
    private bool _hasViolated;

    /// <summary>Where it is. Any thread.</summary>
    internal Account Account => _account;

    /// <summary>Null for nobody yet.</summary>
    internal Principal? Principal { get; private set; }

    /// <summary>What it may do; null for everything.</summary>
    internal AccessRules? Access => channel.Target.Access;

    /// <summary>Makes it somebody. What it has subscribed to elsewhere must have ended before: who ends a subscription there goes by this.</summary>
    internal void Become(Principal principal, Account account)
    {
        bool moves = account != _account;
        MoveTo(account);
        Principal = principal;
        AccessRules? access = principal.Access;
        if (access == Access && !moves)
        {
            return;
        }

        if (access?.Responses is null || !access.Responses.Equals(Access?.Responses))
        {
            channel.Target.Grants?.Close();
            channel.Target.Grants = access?.Responses is { } terms ? new ReplyGrants(terms, account.Router.Seed, channel.Server.Grants) : null;
        }

        channel.Target.Permit(access);
        channel.Publisher.MoveTo(account.Router, access);
    }

    /// <summary>The client is gone.</summary>
    internal void Leave()
    {
        channel.Target.Grants?.Close();
        LeaveAccount();
    }

    /// <summary>
    /// The client is sent a message that asks for an answer. Nobody gives himself leave to answer: neither this connection nor another one
    /// of its user, unless that one might be answered there or answer there itself. On the loop of whoever asks.
    /// </summary>
    /// <param name="reply">Where the answer is to go.</param>
    /// <param name="asking">Who asks; null for the server itself.</param>
    /// <param name="now">That loop's time.</param>
    internal void Grant(ReadOnlySpan<byte> reply, ClientIdentity? asking, long now)
    {
        if (asking != this && (asking?.Principal is not { User: { } user } || user != Principal?.User || asking.MayAskFor(reply, now)))
        {
            channel.Target.Grants?.Add(reply, now);
        }
    }

    /// <summary>Whether it may publish there after all, as an answer; that is used up then.</summary>
    internal bool TryUseGrant(ReadOnlySpan<byte> subject) => channel.Target.Grants?.TryUse(subject, channel.Loop.LastTick) == true;

    /// <summary>It does what it may not: it is told, and goes on.</summary>
    internal void Violate(string what)
    {
        string text = "Permissions Violation for " + what;
        channel.Server.Log.Violation(channel.Id, channel.RemoteEndPoint, text, isFirst: !_hasViolated);
        _hasViolated = true;
        channel.WriteError(text);
    }

    private bool MayAskFor(ReadOnlySpan<byte> reply, long now)
        => Access is not { } access || access.MaySubscribe(reply, default) || access.MayPublish(reply)
            || channel.Target.Grants?.MayUse(reply, now) == true;

    private void MoveTo(Account account)
    {
        if (_isCounted && _account == account)
        {
            return;
        }

        LeaveAccount();
        _isCounted = true;
        _account = account;
        account.Enter();
        channel.Server.Events.ConnectionsChanged(channel.Loop, account);
    }

    private void LeaveAccount()
    {
        if (_isCounted)
        {
            _isCounted = false;
            _account.Leave();
            channel.Server.Events.ConnectionsChanged(channel.Loop, _account);
        }
    }
}
