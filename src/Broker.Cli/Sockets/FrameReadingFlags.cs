using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Sockets;

/// <summary>The flags of the commands that show received ZeroMQ messages.</summary>
internal sealed class FrameReadingFlags
{
    private readonly Option<long?> _count = CommonOptions.Count("End after this number of messages");
    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time("--timeout", "End after this time, such as 5s");
    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Show frames as hexadecimal digits");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_count, _timeout, _json, _raw, _hex])
        {
            command.Options.Add(option);
        }
    }

    public (long? Count, TimeSpan? Timeout) End(ParseResult flags) => (flags.GetValue(_count), flags.GetValue(_timeout));

    /// <exception cref="UsageException">The flags ask for two output formats.</exception>
    public FramePrinter Printer(ParseResult flags, ShellStreams shell)
        => new(shell, CommonOptions.Form(flags, _json, _raw, _hex));
}
