using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Sockets;

/// <summary>The flags of commands that show what comes.</summary>
internal sealed class FrameReadingFlags
{
    private readonly Option<long?> _count = CommonOptions.Count("End after so many messages");
    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time("--timeout", "End after this time, such as 5s");
    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Show frames in hexadecimal digits");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_count, _timeout, _json, _raw, _hex])
        {
            command.Options.Add(option);
        }
    }

    public (long? Count, TimeSpan? Timeout) End(ParseResult flags) => (flags.GetValue(_count), flags.GetValue(_timeout));

    /// <exception cref="UsageException">In two ways at once.</exception>
    public FramePrinter Printer(ParseResult flags, ShellStreams shell) => new(shell, CommonOptions.Form(flags, _json, _raw, _hex));
}
