using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Objects;

/// <summary><c>broker object info</c>: of a store, or of an object.</summary>
internal sealed class ObjectInfoCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker object info reports
          broker object info reports report.pdf --json
        """;

    private readonly Argument<string> _store = new("store") { Description = "Name of the object store" };
    private readonly Argument<string?> _name = new("object") { Description = "Name of an object [default: show the store]", Arity = ArgumentArity.ZeroOrOne };
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command Build() => StreamsCommand.Complete(
        new Command("info", "Shows the options of an object store, or the description of an object.").WithAliases("status").With(_store, _name, _json), shell, Examples, ShowAsync);

    /// <summary>Prints a store for the reader or, as JSON, for a script.</summary>
    public static void Print(ShellStreams shell, ObjectStoreStatus store, bool isJson)
    {
        if (isJson)
        {
            ApiJson.Print(shell, json => ObjectFacts.Write(json, store));
        }
        else
        {
            ObjectFacts.Of(store).WriteTo(shell);
        }
    }

    /// <summary>Prints an object for the reader or, as JSON, for a script.</summary>
    public static void Print(ShellStreams shell, ObjectInfo item, bool isJson)
    {
        if (isJson)
        {
            ApiJson.Print(shell, json => ObjectFacts.Write(json, item));
        }
        else
        {
            ObjectFacts.Of(item).WriteTo(shell);
        }
    }

    private async Task<int> ShowAsync(StreamsRun run, ParseResult flags)
    {
        ObjectStore store = await run.Streams.GetObjectStoreAsync(flags.GetRequiredValue(_store), run.Stop);
        if (flags.GetValue(_name) is { } name)
        {
            Print(shell, await store.GetInfoAsync(name, run.Stop), flags.GetValue(_json));
        }
        else
        {
            Print(shell, await store.GetStatusAsync(run.Stop), flags.GetValue(_json));
        }

        return ExitCode.Success;
    }
}
