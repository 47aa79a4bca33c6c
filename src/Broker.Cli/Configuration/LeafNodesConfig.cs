using Broker.Leaf;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the key <c>leafnodes</c>: the clusters of nats-servers that the broker joins as a leaf node, and the port for
/// servers that join the broker.
/// </summary>
internal sealed class LeafNodesConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    private const string Global = "$G";

    public LeafNodeOptions? Read(ConfigSection root, ServeSettings settings)
    {
        IReadOnlyDictionary<string, string> domains = Domains(root, settings);
        string key = root.Has("leafnodes") ? "leafnodes" : "leaf";
        return root.Find(key) switch
        {
            null => settings.LeafNodes,
            ConfigBlock { IsEmpty: true } => null,
            ConfigBlock block => ReadBlock(new ConfigSection(block, problems), settings, domains),
            var value => root.Wrong(key, "a block", value, settings.LeafNodes),
        };
    }

    private LeafNodeOptions? ReadBlock(ConfigSection section, ServeSettings settings, IReadOnlyDictionary<string, string> domains)
    {
        var defaults = new LeafNodeOptions();
        var remotes = new List<LeafRemoteOptions>();
        switch (section.Find("remotes"))
        {
            case null:
                break;
            case ConfigArray array:
                foreach (ConfigValue item in array.Items)
                {
                    if (item is ConfigBlock block)
                    {
                        LeafRemoteOptions remote = Remote(block, settings, remotes);
                        remotes.Add(remote with { JetStreamDomain = domains.GetValueOrDefault(remote.Account ?? Global) });
                    }
                    else
                    {
                        section.Wrong("remotes", "an array of blocks", item, remotes);
                    }
                }

                break;
            case var value:
                section.Wrong("remotes", "an array of blocks", value, remotes);
                break;
        }

        TimeSpan reconnect = Reconnect(section, defaults.ReconnectDelay);
        LeafListenOptions? listen = new LeafListenConfig(problems, warnings).Read(section, settings);
        section.RejectTheRest(UnsupportedKeys.OfLeafNodes);
        return remotes.Count == 0 && listen is null ? null : defaults with { Remotes = remotes, Listen = listen, ReconnectDelay = reconnect };
    }

    private Dictionary<string, string> Domains(ConfigSection root, ServeSettings settings)
    {
        const string Key = "default_js_domain";
        var domains = new Dictionary<string, string>(StringComparer.Ordinal);
        switch (root.Find(Key))
        {
            case null:
                break;
            case ConfigBlock block:
                foreach (ConfigEntry entry in block.Entries.Where(static e => !e.IsVariable))
                {
                    bool isKnown = entry.Key == Global || settings.Security?.AccountNames.Contains(entry.Key, StringComparer.Ordinal) is true;
                    if (!isKnown)
                    {
                        problems.Add(new ConfigProblem($"\"{entry.Key}\" in \"{Key}\" is not one of the accounts", entry.Position));
                    }
                    else if (entry.Value is ConfigText { Value: var domain } && LeafRemoteOptions.IsValidDomain(domain))
                    {
                        domains[entry.Key] = domain;
                    }
                    else
                    {
                        problems.Add(new ConfigProblem($"the domain of \"{entry.Key}\" must be a word without dots and wildcards", entry.Position));
                    }
                }

                break;
            case var value:
                root.Wrong(Key, "a block with an account and a domain in each line", value, domains);
                break;
        }

        return domains;
    }

    // As in nats-server, a whole number means seconds.
    private static TimeSpan Reconnect(ConfigSection section, TimeSpan otherwise)
        => section.Find("reconnect") is ConfigInteger
            ? TimeSpan.FromSeconds(section.Whole("reconnect", 1, 1, 86_400))
            : section.Span("reconnect", otherwise);

    private LeafRemoteOptions Remote(ConfigBlock block, ServeSettings settings, List<LeafRemoteOptions> before)
    {
        LeafRemoteOptions remote = new LeafRemoteConfig(problems).Read(block, settings);
        if (before.Any(other => other.Account == remote.Account && Addresses(other.Urls).Intersect(Addresses(remote.Urls), StringComparer.Ordinal).Any()))
        {
            problems.Add(new ConfigProblem("another remote has the same address and account", block.Position));
        }

        return remote;
    }

    // Two addresses may differ in their users only.
    private static IEnumerable<string> Addresses(IEnumerable<string> urls) => urls.Select(static url => new LeafRemoteOptions { Urls = [url] }.ToString());
}
