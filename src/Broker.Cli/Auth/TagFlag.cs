using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>The flag <c>--tag</c>. A template of a role can use tags as values.</summary>
internal static class TagFlag
{
    public static Option<string[]> Create() => StorageFlags.List("--tag", "Tags such as site:oslo; may be repeated", "tags");

    public static void Apply(JsonObject nats, ParseResult flags, Option<string[]> option)
    {
        if (flags.GetResult(option) is not { Implicit: false })
        {
            return;
        }

        // Tags have no capital letters: nsc writes them so, and templates compare them so.
        string[] tags = [.. (flags.GetValue(option) ?? []).Select(static t => t.ToLowerInvariant()).Distinct(StringComparer.Ordinal)];
        if (tags.Length == 0)
        {
            nats.Remove("tags");
        }
        else
        {
            nats["tags"] = Token.ArrayOf(tags);
        }
    }
}
