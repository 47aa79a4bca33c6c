using System.Text.Json;

namespace Broker.Cli.Tests.Prometheus;

/// <summary>The dashboard that ships, eng/grafana/broker.json.</summary>
internal static class Dashboard
{
    internal static JsonElement Content => JsonSerializer.Deserialize<JsonElement>(File.ReadAllText(Path.Combine(Repository.Root, "eng", "grafana", "broker.json")));

    internal static IReadOnlyList<(string Title, IReadOnlyList<(string Expression, string Legend)> Queries)> Panels =>
    [
        .. Content.GetProperty("panels").EnumerateArray().Select(static panel => (
            panel.GetProperty("title").GetString()!,
            (IReadOnlyList<(string, string)>)[.. panel.GetProperty("targets").EnumerateArray().Select(static target =>
                (target.GetProperty("expr").GetString()!, target.GetProperty("legendFormat").GetString()!))])),
    ];

    /// <summary>The query of the variable <c>instance</c>.</summary>
    internal static string InstanceQuery => Content.GetProperty("templating").GetProperty("list").EnumerateArray()
        .Single(static variable => variable.GetProperty("name").GetString() == "instance").GetProperty("query").GetProperty("query").GetString()!;
}
