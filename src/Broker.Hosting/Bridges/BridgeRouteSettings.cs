using Broker.Bridge;
using Microsoft.Extensions.Configuration;

namespace Broker.Hosting;

/// <summary>One route as the configuration has it.</summary>
/// <param name="Options">What the bridge is told.</param>
/// <param name="Definition">The same for two routes that are alike, by which a reload finds those that have changed.</param>
internal sealed record BridgeRouteSettings(RouteOptions Options, string Definition)
{
    /// <summary>All routes in a section, each below its name.</summary>
    /// <param name="section">It.</param>
    /// <param name="security">Reads their security.</param>
    /// <param name="inherited">The security of those that say nothing of it.</param>
    /// <param name="problems">What is wrong is added here; each begins with its key.</param>
    public static IReadOnlyDictionary<string, BridgeRouteSettings> ReadAll(
        IConfigurationSection section, RouteSecurity security, SocketSecurity? inherited, List<string> problems)
    {
        var read = new Dictionary<string, BridgeRouteSettings>(StringComparer.Ordinal);
        // One that another source of the configuration has set to null is none.
        foreach (IConfigurationSection route in section.GetChildren().Where(static route => route.AsEnumerable().Any(static pair => pair.Value is not null)))
        {
            if (Read(route, security, inherited, problems) is { } settings)
            {
                read.Add(route.Key, settings);
            }
        }

        return read;
    }

    private static BridgeRouteSettings? Read(IConfigurationSection section, RouteSecurity security, SocketSecurity? inherited, List<string> problems)
    {
        int before = problems.Count;
        var keys = new RouteSection(section, problems);
        string? pattern = keys.ReadText("Pattern");
        if (RoutePatterns.Find(pattern) is not { } read)
        {
            problems.Add($"{section.Path}:Pattern: {(pattern is null ? "a route needs a pattern:" : $"\"{pattern}\" is not")} {RoutePatterns.Description}.");
            return null;
        }

        RouteOptions options = read(keys) with { Name = section.Key };
        SocketSecurity? secured = security.Read(keys, inherited);
        options = secured?.Over(options) ?? options;
        keys.RejectTheRest($"a route of the pattern {options.Pattern}");
        if (problems.Count == before && Endpoints(options) == 0)
        {
            problems.Add($"{section.Path}: the route has no endpoint of ZeroMQ programs.");
        }

        if (problems.Count > before)
        {
            return null;
        }

        try
        {
            options.Validate();
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            problems.Add($"{section.Path}: {e.Message}");
            return null;
        }

        // Files may hold other keys under the same names.
        return new BridgeRouteSettings(options, string.Join('\n', section.AsEnumerable().Order(Comparer<KeyValuePair<string, string?>>.Create(
            static (one, other) => string.CompareOrdinal(one.Key, other.Key))).Select(static pair => $"{pair.Key}={pair.Value}").Append(secured?.Definition)));
    }

    private static int Endpoints(RouteOptions options) => options switch
    {
        PubSubRouteOptions route => route.Publishers.Count + route.Subscribers.Count,
        PushPullRouteOptions route => route.Pushers.Count + route.Pullers.Count,
        SocketRouteOptions route => route.Endpoints.Count,
        _ => 0,
    };
}
