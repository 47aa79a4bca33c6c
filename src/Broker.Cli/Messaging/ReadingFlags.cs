using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Messaging;

/// <summary>The flags of commands that show what comes.</summary>
internal sealed class ReadingFlags
{
    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Show bodies in hexadecimal digits");

    public Option<string?> Queue { get; } = new("--queue", "-q")
    {
        Description = "Queue group to be one of: each message goes to one of the group",
        HelpName = "group",
    };

    public Option<long?> Count { get; } = CommonOptions.Count("End after so many messages");

    public Option<TimeSpan?> Timeout { get; } = CommonOptions.Time("--timeout", "End after this time, such as 5s");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[Queue, Count, Timeout, _json, _raw, _hex])
        {
            command.Options.Add(option);
        }
    }

    /// <exception cref="UsageException">In two ways at once.</exception>
    public OutputForm Form(ParseResult flags) => CommonOptions.Form(flags, _json, _raw, _hex);
}
