using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Objects;

/// <summary><c>broker object del</c> and <c>rm</c>.</summary>
internal sealed class ObjectRemoveCommand(ShellStreams shell)
{
    private const string ExamplesOfDelete = """
        Examples:
          broker object del reports report.pdf --force
        """;

    private const string ExamplesOfRemove = """
        Examples:
          broker object rm reports --force
        """;

    private readonly Argument<string> _store = new("store") { Description = "Name of the object store" };
    private readonly Argument<string> _name = new("object") { Description = "Name of the object" };
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command BuildDelete()
    {
        Command command = new Command("del", "Deletes an object with its content.").WithAliases("delete").With(_store, _name);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, ExamplesOfDelete, DeleteAsync);
    }

    public Command BuildRemove()
    {
        Command command = new Command("rm", "Deletes an object store with all its objects. broker object del deletes one object.").With(_store);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, ExamplesOfRemove, RemoveAsync);
    }

    private async Task<int> DeleteAsync(StreamsRun run, ParseResult flags)
    {
        ObjectStore store = await run.Streams.GetObjectStoreAsync(flags.GetRequiredValue(_store), run.Stop);
        ObjectInfo item = await store.GetInfoAsync(flags.GetRequiredValue(_name), run.Stop);
        if (!await _confirmation.IsGivenAsync(flags, $"Delete the object {item.Name} of {ValueText.Bytes((ulong)item.Size)} in the store {store.Name}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        await store.DeleteAsync(item.Name, run.Stop);
        Done.Print(
            shell, flags.GetValue(_json), $"deleted the object {item.Name} of the store {store.Name}", ("bucket", store.Name), ("name", item.Name), ("deleted", true));
        return ExitCode.Success;
    }

    private async Task<int> RemoveAsync(StreamsRun run, ParseResult flags)
    {
        ObjectStore store = await run.Streams.GetObjectStoreAsync(flags.GetRequiredValue(_store), run.Stop);
        ObjectStoreStatus status = await store.GetStatusAsync(run.Stop);
        if (!await _confirmation.IsGivenAsync(flags, $"Delete the object store {store.Name} with {ValueText.Bytes(status.Bytes)}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        await run.Streams.DeleteObjectStoreAsync(store.Name, run.Stop);
        Done.Print(shell, flags.GetValue(_json), $"deleted the object store {store.Name}", ("bucket", store.Name), ("deleted", true));
        return ExitCode.Success;
    }
}
