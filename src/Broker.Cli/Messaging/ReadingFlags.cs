using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Messaging;

/// <summary>The flags of the commands that show received messages.</summary>
internal sealed class ReadingFlags
{
    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Show bodies as hexadecimal digits");

    public Option<string?> Queue { get; } = new("--queue", "-q")
    {
        Description = "Queue group to join; each message goes to one member of the group",
        HelpName = "group",
    };

    public Option<long?> Count { get; } = CommonOptions.Count("End after this number of messages");

    public Option<TimeSpan?> Timeout { get; } = CommonOptions.Time("--timeout", "End after this time, such as 5s");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[Queue, Count, Timeout, _json, _raw, _hex])
        {
            command.Options.Add(option);
        }
    }

    /// <exception cref="UsageException">The flags ask for two output formats.</exception>
    public OutputForm Form(ParseResult flags) => CommonOptions.Form(flags, _json, _raw, _hex);
}
