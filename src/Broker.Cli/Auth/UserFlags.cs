using System.CommandLine;
using System.Globalization;
using System.Net;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>The flags with the rights of a user or of a role: permissions, limits, and from where and when it connects.</summary>
internal sealed class UserFlags
{
    private static readonly string[] Types = ["STANDARD", "WEBSOCKET", "LEAFNODE", "LEAFNODE_WS", "MQTT", "MQTT_WS", "IN_PROCESS"];

    private readonly PermissionFlags _permissions = new();
    private readonly LimitFlags _limits = LimitFlags.OfUser();
    private readonly Option<bool?> _bearer = StorageFlags.Switch("--bearer", "Whether the JWT alone is enough to log in, without the seed");
    private readonly Option<string[]> _sources = StorageFlags.List("--source-network", "Networks from which the user may connect, such as 192.0.2.0/24; may be repeated", "networks");
    private readonly Option<string[]> _types = StorageFlags.List("--connection-type", $"Ways to connect: {string.Join(", ", Types)}; may be repeated", "types");
    private readonly Option<string[]> _times = StorageFlags.List("--time", "Times of day such as 08:00:00-18:00:00; may be repeated", "times");
    private readonly Option<string?> _zone = new("--time-zone") { Description = "Time zone of --time, such as Europe/Berlin [default: that of the server]", HelpName = "zone" };

    public void AddTo(Command command)
    {
        _permissions.AddTo(command);
        _limits.AddTo(command);
        command.With(_bearer, _sources, _types, _times, _zone);
    }

    /// <summary>The first of these flags that is given; null for none.</summary>
    public string? FirstGiven(ParseResult flags) => _permissions.FirstGiven(flags) ?? _limits.FirstGiven(flags)
        ?? ((Option[])[_bearer, _sources, _types, _times, _zone]).FirstOrDefault(o => flags.GetResult(o) is { Implicit: false })?.Name;

    /// <summary>Sets the claims of a new user or a new template: everything is allowed but for the flags.</summary>
    public void ApplyToNew(JsonObject target, ParseResult flags, bool isTemplate)
    {
        LimitFlags.SetNoneOfUser(target);
        ApplyTo(target, flags, isTemplate);
    }

    /// <summary>Refuses these flags where they have no effect.</summary>
    /// <exception cref="UsageException">One of these flags is given.</exception>
    public void Refuse(ParseResult flags, string why)
    {
        if (FirstGiven(flags) is { } flag)
        {
            throw new UsageException($"{flag} {why}");
        }
    }

    /// <summary>Sets the claims of the flags that are given.</summary>
    /// <param name="target">The claims of a user or of a template.</param>
    /// <param name="flags">The flags.</param>
    /// <param name="isTemplate">Whether subjects may have functions such as <c>{{name()}}</c>.</param>
    /// <exception cref="UsageException">A value is invalid.</exception>
    public void ApplyTo(JsonObject target, ParseResult flags, bool isTemplate)
    {
        _permissions.ApplyTo(target, flags, isTemplate);
        _limits.ApplyTo(target, flags);
        if (flags.GetValue(_bearer) is { } bearer)
        {
            target["bearer_token"] = bearer;
        }

        Set(target, "src", flags, _sources, static text => IPNetwork.TryParse(text, out _) ? text : null, "networks such as 192.0.2.0/24");
        Set(
            target, "allowed_connection_types", flags, _types,
            static text => Array.Find(Types, t => t.Equals(text, StringComparison.OrdinalIgnoreCase)), $"types of connections ({string.Join(", ", Types)})");
        SetTimes(target, flags);
        if (flags.GetValue(_zone) is { } zone)
        {
            target["times_location"] = zone.Length == 0 || TimeZoneInfo.TryFindSystemTimeZoneById(zone, out _) ? zone
                : throw new UsageException($"--time-zone must be a time zone such as Europe/Berlin, not \"{zone}\"");
        }
    }

    private static void Set(JsonObject target, string claim, ParseResult flags, Option<string[]> option, Func<string, string?> check, string wanted)
    {
        if (flags.GetResult(option) is not { Implicit: false })
        {
            return;
        }

        string[] texts = [.. (flags.GetValue(option) ?? []).Select(text => check(text) ?? throw new UsageException($"{option.Name} must have {wanted}, not \"{text}\""))];
        if (texts.Length == 0)
        {
            target.Remove(claim);
        }
        else
        {
            target[claim] = Token.ArrayOf(texts);
        }
    }

    private void SetTimes(JsonObject target, ParseResult flags)
    {
        if (flags.GetResult(_times) is not { Implicit: false })
        {
            return;
        }

        var times = new JsonArray();
        foreach (string text in flags.GetValue(_times) ?? [])
        {
            string[] ends = text.Split('-');
            if (ends.Length != 2 || !Array.TrueForAll(ends, static e => TimeOnly.TryParseExact(e, "HH:mm:ss", CultureInfo.InvariantCulture, DateTimeStyles.None, out _)))
            {
                throw new UsageException($"--time must have times such as 08:00:00-18:00:00, not \"{text}\"");
            }

            times.Add((JsonNode)new JsonObject { ["start"] = ends[0], ["end"] = ends[1] });
        }

        if (times.Count == 0)
        {
            target.Remove("times");
        }
        else
        {
            target["times"] = times;
        }
    }
}
