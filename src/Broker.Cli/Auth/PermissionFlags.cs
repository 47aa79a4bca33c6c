using System.CommandLine;
using System.Text;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Protocol;

namespace Broker.Cli.Auth;

/// <summary>The flags with what users may publish and subscribe to.</summary>
internal sealed class PermissionFlags
{
    private const long NanosecondsPerTick = TimeSpan.NanosecondsPerTick;

    private readonly Option<string[]> _allowPublish = Subjects("--allow-pub", "Subjects that the user may publish to; all others are then denied");
    private readonly Option<string[]> _denyPublish = Subjects("--deny-pub", "Subjects that the user may not publish to");
    private readonly Option<string[]> _allowSubscribe = Subjects("--allow-sub", "Subjects that the user may subscribe to; all others are then denied. \"SUBJECT GROUP\" is for one queue group");
    private readonly Option<string[]> _denySubscribe = Subjects("--deny-sub", "Subjects that the user may not subscribe to");
    private readonly Option<string[]> _allowBoth = Subjects("--allow-pubsub", "Subjects for --allow-pub and --allow-sub");
    private readonly Option<string[]> _denyBoth = Subjects("--deny-pubsub", "Subjects for --deny-pub and --deny-sub");

    private readonly Option<long?> _responses = StorageFlags.Limit(
        "--allow-responses", "Replies that the user may publish to each received request, whatever else it may; -1 for no limit");

    private readonly Option<TimeSpan?> _responseTime = StorageFlags.Time("--response-time", "How long it may send these replies, such as 30s [default: 2m]");

    private IEnumerable<Option> All => [_allowPublish, _denyPublish, _allowSubscribe, _denySubscribe, _allowBoth, _denyBoth, _responses, _responseTime];

    public void AddTo(Command command)
    {
        foreach (Option option in All)
        {
            command.Options.Add(option);
        }
    }

    /// <summary>The first of these flags that is given; null for none.</summary>
    public string? FirstGiven(ParseResult flags) => All.FirstOrDefault(o => flags.GetResult(o) is { Implicit: false })?.Name;

    /// <summary>Sets the claims <c>pub</c>, <c>sub</c> and <c>resp</c>. A list that is given replaces the one before.</summary>
    /// <param name="target">The claims of a user, a template or default permissions.</param>
    /// <param name="flags">The flags.</param>
    /// <param name="mayUseTemplates">Whether subjects may have functions such as <c>{{name()}}</c>.</param>
    /// <exception cref="UsageException">A text is not a subject.</exception>
    public void ApplyTo(JsonObject target, ParseResult flags, bool mayUseTemplates = false)
    {
        Set(target, "pub", "allow", Given(flags, mayUseTemplates, false, _allowPublish, _allowBoth));
        Set(target, "pub", "deny", Given(flags, mayUseTemplates, false, _denyPublish, _denyBoth));
        Set(target, "sub", "allow", Given(flags, mayUseTemplates, true, _allowSubscribe, _allowBoth));
        Set(target, "sub", "deny", Given(flags, mayUseTemplates, true, _denySubscribe, _denyBoth));
        if (flags.GetValue(_responses) is { } most)
        {
            JsonObject responses = Token.Inner(target, "resp");
            responses["max"] = most;
            responses["ttl"] = (flags.GetValue(_responseTime) ?? TimeSpan.FromMinutes(2)).Ticks * NanosecondsPerTick;
        }
        else if (flags.GetValue(_responseTime) is { } time)
        {
            if (target["resp"] is not JsonObject responses)
            {
                throw new UsageException("--response-time needs --allow-responses");
            }

            responses["ttl"] = time.Ticks * NanosecondsPerTick;
        }
    }

    private static Option<string[]> Subjects(string name, string what) => StorageFlags.List(name, what + "; may be repeated", "subjects");

    private static string[]? Given(ParseResult flags, bool mayUseTemplates, bool mayHaveGroup, params Option<string[]>[] options)
    {
        Option<string[]>[] given = [.. options.Where(o => flags.GetResult(o) is { Implicit: false })];
        foreach (Option<string[]> option in given)
        {
            foreach (string subject in flags.GetValue(option) ?? [])
            {
                string[] words = subject.Split(' ', StringSplitOptions.RemoveEmptyEntries);
                bool isTemplate = mayUseTemplates && subject.Contains("{{", StringComparison.Ordinal);
                if (!isTemplate && (words.Length > (mayHaveGroup ? 2 : 1) || !Array.TrueForAll(words, static w => Subject.IsValidFilter(Encoding.UTF8.GetBytes(w)))))
                {
                    throw new UsageException($"{option.Name} must have subjects such as plant.> or orders.*, not \"{subject}\"");
                }
            }
        }

        return given.Length == 0 ? null : [.. given.SelectMany(o => flags.GetValue(o) ?? []).Distinct(StringComparer.Ordinal)];
    }

    private static void Set(JsonObject target, string direction, string list, string[]? subjects)
    {
        if (subjects is null)
        {
            return;
        }

        JsonObject permission = Token.Inner(target, direction);
        if (subjects.Length == 0)
        {
            permission.Remove(list);
        }
        else
        {
            permission[list] = Token.ArrayOf(subjects);
        }
    }
}
