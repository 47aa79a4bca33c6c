using System.Globalization;

namespace Broker.Server;

/// <summary>
/// Describes which options a reload has changed. Options that may hold secrets are named without values.
/// </summary>
/// <remarks>
/// Users, accounts, mappings and TLS options have no equality by value, so a file that is read again replaces them even
/// if it has the same text.
/// </remarks>
internal static class OptionChanges
{
    internal static string Describe(BrokerServerOptions before, BrokerServerOptions after)
    {
        var changes = new List<string>();
        AddLimits(changes, before, after);
        AddTimes(changes, before, after);
        AddRest(changes, before, after);
        AddSecurity(changes, before, after);
        return changes.Count == 0 ? "nothing changed" : string.Join(", ", changes);
    }

    private static void AddLimits(List<string> changes, BrokerServerOptions before, BrokerServerOptions after)
    {
        Add(changes, nameof(after.MaxPayload), before.MaxPayload, after.MaxPayload);
        Add(changes, nameof(after.MaxControlLine), before.MaxControlLine, after.MaxControlLine);
        Add(changes, nameof(after.MaxPending), before.MaxPending, after.MaxPending);
        Add(changes, nameof(after.MaxPendingTotal), before.MaxPendingTotal, after.MaxPendingTotal);
        Add(changes, nameof(after.MaxSubscriptions), before.MaxSubscriptions, after.MaxSubscriptions);
        Add(changes, nameof(after.MaxSubscriptionTokens), before.MaxSubscriptionTokens, after.MaxSubscriptionTokens);
        Add(changes, nameof(after.MaxConnections), before.MaxConnections, after.MaxConnections);
        Add(changes, nameof(after.SlowConsumers), before.SlowConsumers, after.SlowConsumers);
        Add(changes, nameof(after.StallFastPublishers), before.StallFastPublishers, after.StallFastPublishers);
    }

    private static void AddTimes(List<string> changes, BrokerServerOptions before, BrokerServerOptions after)
    {
        Add(changes, nameof(after.WriteDeadline), before.WriteDeadline, after.WriteDeadline);
        Add(changes, nameof(after.PingInterval), before.PingInterval, after.PingInterval);
        Add(changes, nameof(after.PingMax), before.PingMax, after.PingMax);
        Add(changes, nameof(after.AuthTimeout), before.AuthTimeout, after.AuthTimeout);
    }

    private static void AddRest(List<string> changes, BrokerServerOptions before, BrokerServerOptions after)
    {
        Add(changes, nameof(after.ClientAdvertise), before.ClientAdvertise ?? "none", after.ClientAdvertise ?? "none");
        Add(changes, nameof(after.TracedPayload), before.TracedPayload, after.TracedPayload);
        Add(changes, nameof(after.TraceSystemAccount), before.TraceSystemAccount, after.TraceSystemAccount);
        Add(changes, nameof(after.SampleSubjects), before.SampleSubjects, after.SampleSubjects);
        AddName(changes, nameof(after.ConnectUrls), before.ConnectUrls.SequenceEqual(after.ConnectUrls, StringComparer.Ordinal));
        AddName(changes, nameof(after.ServerTags), before.ServerTags.SequenceEqual(after.ServerTags, StringComparer.Ordinal));
    }

    private static void AddSecurity(List<string> changes, BrokerServerOptions before, BrokerServerOptions after)
    {
        AddName(changes, nameof(after.Tls), before.Tls == after.Tls);
        AddName(changes, nameof(after.MapWebSocketUsers), before.MapWebSocketUsers == after.MapWebSocketUsers);
        AddName(changes, nameof(after.Users), before.Users.SequenceEqual(after.Users));
        AddName(changes, nameof(after.Accounts), before.Accounts.SequenceEqual(after.Accounts));
        AddName(changes, nameof(after.Mappings), before.Mappings.SequenceEqual(after.Mappings));
        AddName(changes, nameof(after.SystemAccount), IsSame(before.SystemAccount, after.SystemAccount));
        AddName(changes, nameof(after.Operator), before.HasSameOperatorAs(after));
        AddName(changes, nameof(after.Token), IsSame(before.Token, after.Token));
        AddName(changes, nameof(after.NoAuthUser), IsSame(before.NoAuthUser, after.NoAuthUser));
        AddName(changes, nameof(after.DefaultPermissions), before.DefaultPermissions == after.DefaultPermissions);
        AddName(changes, nameof(after.Authorize), before.Authorize == after.Authorize);
        AddName(changes, nameof(after.AuthorizeAsync), before.AuthorizeAsync == after.AuthorizeAsync);
        AddName(changes, nameof(after.AuthCallout), before.HasSameCalloutAs(after));
        AddName(changes, nameof(after.CreateServerKeys), before.CreateServerKeys == after.CreateServerKeys);
        AddName(changes, nameof(after.PasswordVerifier), before.PasswordVerifier == after.PasswordVerifier);
        AddName(changes, nameof(after.SignatureVerifier), before.SignatureVerifier == after.SignatureVerifier);
    }

    private static bool IsSame(string? one, string? other) => string.Equals(one, other, StringComparison.Ordinal);

    private static void Add<T>(List<string> changes, string name, T before, T after)
        where T : notnull
    {
        if (!before.Equals(after))
        {
            changes.Add(string.Create(CultureInfo.InvariantCulture, $"{name} from {before} to {after}"));
        }
    }

    private static void AddName(List<string> changes, string name, bool isSame)
    {
        if (!isSame)
        {
            changes.Add($"{name} replaced");
        }
    }
}
