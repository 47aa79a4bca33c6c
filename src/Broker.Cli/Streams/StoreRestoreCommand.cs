using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream restore</c>.</summary>
internal sealed class StoreRestoreCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream restore monday --store-dir restored
          broker stream restore monday --store-dir data --stream ORDERS

        Exit codes: 0; 1 if the backup is damaged or not complete, or the directory cannot be used or has a stream of the
        same name; 2 if the command line is wrong.
        """;

    private readonly Argument<string> _folder = new("folder") { Description = "The folder of the backup" };
    private readonly Option<string?> _stream = StoredStreams.Only("--stream", "Restore only this stream");
    private readonly Option<bool> _json = StoredStreams.Json();

    public Command Build() => new StoreCommand(shell).CompleteUnlocked(
        new Command("restore", "Restores streams of a backup into the directory of a stopped broker, or into a new directory.").With(_folder, _stream, _json),
        Examples, RestoreAsync);

    private async Task<int> RestoreAsync(string directory, string? account, ParseResult flags, CancellationToken stop)
    {
        IReadOnlyList<CopiedStreams> copied = await StoreProgress.ShowAsync(
            shell, "handled", progress => StreamsDirectory.Restore(flags.GetRequiredValue(_folder), directory, account, flags.GetValue(_stream), progress, stop), stop);
        StoredStreams.Print(shell, copied, flags.GetValue(_json), $"restored to {directory}");
        return ExitCode.Success;
    }
}
