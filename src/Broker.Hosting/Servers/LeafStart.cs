using Broker.Leaf;
using Broker.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Starts the links of a host's server to remote servers, and converts their settings.</summary>
internal static class LeafStart
{
    private const string Key = $"{BrokerSettings.Section}:{nameof(BrokerSettings.LeafNodes)}";

    /// <summary>Starts the links. Without remotes, there is no link, and a reload can add the first one.</summary>
    /// <exception cref="OptionsValidationException">A setting is wrong.</exception>
    public static LeafNodes Start(IServiceProvider services)
    {
        BrokerServer server = services.GetRequiredService<BrokerServer>();
        BrokerSettings settings = services.GetRequiredService<IOptions<BrokerSettings>>().Value;
        try
        {
            return LeafNodes.Start(server, Build(services, settings));
        }
        catch (ArgumentException e)
        {
            throw new OptionsValidationException(Options.DefaultName, typeof(BrokerSettings), [Explain(e)]);
        }
    }

    /// <summary>Checks changed settings, before any setting is applied.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="settings">The settings.</param>
    /// <param name="server">The server's options that will be applied before the links change.</param>
    /// <returns>The options for <see cref="ChangeAsync"/>.</returns>
    /// <exception cref="ArgumentException">A setting is wrong.</exception>
    public static LeafNodeOptions Check(IServiceProvider services, BrokerSettings settings, BrokerServerOptions server)
    {
        try
        {
            LeafNodeOptions options = Build(services, settings);
            LeafNodes.Validate(options, [.. server.Accounts.Select(static a => a.Name), .. server.Operator?.Accounts.Keys ?? [], server.SystemAccount ?? "$SYS"]);
            return options;
        }
        catch (ArgumentException e)
        {
            throw new ArgumentException(Explain(e), e);
        }
    }

    /// <summary>Applies changed settings. Links of remotes that did not change stay connected.</summary>
    /// <exception cref="ArgumentException">A setting is wrong. Then no link has changed.</exception>
    public static async Task ChangeAsync(IServiceProvider services, LeafNodeOptions options)
    {
        try
        {
            await services.GetRequiredService<LeafNodes>().ChangeAsync(options).ConfigureAwait(false);
        }
        catch (ArgumentException e)
        {
            throw new ArgumentException(Explain(e), e);
        }
    }

    private static LeafNodeOptions Build(IServiceProvider services, BrokerSettings settings)
    {
        var options = new LeafNodeOptions { Logger = services.GetRequiredService<ILoggerFactory>().CreateLogger("Broker.Leaf") };
        options = options with { PingInterval = settings.PingInterval ?? options.PingInterval };
        if (settings.LeafNodes is { } leaf)
        {
            options = options with
            {
                Remotes = [.. leaf.Remotes.Select(remote => remote.ToOptions(file => ContentRoot.Resolve(services, file)))],
                ReconnectDelay = leaf.ReconnectDelay ?? options.ReconnectDelay,
                Listen = leaf.ToListenOptions(file => ContentRoot.Resolve(services, file)),
            };
        }

        return settings.LeafConfigurations.Aggregate(options, (before, configure) => configure(services, before));
    }

    private static string Explain(ArgumentException e)
        => $"{Key}: {(e.ParamName is { } name ? e.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal) : e.Message)}";
}
