using Broker.Leaf;

namespace Broker.Cli.Configuration;

/// <summary>Reads the key <c>leafnodes</c>: the clusters of nats-servers that the broker joins as a leaf node.</summary>
internal sealed class LeafNodesConfig(List<ConfigProblem> problems)
{
    private const string UrlShape = "the address of a leaf node port, such as \"nats-leaf://user:password@host:7422\"";

    public LeafNodeOptions? Read(ConfigSection root, ServeSettings settings)
    {
        string key = root.Has("leafnodes") ? "leafnodes" : "leaf";
        return root.Find(key) switch
        {
            null => settings.LeafNodes,
            ConfigBlock { IsEmpty: true } => null,
            ConfigBlock block => ReadBlock(new ConfigSection(block, problems), settings),
            var value => root.Wrong(key, "a block", value, settings.LeafNodes),
        };
    }

    private LeafNodeOptions? ReadBlock(ConfigSection section, ServeSettings settings)
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
                        remotes.Add(Remote(block, settings, remotes));
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
        section.RejectTheRest(UnsupportedKeys.OfLeafNodes);
        return remotes.Count == 0 ? null : defaults with { Remotes = remotes, ReconnectDelay = reconnect };
    }

    // As in nats-server, a whole number means seconds.
    private static TimeSpan Reconnect(ConfigSection section, TimeSpan otherwise)
        => section.Find("reconnect") is ConfigInteger
            ? TimeSpan.FromSeconds(section.Whole("reconnect", 1, 1, 86_400))
            : section.Span("reconnect", otherwise);

    private LeafRemoteOptions Remote(ConfigBlock block, ServeSettings settings, List<LeafRemoteOptions> before)
    {
        var section = new ConfigSection(block, problems, isSecret: true);
        IReadOnlyList<string> urls = [.. section.Many("url", [], UrlShape, Url), .. section.Many("urls", [], UrlShape, Url)];
        string? account = Account(section, "account", settings) ?? Account(section, "local", settings);
        section.RejectTheRest(UnsupportedKeys.OfLeafRemote);
        if (urls.Count == 0)
        {
            section.Lacks("\"url\" or \"urls\" is missing");
        }
        else if (before.Any(other => other.Account == account && Addresses(other.Urls).Intersect(Addresses(urls), StringComparer.Ordinal).Any()))
        {
            section.Lacks("another remote has the same address and account");
        }

        return new LeafRemoteOptions { Urls = urls, Account = account };
    }

    // Two addresses may differ in their users only.
    private static IEnumerable<string> Addresses(IEnumerable<string> urls) => urls.Select(static url => new LeafRemoteOptions { Urls = [url] }.ToString());

    private static string? Url(string text) => LeafRemoteOptions.IsValidUrl(text) ? text : null;

    private static string? Account(ConfigSection section, string key, ServeSettings settings)
        => section.Find(key) switch
        {
            null => null,
            ConfigText { Value: "$G" } => null,
            ConfigText { Value: var name } when name == "$SYS" || settings.Security?.Accounts.Any(a => a.Name == name) is true => name,
            var value => section.Wrong<string?>(key, "the name of one of the accounts", value, null, isSecret: false),
        };
}
