using System.Diagnostics.CodeAnalysis;

namespace Broker.Server;

/// <summary>
/// The identity of a client: its user, its account and its permissions. The permission to publish is checked when a
/// route is looked up, and the permission to receive when a route is built; this type handles violations. Runs on the
/// connection's loop unless a member states otherwise.
/// </summary>
/// <param name="channel">The channel to the client.</param>
/// <param name="reservation">The reservation whose subjects the client may use; null for an ordinary client.</param>
internal sealed class ClientIdentity(ClientChannel channel, SubjectReservation? reservation)
{
    private volatile Account _account = channel.Server.Accounts.Global;
    private bool _isCounted;
    private bool _hasViolated;

    /// <summary>The account of the client. Thread-safe.</summary>
    internal Account Account => _account;

    /// <summary>The principal that the client has authenticated as; null before authentication.</summary>
    internal Principal? Principal { get; private set; }

    /// <summary>The permissions of the client; null if everything is allowed.</summary>
    internal AccessRules? Access => channel.Target.Access;

    /// <summary>The maximum subscriptions by the account and the JWT of the client; null for no limit.</summary>
    internal int? MaxSubscriptions => Least(_account.Limits.Subscriptions, Principal?.Grant?.Subscriptions);

    /// <summary>The maximum payload in bytes by the account and the JWT of the client; null for no limit.</summary>
    internal int? MaxPayload => Least(_account.Limits.Payload, Principal?.Grant?.Payload);

    /// <summary>
    /// Changes the principal and the account. The subscriptions in the previous account must have ended before, because
    /// code that removes a subscription uses the current account. Returns false and changes nothing if the account has
    /// its maximum number of clients.
    /// </summary>
    internal bool TrySetPrincipal(Principal principal, Account account)
    {
        bool moves = account != _account;
        if (!TryMoveTo(account))
        {
            return false;
        }

        Principal = principal;
        AccessRules? access = reservation is null ? principal.Access : AccessRules.WithReserved(principal.Access);
        if (access == Access && !moves)
        {
            if (channel.Publisher.HasOldMappings)
            {
                channel.Publisher.MoveTo(account.Router, access);
            }

            return true;
        }

        if (access?.Responses is null || !access.Responses.Equals(Access?.Responses))
        {
            channel.Target.Grants?.Close();
            channel.Target.Grants = access?.Responses is { } terms
                ? new ReplyGrants(terms, account.Router.Seed, channel.Server.ReplyGrantBytes)
                : null;
        }

        channel.Target.SetAccess(access);
        channel.Publisher.MoveTo(account.Router, access);
        return true;
    }

    /// <summary>
    /// Leaves the account if it has more clients than its maximum, which a reload has reduced. Returns true then: the
    /// client must be closed.
    /// </summary>
    internal bool TryLeaveFullAccount()
    {
        if (!_isCounted || !_account.TryRemoveExcess())
        {
            return false;
        }

        OnLeft();
        return true;
    }

    /// <summary>Leaves the account when the connection is closed.</summary>
    internal void Leave()
    {
        channel.Target.Grants?.Close();
        LeaveAccount();
    }

    /// <summary>
    /// Allows the client to publish to the reply subject of a request that is delivered to it. A request from the
    /// client itself has no effect. A request from another connection of the same user has no effect either, unless
    /// that connection may subscribe or publish to the reply subject. Runs on the requester's loop.
    /// </summary>
    /// <param name="reply">The reply subject of the request.</param>
    /// <param name="requester">The identity of the requester; null for the server itself.</param>
    /// <param name="now">The current tick of the requester's loop.</param>
    internal void Grant(ReadOnlySpan<byte> reply, ClientIdentity? requester, long now)
    {
        if (requester != this
            && (!IsSameUser(requester) || requester.MayUseReplySubject(reply, now)))
        {
            channel.Target.Grants?.Add(reply, now);
        }
    }

    /// <summary>Whether the permissions and the reserved subjects of the account allow a subscription.</summary>
    internal bool MaySubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
    {
        AccessRules? access = Access;
        return access?.MaySubscribe(filter, queue) != false
            && (_account.Router.Reservations.Subjects is not { } reserved
                || !reserved.Cover(filter, default).Plain
                || access?.MaySubscribeReserved(filter, queue, reserved) == true);
    }

    /// <summary>
    /// Uses up one grant to publish a response to this subject. Returns false if the client has no such grant.
    /// </summary>
    internal bool TryUseGrant(ReadOnlySpan<byte> subject)
        => channel.Target.Grants?.TryUse(subject, channel.Loop.LastTick) == true;

    /// <summary>Logs a permissions violation and sends it to the client. The connection stays open.</summary>
    internal void ReportViolation(string what)
    {
        string text = "Permissions Violation for " + what;
        channel.Server.Log.Violation(channel.Id, channel.RemoteEndPoint, text, isFirst: !_hasViolated);
        _hasViolated = true;
        channel.WriteError(text);
    }

    private static int? Least(int? one, int? other) => one is null || other < one ? other ?? one : one;

    // Connections of one user have the same user of the configuration, or JWTs for the same key.
    private bool IsSameUser([NotNullWhen(true)] ClientIdentity? other)
        => (other?.Principal?.User is { } user && user == Principal?.User)
            || (other?.Principal is { Grant: not null, Name: var name } && Principal?.Grant is not null
                && string.Equals(name, Principal.Name, StringComparison.Ordinal));

    private bool MayUseReplySubject(ReadOnlySpan<byte> reply, long now)
        => Access is not { } access || access.MaySubscribe(reply, default) || access.MayPublish(reply)
            || channel.Target.Grants?.MayUse(reply, now) == true;

    private IAccountMember Member => (IAccountMember)channel.Target.Owner;

    private bool TryMoveTo(Account account)
    {
        if (_isCounted && _account == account)
        {
            return true;
        }

        if (!account.TryAddConnection())
        {
            return false;
        }

        LeaveAccount();
        _isCounted = true;
        _account = account;
        account.Members?.Add(channel.Loop.Index, Member);
        reservation?.Enter(account);
        channel.Server.Events.ConnectionsChanged(channel.Loop, account);
        return true;
    }

    private void LeaveAccount()
    {
        if (_isCounted)
        {
            _account.RemoveConnection();
            OnLeft();
        }
    }

    private void OnLeft()
    {
        _isCounted = false;
        _account.Members?.Remove(channel.Loop.Index, Member);
        reservation?.Leave(_account);
        channel.Server.Events.ConnectionsChanged(channel.Loop, _account);
    }
}
