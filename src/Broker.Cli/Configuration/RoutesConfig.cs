using Broker.Bridge;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the key <c>routes</c> of the bridge, an array of blocks. The <c>pattern</c> of a block decides its other keys.
/// </summary>
/// <param name="problems">Receives the errors.</param>
/// <param name="warnings">Receives the warnings.</param>
/// <param name="inherited">The security of routes without their own security.</param>
internal sealed class RoutesConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings, SocketSecurity? inherited = null)
{
    private const string Shape = "an array of blocks, each with a \"pattern\"";
    private const int LongestName = 64;

    private readonly ZeroMqEndpointConfig _endpoints = new(problems);

    public IReadOnlyList<ConfiguredRoute> Read(ConfigSection section)
    {
        switch (section.Find("routes"))
        {
            case null:
                return [];
            case ConfigArray { Items.Count: > 0 } array:
                var read = new List<ConfiguredRoute>();
                foreach (ConfigValue item in array.Items)
                {
                    if (item is ConfigBlock block)
                    {
                        Add(read, block);
                    }
                    else
                    {
                        section.Wrong("routes", Shape, item, read);
                    }
                }

                return read;
            case var value:
                return section.Wrong<IReadOnlyList<ConfiguredRoute>>("routes", Shape, value, []);
        }
    }

    /// <summary>Reads one route, or adds errors and returns null.</summary>
    public ConfiguredRoute? Read(ConfigBlock block)
    {
        int before = problems.Count;
        var section = new ConfigSection(block, problems);
        var keys = new RouteKeys(section, _endpoints);
        if (Pattern(section, block) is not { } pattern)
        {
            return null;
        }

        string? name = Name(section);
        RouteOptions options = pattern(keys);
        options = name is null ? options : options with { Name = name };
        SocketSecurity? security = new SocketSecurityConfig(problems, warnings).Read(section, inherited);
        options = security?.ApplyTo(options) ?? options;
        section.RejectTheRest();
        if (problems.Count == before && keys.EndpointsRead.Count == 0)
        {
            problems.Add(new ConfigProblem($"the route \"{options.Name}\" has no ZeroMQ endpoint", block.Position));
        }

        if (problems.Count > before)
        {
            return null;
        }

        try
        {
            options.Validate();
            return new ConfiguredRoute(options, keys.EndpointsRead, $"{ConfigDefinition.Of(block)}\n{security?.Definition}");
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            string reason = ErrorText.WithoutParameter(e.Message);
            problems.Add(new ConfigProblem($"the route \"{options.Name}\" is invalid: {reason}", block.Position));
            return null;
        }
    }

    private void Add(List<ConfiguredRoute> read, ConfigBlock block)
    {
        if (Read(block) is not { } route)
        {
            return;
        }

        if (read.Any(other => other.Name == route.Name))
        {
            problems.Add(new ConfigProblem(
                $"two routes have the name \"{route.Name}\"; give each route its own \"name\"", block.Position));
        }

        read.Add(route);
    }

    private Func<IRouteConfiguration, RouteOptions>? Pattern(ConfigSection section, ConfigBlock block)
    {
        switch (section.Find("pattern"))
        {
            case null:
                problems.Add(new ConfigProblem(
                    $"a route needs a \"pattern\": {RoutePatterns.Description}", block.Position, null, ["pattern", "name"]));
                return null;
            case ConfigText { Value: var word } when RoutePatterns.Find(word) is { } pattern:
                return pattern;
            case var value:
                return section.Wrong<Func<IRouteConfiguration, RouteOptions>?>("pattern", RoutePatterns.Description, value, null);
        }
    }

    private static string? Name(ConfigSection section)
        => section.Find("name") switch
        {
            null => null,
            ConfigText { Value: { Length: > 0 and <= LongestName } name }
                when name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '.') => name,
            var value => section.Wrong<string?>("name", $"a name of 1 to {LongestName} letters, digits, '_', '-' and '.'", value, null),
        };
}
