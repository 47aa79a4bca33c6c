using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary>The common argument, flags and output of a backup and a restore.</summary>
/// <param name="folder">The description of the folder of the backup.</param>
/// <param name="only">The description of the flag for one stream.</param>
internal sealed class StoredStreams(string folder, string only)
{
    private readonly Argument<string> _folder = new("folder") { Description = folder };
    private readonly Option<string?> _stream = new("--stream") { Description = only, HelpName = "name" };
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line for each account" };

    public Command AddTo(Command command) => command.With(_folder, _stream, _json);

    public string Folder(ParseResult flags) => flags.GetRequiredValue(_folder);

    /// <summary>The only stream to copy; null for all.</summary>
    public string? Stream(ParseResult flags) => flags.GetValue(_stream);

    /// <summary>Prints what was copied.</summary>
    public int Print(ShellStreams shell, IReadOnlyList<CopiedStreams> accounts, ParseResult flags, string text)
    {
        bool isJson = flags.GetValue(_json);
        foreach (CopiedStreams account in accounts)
        {
            if (isJson)
            {
                PrintJson(shell, account);
                continue;
            }

            var table = new TextTable(2, "account", "stream", "messages", "last sequence", "consumers");
            foreach (StreamReport stream in account.Streams)
            {
                table.Add(
                    account.Account, stream.Name, stream.Messages.ToString(CultureInfo.InvariantCulture), stream.LastSequence.ToString(CultureInfo.InvariantCulture),
                    stream.Consumers.ToString(CultureInfo.InvariantCulture));
            }

            table.WriteTo(shell);
        }

        shell.Say(text);
        return ExitCode.Success;
    }

    private static void PrintJson(ShellStreams shell, CopiedStreams account) => ApiJson.Print(shell, json =>
    {
        json.Add("account", account.Account);
        json.AddObjects("streams", account.Streams, static (inner, stream) =>
        {
            inner.Add("name", stream.Name);
            inner.Add("messages", stream.Messages);
            inner.Add("bytes", stream.Bytes);
            inner.Add("last_seq", stream.LastSequence);
            inner.Add("consumers", stream.Consumers);
        });
    });
}
