using Broker.Bridge;
using Microsoft.Extensions.Configuration;

namespace Broker.Hosting;

/// <summary>One configured route.</summary>
/// <param name="Options">The route's options for the bridge.</param>
/// <param name="Definition">
/// A text that is the same for routes with the same settings. A reload compares it to find changed routes.
/// </param>
internal sealed record BridgeRouteSettings(RouteOptions Options, string Definition)
{
    /// <summary>Reads all routes of a section. The key of each route is its name.</summary>
    /// <param name="section">The section to read.</param>
    /// <param name="security">Reads the security settings of the routes.</param>
    /// <param name="inherited">The security for routes without security settings of their own.</param>
    /// <param name="problems">Receives each problem as a text that begins with the key of the wrong setting.</param>
    public static IReadOnlyDictionary<string, BridgeRouteSettings> ReadAll(
        IConfigurationSection section, RouteSecurity security, SocketSecurity? inherited, List<string> problems)
    {
        var read = new Dictionary<string, BridgeRouteSettings>(StringComparer.Ordinal);
        // A configuration source can remove a route of another source by setting the route to null, so such a route is
        // skipped.
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
        options = secured?.ApplyTo(options) ?? options;
        keys.RejectTheRest($"a route of the pattern {options.Pattern}");
        if (problems.Count == before && Endpoints(options) == 0)
        {
            problems.Add($"{section.Path}: the route needs an endpoint for ZeroMQ programs.");
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

        // The definition includes the content of key files, because a file can change while its name stays the same.
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
