namespace Broker.Cli.Configuration;

/// <summary>Reads the key <c>limits</c> of an account.</summary>
internal sealed class AccountLimitsConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    private const int LargestPayload = 64 * 1024 * 1024;

    /// <summary>The limits of an account; null for none.</summary>
    internal readonly record struct Limits(int? Connections, int? Subscriptions, int? Payload);

    public Limits Read(ConfigSection account)
    {
        switch (account.Find("limits"))
        {
            case null:
                return default;
            case ConfigBlock block:
                var section = new ConfigSection(block, problems);
                Limits limits = new(
                    Limit(section, int.MaxValue, "max_connections", "max_conn"),
                    Limit(section, int.MaxValue, "max_subscriptions", "max_subs"),
                    Limit(section, LargestPayload, "max_payload", "max_pay"));
                AcceptLeafNodes(section);
                section.RejectTheRest();
                return limits;
            case var value:
                return account.Wrong("limits", "a block such as { max_connections: 100 }", value, default(Limits), isSecret: true);
        }
    }

    // -1 is no limit, and 0 allows nothing.
    private static int? Limit(ConfigSection section, int most, params ReadOnlySpan<string> keys)
    {
        int? limit = null;
        foreach (string key in keys)
        {
            if (section.Whole(key, -1, -1, most) is var number and >= 0)
            {
                limit = (int)number;
            }
        }

        return limit;
    }

    private void AcceptLeafNodes(ConfigSection section)
    {
        foreach (string key in (ReadOnlySpan<string>)["max_leafnodes", "max_leafs"])
        {
            section.Whole(key, -1, -1, int.MaxValue);
            if (section.Find(key) is { } found)
            {
                warnings.Add(new ConfigProblem($"\"{key}\" has no effect: {UnsupportedKeys.NoRoutes}", found.Position));
            }
        }
    }
}
