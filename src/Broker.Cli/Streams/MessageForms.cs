using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary>The flags of the formats in which stored messages are printed.</summary>
internal sealed class MessageForms
{
    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Show bodies as hexadecimal digits");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_json, _raw, _hex])
        {
            command.Options.Add(option);
        }
    }

    /// <exception cref="UsageException">The flags ask for two output formats.</exception>
    public OutputForm Read(ParseResult flags) => CommonOptions.Form(flags, _json, _raw, _hex);
}
