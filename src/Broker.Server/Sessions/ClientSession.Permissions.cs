using System.Runtime.CompilerServices;
using Broker.Server.Accounts;
using Broker.Server.Delivery;
using Broker.Server.Routing;
using Broker.Server.Security;

namespace Broker.Server.Sessions;

// What a client may do once it is in. To publish is asked when a route is looked up, to receive when it is made; here is what
// happens to those that may not, and when what they may changes.
internal sealed partial class ClientSession
{
    private bool _hasViolated;

    /// <summary>The rules have been replaced. Any thread.</summary>
    internal void OnSecurityChanged() => _loop.Run(AdoptSecurity);

    /// <summary>It can be found from now on: what changed before that it is told now. On the loop.</summary>
    internal void Recheck()
    {
        ApplyLimits();
        AdoptSecurity();
    }

    private void AdoptSecurity()
    {
        SecurityRules before = _security;
        _security = _server.Security;
        if (_ended || before == _security)
        {
            return;
        }

        string refusal = NotAuthorized;
        Principal? now = _principal is null || _admission is { IsDeciding: true } ? null : _security.Renew(_principal, before, out refusal);
        if (now is null || _server.Accounts.Find(now.Account) != _account)
        {
            _server.Log.NotAuthorized(Id, RemoteEndPoint, "the server's users have changed");
            Fail(refusal);
            return;
        }

        AccessRules? old = Access;
        Become(now, _account);
        if (old != Access && _subscriptions is not null)
        {
            ReviewSubscriptions();
        }

        if (_account.ImportsStreams && _subscriptions is not null)
        {
            foreach (Subscription subscription in _subscriptions)
            {
                _account.ApplyImports(subscription);
            }
        }
    }

    private void Become(Principal principal, Account account)
    {
        bool moves = account != _account;
        MoveTo(account);
        _principal = principal;
        AccessRules? access = principal.Access;
        if (access == Access && !moves)
        {
            return;
        }

        if (access?.Responses is null || !access.Responses.Equals(Access?.Responses))
        {
            _target.Grants?.Close();
            _target.Grants = access?.Responses is { } terms ? new ReplyGrants(terms, account.Router.Seed, _server.Grants) : null;
        }

        _target.Permit(access);
        _publisher.MoveTo(account.Router, access);
    }

    private void ReviewSubscriptions()
    {
        foreach (Subscription subscription in _subscriptions!.Copy())
        {
            if (Access?.MaySubscribe(subscription.Filter, subscription.Queue) != false)
            {
                _account.Refresh(subscription);
                continue;
            }

            End(subscription);
            Violate($"Subscription to {QuotedText.Of(subscription.Filter)} (sid {QuotedText.Of(subscription.Sid)})");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PublishRefused(in Message message, Route route)
    {
        if (_target.Grants?.TryUse(message.Subject) != true || ReservedSubjects.Contains(message.Subject))
        {
            Violate($"Publish to {QuotedText.Of(message.Subject)}");
            return;
        }

        if (ReservedSubjects.ContainsReply(message.ReplyTo))
        {
            RefuseReply(message.ReplyTo);
            return;
        }

        Acknowledge();
        if (route.Behind is not { IsCurrent: true })
        {
            route.Behind = _account.Router.Find(message.Subject);
        }

        Deliver(message, route.Behind);
    }

    // Nobody gives himself leave to answer: neither this connection nor another one of its user, unless that one might be answered
    // there or answer there itself.
    void IConnectionOwner.OnReplySubject(ReadOnlySpan<byte> reply, Publisher publisher)
    {
        var asking = publisher.Client?.Owner as ClientSession;
        if (asking != this && (asking?._principal is not { User: { } user } || user != _principal?.User || asking.MayAskFor(reply)))
        {
            _target.Grants?.Add(reply);
        }
    }

    private bool MayAskFor(ReadOnlySpan<byte> reply)
        => Access is not { } access || access.MaySubscribe(reply, default) || access.MayPublish(reply) || _target.Grants?.MayUse(reply) == true;

    private void RefuseReply(ReadOnlySpan<byte> reply) => Violate($"Publish with Reply of {QuotedText.Of(reply)}");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RefuseSubscription(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
        => Violate(queue.IsEmpty
            ? $"Subscription to {QuotedText.Of(filter)}"
            : $"Subscription to {QuotedText.Of(filter)} using queue {QuotedText.Of(queue)}");

    private void Violate(string what)
    {
        string text = "Permissions Violation for " + what;
        _server.Log.Violation(Id, RemoteEndPoint, text, isFirst: !_hasViolated);
        _hasViolated = true;
        WriteError(text);
    }
}
