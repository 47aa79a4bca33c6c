using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Objects;

/// <summary><c>broker object ls</c>: the stores, or the objects of one.</summary>
internal sealed class ObjectListCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker object ls
          broker object ls reports
        """;

    private static readonly Listing<ObjectInfo> Objects = new(
        static item => item.Name,
        ObjectFacts.Write,
        static () => new TextTable(2, "object", "modified", "size"),
        static item => [item.Name, ValueText.Time(item.Modified), item.Link is null ? ValueText.Bytes((ulong)item.Size) : "link"]);

    private static readonly Listing<ObjectStoreStatus> Stores = new(
        static store => store.Name,
        ObjectFacts.Write,
        static () => new TextTable(3, "store", "storage", "last change", "bytes"),
        static store => [store.Name, StreamNames.Of(store.Storage), ValueText.Time(store.Stream.State.LastTime), ValueText.Bytes(store.Bytes)]);

    private readonly Argument<string?> _store = new("store") { Description = "Show the objects of this store [default: list the stores]", Arity = ArgumentArity.ZeroOrOne };
    private readonly Option<bool> _names = StreamArguments.Names();
    private readonly Option<bool> _json = new("--json") { Description = "Print each as a JSON object on one line" };

    public Command Build() => StreamsCommand.Complete(
        new Command("ls", "Lists the object stores of the account, or the objects of a store.").WithAliases("list").With(_store, _names, _json), shell, Examples, ListAsync);

    private async Task<int> ListAsync(StreamsRun run, ParseResult flags)
    {
        bool any = flags.GetValue(_store) is { } store
            ? await ListObjectsAsync(await run.Streams.GetObjectStoreAsync(store, run.Stop), flags, run.Stop)
            : await ListStoresAsync(run, flags);
        if (!any)
        {
            shell.Say(flags.GetValue(_store) is null ? "no object stores" : "no objects");
        }

        return ExitCode.Success;
    }

    private async Task<bool> ListObjectsAsync(ObjectStore store, ParseResult flags, CancellationToken stop)
    {
        var objects = new List<ObjectInfo>();
        await foreach (ObjectInfo item in store.ListAsync(stop))
        {
            objects.Add(item);
        }

        Objects.Print(shell, flags, objects, _names, _json);
        return objects.Count > 0;
    }

    private async Task<bool> ListStoresAsync(StreamsRun run, ParseResult flags)
    {
        var stores = new List<ObjectStoreStatus>();
        await foreach (ObjectStoreStatus store in run.Streams.ListObjectStoresAsync(run.Stop))
        {
            stores.Add(store);
        }

        Stores.Print(shell, flags, stores, _names, _json);
        return stores.Count > 0;
    }
}
