using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary>The common flags and the output of a backup and a restore.</summary>
internal static class StoredStreams
{
    public static Option<string?> Only(string name, string what) => new(name) { Description = what, HelpName = "name" };

    public static Option<bool> Json() => new("--json") { Description = "Print a JSON object on one line for each account" };

    /// <summary>Prints what was copied.</summary>
    public static void Print(ShellStreams shell, IReadOnlyList<CopiedStreams> accounts, bool isJson, string text)
    {
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
