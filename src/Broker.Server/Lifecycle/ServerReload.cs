namespace Broker.Server;

/// <summary>Changes the options of a running server. Either all changes apply or none. Thread-safe.</summary>
internal sealed class ServerReload(ServerCore core, SystemRequests requests, AccountUpdates accounts)
{
    /// <summary>Applies a change to a copy of the options, checks the copy, and puts it into effect.</summary>
    /// <exception cref="ArgumentException">
    /// The changed options are not valid. The server keeps its previous options.
    /// </exception>
    internal void Run(Action<BrokerServerOptions> change)
    {
        bool secures;
        string changes;
        lock (accounts.Gate)
        {
            BrokerServerOptions before = core.Options;
            BrokerServerOptions after = before.Copy();
            change(after);
            RefuseFixed(before, after);
            after = after.Copy();
            if (before.Operator is { } known)
            {
                after.Operator?.Verified.Inherit(known.Verified, after.Operator.Accounts.Values);
            }

            after.Validate();
            secures = !after.HasSameSecurityAs(before);
            OperatorMode? tokens = secures ? after.CreateOperatorMode(core.Time) : core.Security.Tokens as OperatorMode;
            if (secures)
            {
                tokens?.Callouts = core.AccountCallouts.Of;
            }

            if (secures && core.Security.Tokens is OperatorMode earlier)
            {
                tokens?.Inherit(earlier);
            }

            SecurityRules rules = secures ? new SecurityRules(after, tokens, core.CreateCallout(after)) : core.Security;
            AccountPlan plan = after.CreatePlan(tokens);
            var tls = ServerTls.Create(after.Tls);
            changes = OptionChanges.Describe(before, after);
            // Nothing can fail after this point.
            Apply(before, after, rules, plan, tls);
            accounts.Restart();
        }

        core.Log.Reloaded(changes);
        if (secures)
        {
            core.Log.SecurityUpdated();
        }
    }

    private void Apply(
        BrokerServerOptions before, BrokerServerOptions after, SecurityRules rules, AccountPlan plan, ServerTls? tls)
    {
        bool secures = rules != core.Security;
        bool tell = !string.Equals(before.ClientAdvertise, after.ClientAdvertise, StringComparison.Ordinal)
            || !before.ConnectUrls.SequenceEqual(after.ConnectUrls, StringComparer.Ordinal);
        core.Options = after;
        core.OptionsLoaded = core.Now;
        core.Tls = tls;
        if (secures)
        {
            core.Accounts.Apply(plan);
            core.Targets.ApplyImports();
            requests.Subscribe();
            IAuthCallout? callout = core.Security.Callout;
            core.Security = rules;
            if (callout != rules.Callout)
            {
                callout?.Dispose();
            }
        }

        if (before.SampleSubjects != after.SampleSubjects)
        {
            core.ApplySampling();
        }

        if (tell)
        {
            core.MarkInfoChanged();
        }

        // No session is missed: a session that is not in the list yet reads the options again after it has been added.
        foreach (ClientSession session in core.Sessions)
        {
            session.OnReloaded(secures, tell);
        }

        tls?.LogValidity(core.Log);
    }

    private static bool HasSameResolver(OperatorOptions? before, OperatorOptions? after)
        => before?.Resolver is { } known ? known.IsSameAs(after?.Resolver) : after?.Resolver is null;

    private static void RefuseFixed(BrokerServerOptions before, BrokerServerOptions after)
    {
        bool isRenamed = !string.Equals(before.ServerName, after.ServerName, StringComparison.Ordinal);
        string? changed = !before.EndPoints.SequenceEqual(after.EndPoints) ? nameof(BrokerServerOptions.EndPoints)
            : isRenamed ? nameof(BrokerServerOptions.ServerName)
            : !HasSameResolver(before.Operator, after.Operator) ? "Operator.Resolver"
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
